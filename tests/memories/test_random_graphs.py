"""Random graphs in several memories: every plan valid and owned byte by byte, and the C computes the model."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings

from byrote.arrange import CannotPushError, arrange
from byrote.driver import compile_model
from byrote.errors import UserError
from byrote.fit import spread
from byrote.ir.interpret import interpret, outputs_of
from byrote.options import CompileOptions
from byrote.plan import Memory, faults
from byrote.schedule import Goal, Granularity, Options
from byrote.verify.memory import plan_check, replay_check
from byrote.verify.replay import replay
from tests.models.test_random_models import STEPS, needs_only_what_we_have
from tests.schedule.random_graphs import random_network
from tests.support.random_graphs import inputs_of, random_graph
from tests.support.tflite_builder import ModelSpec

SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much)
WAYS = (
    Options(Goal.RAM, Granularity.WHOLE),
    Options(Goal.RAM),
    Options(Goal.SPEED, keep_input=True),
    Options(Goal.RAM, push_input=True),
)


@pytest.mark.parametrize("first_seed", [0, 10])
def test_plans_of_random_graphs(first_seed: int) -> None:
    assert sum(distributed(seed, options) for seed in range(first_seed, first_seed + 10) for options in WAYS) > 10


def distributed(seed: int, options: Options) -> bool:
    """Place a random graph in memories that are each too small for it, and check the plan."""
    graph, selection = random_network(seed)
    try:
        found = arrange(graph, selection, options)
    except CannotPushError:
        return False
    height = found.plan.height
    memories = (Memory("tcm", height // 3), Memory("sram", height // 2), Memory("psram", 4 * height + 16))
    schedule, plan, arenas = spread(graph, selection, found, memories, (0, 0, 0))
    assert not any(arena.excess for arena in arenas), seed
    assert not faults(found.problem, plan)
    ranges = tuple((arena.start, arena.end) for arena in arenas)
    assert replay(graph, schedule, selection, found.homes, plan.offsets, plan.height, ranges) > 0
    return len(ranges) > 1


@pytest.mark.parametrize("goal", [Goal.RAM, Goal.SPEED])
def test_c_of_random_models(goal: Goal) -> None:
    run_random_models(goal, examples=4)


def run_random_models(goal: Goal, examples: int) -> None:
    """Compile random models for two memories of which the first is too small; run their C on this computer."""

    @settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=SLOW)
    @given(random_graph(STEPS))
    def check(spec: ModelSpec) -> None:
        needs_only_what_we_have(spec)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.tflite"
            path.write_bytes(spec.to_bytes())
            one = compile_model(path, CompileOptions(goal=goal, target="host"))
            height = one.result.plan.height
            memories = (Memory("tcm", height - 4), Memory("sram", 2 * height + 64))
            if height < 8:
                reject()
            try:
                two = compile_model(path, CompileOptions(goal=goal, target="host", memories=memories))
            except UserError:
                reject()
            result = two.result
            assert result.fits
            assert plan_check(result).passed
            assert replay_check(result).passed
            inputs = inputs_of(spec, 4)
            expected = outputs_of(result.source, interpret(result.source, inputs))
            for mine, right in zip(two.run(*inputs), expected, strict=True):
                np.testing.assert_array_equal(mine, right)

    check()
