"""Refined plans: the same steps, other kernels, never worse for the goal."""

from __future__ import annotations

from pathlib import Path

import pytest

from byrote.arrange import Arrangement, arrange
from byrote.costs.inference import layer_cycles
from byrote.costs.model import cost_model
from byrote.importers import load_model
from byrote.passes import run_passes
from byrote.refine import refine
from byrote.schedule import Goal, Options
from byrote.select import Selected, least_cost, select
from byrote.targets import load_target

DIGITS = Path(__file__).parent.parent.parent / "examples" / "digits" / "digits_int8.tflite"
TARGET = load_target("cortex-m4")
COSTS = cost_model(TARGET)
GRAPH = run_passes(load_model(DIGITS))[0]


def found(wishes: Options, lean: float) -> tuple[Selected, Arrangement, float]:
    selected = select(GRAPH, TARGET.features, COSTS.select_cost, lean=lean)
    return selected, arrange(GRAPH, selected.selection, wishes, layer_cycles(COSTS, GRAPH, selected.selection)), lean


def refined(wishes: Options, start: tuple[Selected, Arrangement, float]) -> tuple[Selected, Arrangement]:
    return refine(GRAPH, TARGET.features, COSTS, wishes, start, None)


def test_little_memory_with_faster_kernels() -> None:
    wishes = Options(Goal.RAM)
    start = found(wishes, 1e9)
    selected, placed = refined(wishes, start)
    assert placed.plan.height <= start[1].plan.height
    assert placed.cycles < start[1].cycles
    assert placed.pieces == start[1].pieces
    assert selected.selection != start[0].selection


def test_the_default_gives_up_few_cycles_at_most() -> None:
    wishes = Options(Goal.AUTO)
    start = found(wishes, 1.0)
    placed = refined(wishes, start)[1]
    assert placed.plan.height <= start[1].plan.height
    assert placed.cycles <= max(start[1].cycles, placed.fastest * 1.08)


def test_a_limit_of_memory_is_kept_and_used() -> None:
    least = found(Options(Goal.RAM), 1e9)[1].plan.height
    wishes = Options(Goal.AUTO, ram=least + 400)
    start = found(wishes, 1e9)
    placed = refined(wishes, start)[1]
    assert placed.plan.height <= least + 400
    assert placed.cycles <= start[1].cycles


@pytest.mark.parametrize("goal", [Goal.SPEED, Goal.FLASH])
def test_other_goals_keep_their_kernels(goal: Goal) -> None:
    start = found(Options(goal), 1.0)
    assert refined(Options(goal), start) == start[:2]


def test_segments_add_up_to_the_whole() -> None:
    wishes = Options(Goal.RAM)
    placed = refined(wishes, found(wishes, 1e9))[1]
    assert sum(segment.cycles for segment in placed.segments) == placed.cycles
    assert all(segment.whole > 0 for segment in placed.segments)


def test_flash_that_tables_may_not_exceed() -> None:
    wishes = Options(Goal.RAM)
    start = found(wishes, 1e9)
    selected, _ = refine(GRAPH, TARGET.features, COSTS, wishes, start, start[0].selection.constants)
    assert selected.selection.constants <= start[0].selection.constants


def test_no_selection_is_below_every_node_alone() -> None:
    bound = least_cost(GRAPH, TARGET.features, COSTS.select_cost)
    assert 0 < bound <= sum(select(GRAPH, TARGET.features, COSTS.select_cost).costs)
