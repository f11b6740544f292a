"""Every plan passes the naive checker; bounds and certificates are true; the same problem gives the same plan."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byrote.plan import Buffer, Effort, Overlap, Problem, View, blame, collapse, lower_bound, solve, validate
from byrote.plan.greedy import first_fit, orders
from tests.plan.problems import least_height, problems

OFF = Effort(orders=0, iterations=0, nodes=0)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_plans_are_valid(problem: Problem) -> None:
    plan = solve(problem, Effort(iterations=50, nodes=500))
    validate(problem, plan)


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from((OFF, Effort(orders=2, iterations=0, nodes=0), Effort(orders=0, iterations=0))))
def test_plans_are_valid_without_heuristics(problem: Problem, effort: Effort) -> None:
    validate(problem, solve(problem, effort))


@settings(max_examples=60, deadline=None)
@given(problems(most=4, largest=6, calls=4).filter(lambda problem: not problem.views))
def test_bound_and_certificate_are_true(problem: Problem) -> None:
    least = least_height(problem)
    assert lower_bound(collapse(problem)) <= least
    for effort in (OFF, Effort(orders=0, iterations=0), Effort()):
        plan = solve(problem, effort)
        assert plan.lower_bound <= least <= plan.height
        if plan.proven:
            assert plan.height == least


@settings(max_examples=60, deadline=None)
@given(problems(most=5, largest=6, calls=4, least_distance=0).filter(lambda problem: not problem.views))
def test_small_problems_are_solved_and_proven(problem: Problem) -> None:
    """By the exact search alone, beginning with a bad plan."""
    plan = solve(problem, Effort(orders=0, iterations=0))
    assert (plan.height, plan.proven) == (least_height(problem), True)


@settings(max_examples=30, deadline=None)
@given(problems())
def test_every_order_is_valid(problem: Problem) -> None:
    core = collapse(problem)
    for order in orders(core):
        assert sorted(order) == list(range(len(core.blocks)))
        offsets = first_fit(core, order)
        assert offsets is not None
        bound = lower_bound(core)
        plan = solve(problem, OFF)
        height = core.height(offsets)
        validate(problem, type(plan)(core.spread(offsets), height, bound, height == bound))


@settings(max_examples=20, deadline=None)
@given(problems())
def test_same_problem_same_plan(problem: Problem) -> None:
    effort = Effort(iterations=100, nodes=1000)
    assert solve(problem, effort) == solve(problem, effort)


def test_nothing() -> None:
    plan = solve(Problem(()))
    assert (plan.offsets, plan.height, plan.lower_bound, plan.proven) == ((), 0, 0, True)


def test_in_place_chain_meets_its_bound_fast() -> None:
    """A chain as compilers make it: each output may overwrite its input at some distance."""
    sizes = [4000 - 16 * (i % 10) if i % 10 < 9 else 100 for i in range(200)]
    chain = tuple(Buffer(f"t{i}", size, i, i + 2, 16) for i, size in enumerate(sizes))
    scratch = tuple(Buffer(f"scratch{i}", 64, i + 1, i + 2, 4) for i in range(0, 199, 3))
    problem = Problem(chain + scratch, (), tuple(Overlap(i + 1, i, 96 * (i % 10 == 8)) for i in range(199)))
    begin = time.process_time()
    plan = solve(problem)
    assert time.process_time() - begin < 0.5
    validate(problem, plan)
    assert plan.proven


def test_overlap_is_used() -> None:
    problem = Problem((Buffer("input", 100, 0, 2), Buffer("output", 80, 1, 3)), (), (Overlap(1, 0, 30),))
    plan = solve(problem)
    validate(problem, plan)
    assert (plan.height, plan.proven) == (130, True)
    assert plan.offsets == (30, 0)


def test_overlap_of_a_view_that_fills_its_parent() -> None:
    """A reshaped tensor is its source: what may overwrite the one may overwrite the other."""
    buffers = (Buffer("conv", 100, 0, 3), Buffer("reshaped", 100, 1, 3), Buffer("output", 100, 2, 4))
    problem = Problem(buffers, (View(1, 0, 0),), (Overlap(2, 1, 8),))
    plan = solve(problem)
    validate(problem, plan)
    assert plan.height == 108


def test_overlap_of_a_view_whose_parent_lives_on() -> None:
    buffers = (Buffer("conv", 100, 0, 9), Buffer("reshaped", 100, 1, 3), Buffer("output", 100, 2, 3))
    problem = Problem(buffers, (View(1, 0, 0),), (Overlap(2, 1, 8),))
    plan = solve(problem)
    validate(problem, plan)
    assert plan.height == 200


def test_view_alignment_moves_the_parent() -> None:
    buffers = (Buffer("below", 3, 0, 2), Buffer("concat", 20, 0, 2, 2), Buffer("part", 8, 0, 1, 16))
    problem = Problem(buffers, (View(2, 1, 6),))
    plan = solve(problem)
    validate(problem, plan)
    assert plan.offsets[2] % 16 == 0


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (Problem((Buffer("a", 4, 0, 2), Buffer("b", 8, 0, 1)), (View(1, 0, 0),)), "b .* does not fit"),
        (Problem((Buffer("a", 8, 0, 2), Buffer("b", 8, 1, 3)), (View(1, 0, 0),)), "b .* is alive when a"),
        (Problem((Buffer("a", 8, 0, 2), Buffer("b", 8, 0, 2)), (View(1, 0, 0), View(0, 1, 0))), "within itself"),
        (Problem((Buffer("a", 8, 0, 2, 4), Buffer("b", 2, 0, 2, 4)), (View(1, 0, 2),)), "b cannot be aligned"),
        (Problem((Buffer("a", -1, 0, 2),)), "describe no buffer"),
    ],
)
def test_contradictions_are_named(problem: Problem, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        solve(problem)


def test_blame_names_those_at_the_peak() -> None:
    buffers = (Buffer("small", 10, 0, 9), Buffer("big", 90, 3, 5), Buffer("bigger", 95, 4, 5), Buffer("late", 99, 6, 7))
    problem = Problem(buffers, capacity=100)
    plan = solve(problem)
    validate(problem, plan)
    assert plan.height == 195
    assert [buffer.name for buffer in blame(problem, plan)] == ["bigger", "big", "small"]


def test_blame_of_nothing() -> None:
    assert blame(Problem(()), solve(Problem(()))) == ()
