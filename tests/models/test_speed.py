"""What public models cost on the emulated Cortex-M4 with default options: counted, within limits that must hold."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from byrote.bench.figures import Bench
from byrote.bench.measure import bench
from byrote.driver import Compiled
from byrote.options import CompileOptions
from byrote.schedule import Goal, Granularity
from tests.models.public import compiled


@dataclass(frozen=True)
class Limits:
    """Instructions, strict cycles (None: no limit) and bytes of arena and stack together of the default plan."""

    instructions: int
    cycles: int | None
    memory: int


DEFAULT = {
    "kws_dscnn_int8": Limits(3_050_000, 3_500_000, 6_144),
    "ic_resnet8_int8": Limits(9_200_000, 10_400_000, 19_500 + 512),
    "vww_mobilenetv1_int8": Limits(5_000_000, 5_700_000, 28_900 + 512),
    "ad_autoencoder_int8": Limits(330_000, 410_000, 1_280),
    "person_detect_int8": Limits(9_000_000, None, 17_000 + 512),
}
NEAR_FASTEST = 1.08


def measured(name: str, goal: Goal = Goal.AUTO) -> Bench:
    return bench(compiled(name, CompileOptions(goal=goal)).result)


@pytest.mark.parametrize("name", DEFAULT)
def test_default_plans(name: str) -> None:
    limits, total = DEFAULT[name], measured(name).total
    assert total.instructions <= limits.instructions
    assert total.arena + total.stack <= limits.memory
    assert total.cycles_strict is not None
    assert limits.cycles is None or total.cycles_strict <= limits.cycles


@pytest.mark.parametrize("name", DEFAULT)
def test_default_plans_are_nearly_the_fastest(name: str) -> None:
    fastest, default = (measured(name, goal).total.cycles_strict for goal in (Goal.SPEED, Goal.AUTO))
    assert fastest is not None
    assert default is not None
    assert default <= NEAR_FASTEST * fastest


@pytest.mark.parametrize(
    ("name", "arena", "ratio"),
    [
        ("kws_dscnn_int8", 4_300, 1.15),
        ("vww_mobilenetv1_int8", 28_700, 1.15),
        ("person_detect_int8", 13_000, 1.15),
        ("ic_resnet8_int8", 12_500, 1.4),
    ],
)
def test_little_memory_costs_few_cycles(name: str, arena: int, ratio: float) -> None:
    small, fast = (measured(name, goal).total for goal in (Goal.RAM, Goal.SPEED))
    assert small.arena <= arena
    assert small.cycles_strict is not None
    assert fast.cycles_strict is not None
    assert small.cycles_strict <= ratio * fast.cycles_strict


@pytest.mark.parametrize(("goal", "rows", "most"), [(Goal.AUTO, 2, 1.05), (Goal.RAM, 1, 1.12)])
def test_rows_cost_few_instructions(goal: Goal, rows: int, most: float) -> None:
    """Against whole tensors, with the same kernels."""
    streamed = compiled("kws_dscnn_int8", CompileOptions(goal=goal))
    whole = compiled("kws_dscnn_int8", CompileOptions(goal=Goal.SPEED, granularity=Granularity.WHOLE))
    assert max(segment.rows_per_step or 0 for segment in streamed.result.schedule.segments) == rows
    assert kernels(streamed) == kernels(whole)
    counted, against = (bench(model.result).total.instructions for model in (streamed, whole))
    assert counted <= most * against


def kernels(model: Compiled) -> list[str]:
    return [choice.kernel.function for choice in model.result.selection.choices if choice is not None]


def test_code_size_of_keyword_spotting() -> None:
    default, small = (measured("kws_dscnn_int8", goal).total for goal in (Goal.AUTO, Goal.FLASH))
    assert default.code <= 30 << 10
    assert small.code <= 12 << 10
    assert default.cycles_strict is not None
    assert small.cycles_strict is not None
    assert small.cycles_strict <= 1.6 * default.cycles_strict
