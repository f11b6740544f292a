"""What the arena holds when it is fullest, byte by byte."""

from __future__ import annotations

import itertools
from collections import Counter

from byrote.plan.problem import Buffer, Plan, Problem, Role
from byrote.plan.solve import blame

_FIRST = (
    Role.INPUT,
    Role.OUTPUT,
    Role.KEPT,
    Role.FRESH,
    Role.ACCUMULATOR,
    Role.SCRATCH,
    Role.STATE,
    Role.WHOLE,
)
"""Whose byte it is where buffers overlap."""


def peak_bytes(problem: Problem, plan: Plan) -> tuple[tuple[Role | None, int], ...]:
    """Every byte below the plan's height at the call at which the most bytes are in use, by role; None: not in use."""
    offsets = {id(buffer): offset for buffer, offset in zip(problem.buffers, plan.offsets, strict=True)}
    alive = [(offsets[id(b)], offsets[id(b)] + b.size, b) for b in blame(problem, plan)]
    edges = sorted({0, plan.height, *(end for low, high, _ in alive for end in (low, high))})
    counts: Counter[Role | None] = Counter()
    for low, high in itertools.pairwise(edges):
        counts[_owner(alive, low)] += high - low
    order = [*(role for role in _FIRST if counts[role]), *([None] if counts[None] else [])]
    return tuple((role, counts[role]) for role in order)


def _owner(alive: list[tuple[int, int, Buffer]], byte: int) -> Role | None:
    roles = [buffer.role for low, high, buffer in alive if low <= byte < high]
    return min(roles, key=_FIRST.index) if roles else None
