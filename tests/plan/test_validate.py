"""The checker finds every kind of fault, and names the buffers."""

from __future__ import annotations

import pytest

from byrote.plan import Buffer, Overlap, Plan, Problem, View, faults, validate

TWO = Problem((Buffer("x", 10, 0, 2, 4), Buffer("y", 10, 1, 3)))
VIEW = Problem((Buffer("whole", 10, 0, 4), Buffer("part", 4, 1, 3)), (View(1, 0, 6),))


@pytest.mark.parametrize(
    ("problem", "plan", "words"),
    [
        (TWO, Plan((0, 9), 19, 19, True), "x .* and y .* share bytes"),
        (TWO, Plan((2, 12), 22, 20, False), "x lies at 2, not a multiple"),
        (TWO, Plan((-4, 12), 22, 20, False), "below the memory"),
        (TWO, Plan((0, 10), 19, 19, True), "reaches up to byte 20"),
        (TWO, Plan((0, 10), 20, 21, False), "lower bound 21 is above"),
        (TWO, Plan((0, 10), 20, 20, False), "not stated as proven"),
        (TWO, Plan((0, 10), 30, 20, True), "stated as proven"),
        (TWO, Plan((0,), 10, 10, True), "places 1 buffers"),
        (VIEW, Plan((0, 5), 10, 10, True), "part lies at 5, not at 6 within whole"),
        (
            Problem((Buffer("whole", 10, 0, 4), Buffer("part", 8, 1, 3)), (View(1, 0, 6),)),
            Plan((0, 6), 14, 14, True),
            "part does not fit at 6 within whole",
        ),
        (
            Problem((Buffer("whole", 10, 0, 2), Buffer("part", 4, 1, 3)), (View(1, 0, 6),)),
            Plan((0, 6), 10, 10, True),
            "part is alive when whole",
        ),
        (
            Problem((Buffer("in", 10, 0, 2), Buffer("out", 10, 1, 3)), (), (Overlap(1, 0, 4),)),
            Plan((3, 0), 13, 13, True),
            "in .* and out .* share bytes",
        ),
        (
            Problem((Buffer("in", 10, 0, 2), Buffer("out", 10, 1, 3)), (), (Overlap(1, 0, 4),)),
            Plan((0, 4), 14, 14, True),
            "in .* and out .* share bytes",
        ),
    ],
)
def test_faults_are_found(problem: Problem, plan: Plan, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        validate(problem, plan)


@pytest.mark.parametrize(
    ("problem", "plan"),
    [
        (TWO, Plan((0, 10), 20, 20, True)),
        (VIEW, Plan((0, 6), 10, 10, True)),
        (
            Problem((Buffer("in", 10, 0, 2), Buffer("out", 10, 1, 3)), (), (Overlap(1, 0, 4),)),
            Plan((4, 0), 14, 14, True),
        ),
        (Problem((Buffer("a", 10, 0, 2), Buffer("b", 10, 2, 3))), Plan((0, 0), 10, 10, True)),
    ],
)
def test_right_plans_pass(problem: Problem, plan: Plan) -> None:
    assert faults(problem, plan) == ()
