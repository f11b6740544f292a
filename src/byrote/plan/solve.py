"""The front of the planner: the cheapest method that reaches the lower bound, and a certificate."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.plan.bound import lower_bound
from byrote.plan.core import collapse
from byrote.plan.exact import exact
from byrote.plan.greedy import greedy
from byrote.plan.hillclimb import hill_climb
from byrote.plan.problem import Buffer, Plan, Problem


@dataclass(frozen=True)
class Effort:
    """How long to search when the first plan is not as low as the bound.

    All limits are counts, not times: the same problem always gives the same plan.
    """

    orders: int | None = None
    """How many greedy orders to try (None: all)."""
    iterations: int = 200
    """Changes of the order by the hill climber."""
    nodes: int = 40_000
    """Nodes visited by the exact search."""
    work: int = 2_000_000_000
    """Conflicting pairs times iterations or nodes: fewer of them on huge problems."""
    enough: int = 0
    """Bytes: a plan that needs no more will do, lower ones are not looked for."""


QUICK = Effort(iterations=100, nodes=1_000)
"""About 0.1 s for hundreds of buffers: for searches that plan again and again."""
NORMAL = Effort()
"""Seconds where the bound is hard to reach, milliseconds where it is not."""
THOROUGH = Effort(iterations=2_000, nodes=1_000_000, work=20_000_000_000)
"""Minutes where the bound is hard to reach."""


def solve(problem: Problem, effort: Effort = NORMAL) -> Plan:
    """The lowest plan found.

    `proven` is set if it is as low as any can be: its height is the lower bound, or the exact search has seen all.
    A plan higher than `problem.capacity` is returned like any other; the caller reports it (see `blame`).
    Raises ValueError if the problem contradicts itself (see `collapse`).
    """
    core = collapse(problem)
    bound = lower_bound(core)
    goal = max(bound, effort.enough)
    order, offsets = greedy(core, goal, effort.orders)
    pairs = 1 + sum(len(neighbours) for neighbours in core.neighbours)
    if core.height(offsets) > goal:
        iterations = min(effort.iterations, effort.work // pairs)
        offsets = hill_climb(core, order, offsets, goal, iterations)
    if core.height(offsets) > goal:
        found = exact(core, offsets, bound, problem.capacity, min(effort.nodes, effort.work // pairs))
        offsets, bound = found.offsets, found.bound
    height = core.height(offsets)
    return Plan(core.spread(offsets), height, bound, height == bound)


def fullest(problem: Problem, plan: Plan) -> tuple[int, tuple[int, ...]]:
    """The first call at which the most bytes are in use, and the buffers alive then, largest first.

    Views take no memory of their own and are left out.
    """
    inside = {view.inside for view in problem.views}
    buffers = problem.buffers
    placed = [i for i in range(len(buffers)) if i not in inside]
    best: tuple[int, int] = (-1, 0)
    for call in sorted({buffers[i].start for i in placed}):
        alive = (i for i in placed if buffers[i].start <= call < buffers[i].end)
        taken = _bytes([(plan.offsets[i], plan.offsets[i] + buffers[i].size) for i in alive])
        best = max(best, (taken, -call))
    peak = [i for i in placed if buffers[i].size and buffers[i].start <= -best[1] < buffers[i].end]
    return -best[1], tuple(sorted(peak, key=lambda i: (-buffers[i].size, buffers[i].name)))


def blame(problem: Problem, plan: Plan) -> tuple[Buffer, ...]:
    """The buffers alive when the most bytes are in use, largest first: those to shrink if a plan is too high."""
    return tuple(problem.buffers[i] for i in fullest(problem, plan)[1])


def _bytes(ranges: list[tuple[int, int]]) -> int:
    """How many bytes the ranges cover together."""
    covered, reached = 0, 0
    for low, high in sorted(ranges):
        covered += max(0, high - max(low, reached))
        reached = max(reached, high)
    return covered
