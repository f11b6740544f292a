"""A plain first-fit placement, so that schedules can be tested without the planner."""

from __future__ import annotations

import random

from byrote.ir import Graph
from byrote.kernel import Selection
from byrote.liveness import liveness
from byrote.plan import Buffer, Problem
from byrote.schedule import Options, Schedule, settle
from byrote.verify.replay import replay


def first_fit(problem: Problem, tries: int = 400) -> tuple[tuple[int, ...], int]:
    """Offsets and height: the best of a few orders and random swaps in them."""
    buffers = problem.buffers
    bound = max((_live(problem, time) for time in range(max((b.end for b in buffers), default=0))), default=0)
    orders = [
        sorted(range(len(buffers)), key=lambda i: (-buffers[i].size, i)),
        sorted(range(len(buffers)), key=lambda i: (buffers[i].start, -buffers[i].size)),
        sorted(range(len(buffers)), key=lambda i: (-buffers[i].size * (buffers[i].end - buffers[i].start), i)),
    ]
    plans = [(_place(problem, order), order) for order in orders]
    best, order = min(plans, key=lambda plan: plan[0][1])
    chance = random.Random(1)
    for _ in range(tries if len(buffers) > 1 else 0):
        if best[1] <= bound:
            break
        swapped = list(order)
        for _ in range(chance.randint(1, 3)):
            i, j = chance.sample(range(len(buffers)), 2)
            swapped[i], swapped[j] = swapped[j], swapped[i]
        plan = _place(problem, swapped)
        if plan[1] <= best[1]:
            best, order = plan, swapped
    return best


def _live(problem: Problem, time: int) -> int:
    return max((b.size for b in problem.buffers if b.start <= time < b.end), default=0)


def _place(problem: Problem, order: list[int]) -> tuple[tuple[int, ...], int]:
    buffers = problem.buffers
    gaps = {(overlap.low, overlap.high): overlap.distance for overlap in problem.overlaps}
    offsets: dict[int, int] = {}
    for i in order:
        forbidden: list[tuple[int, int]] = []
        for j, at in offsets.items():
            if buffers[i].start >= buffers[j].end or buffers[j].start >= buffers[i].end:
                continue
            low, high = at - buffers[i].size + 1, at + buffers[j].size
            if (i, j) in gaps:
                low = max(low, at - gaps[i, j] + 1)
            if (j, i) in gaps:
                high = min(high, at + gaps[j, i])
            forbidden.append((low, high))
        offset = 0
        for low, high in sorted(forbidden):
            if offset < low:
                break
            offset = max(offset, _align(buffers[i], high))
        offsets[i] = offset
    height = max((offsets[i] + buffer.size for i, buffer in enumerate(buffers)), default=0)
    return tuple(offsets[i] for i in range(len(buffers))), height


def _align(buffer: Buffer, offset: int) -> int:
    return -(-offset // buffer.align) * buffer.align


def placed_height(graph: Graph, selection: Selection, schedule: Schedule, options: Options) -> int:
    """Place, replay, and return the arena's height."""
    problem, homes = liveness(graph, schedule, selection, options)
    offsets, height = first_fit(problem)
    settled = settle(graph, schedule, selection, homes.addresses(offsets))
    assert replay(graph, settled, selection, homes, offsets, height) > 0
    return height
