"""Hot buffers lie in the fast memory; every memory's plan is valid by itself."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from byrote.plan import Buffer, Effort, Memory, Problem, View, distribute, validate
from tests.plan.problems import problems


def test_the_hot_buffer_gets_the_fast_memory() -> None:
    problem = Problem((Buffer("cold", 80, 0, 4), Buffer("hot", 90, 0, 4), Buffer("later", 50, 4, 5)))
    placement = distribute(problem, (80, 900, 50), (Memory("tcm", 100), Memory("sram")))
    assert placement.memory == (1, 0, 0)
    assert [plan.height for plan in placement.plans] == [90, 80]


def test_what_fits_nowhere_goes_to_the_last() -> None:
    problem = Problem((Buffer("huge", 500, 0, 1),))
    placement = distribute(problem, (1,), (Memory("tcm", 100), Memory("sram", 200)))
    assert placement.memory == (1,)
    assert placement.plans[1].height == 500


def test_views_go_with_their_parent() -> None:
    problem = Problem((Buffer("whole", 50, 0, 2), Buffer("part", 10, 0, 1), Buffer("x", 60, 0, 2)), (View(1, 0, 5),))
    placement = distribute(problem, (0, 5000, 100), (Memory("tcm", 60), Memory("sram")))
    assert placement.memory == (0, 0, 1)
    assert placement.offset[1] == placement.offset[0] + 5


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="no memory"):
        distribute(Problem(()), (), ())
    with pytest.raises(ValueError, match="1 access weights are given for 0 buffers"):
        distribute(Problem(()), (1,), (Memory("m"),))


@settings(max_examples=20, deadline=None)
@given(problems(most=6))
def test_each_plan_is_valid(problem: Problem) -> None:
    memories = (Memory("fast", 32), Memory("middle", 64), Memory("slow"))
    weights = tuple(buffer.size * (i % 3) for i, buffer in enumerate(problem.buffers))
    effort = Effort(iterations=10, nodes=100)
    placement = distribute(problem, weights, memories, effort)
    assert placement == distribute(problem, weights, memories, effort)
    for index, plan in enumerate(placement.plans):
        members = [i for i, memory in enumerate(placement.memory) if memory == index]
        assert plan.offsets == tuple(placement.offset[i] for i in members)
        limit = memories[index].capacity
        assert limit is None or plan.height <= limit
        number = {member: i for i, member in enumerate(members)}
        validate(
            Problem(
                tuple(problem.buffers[i] for i in members),
                tuple(View(number[v.inside], number[v.of], v.offset) for v in problem.views if v.inside in number),
                tuple(
                    type(o)(number[o.low], number[o.high], o.distance)
                    for o in problem.overlaps
                    if o.low in number and o.high in number
                ),
            ),
            plan,
        )
