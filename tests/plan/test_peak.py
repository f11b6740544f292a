"""The bytes of the fullest moment add up to the arena."""

from __future__ import annotations

from byrote.plan import Buffer, Overlap, Problem, Role, peak_bytes, solve


def test_every_byte_is_counted_once() -> None:
    buffers = (
        Buffer("in", 100, 0, 2, role=Role.INPUT),
        Buffer("kept", 30, 0, 3, role=Role.KEPT),
        Buffer("fresh", 20, 1, 2, role=Role.FRESH),
        Buffer("out", 60, 1, 3, role=Role.OUTPUT),
    )
    problem = Problem(buffers, overlaps=(Overlap(3, 0, 10),))
    plan = solve(problem)
    split = dict(peak_bytes(problem, plan))
    assert sum(split.values()) == plan.height
    assert split[Role.KEPT] == 30
    assert split[Role.FRESH] == 20
    assert split[Role.INPUT] == 100


def test_nothing_is_no_bytes() -> None:
    problem = Problem(())
    assert peak_bytes(problem, solve(problem)) == ()
