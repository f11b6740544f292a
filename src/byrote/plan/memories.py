"""Several memories: which buffers lie in which, then each memory planned by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from byrote.plan.core import collapse
from byrote.plan.problem import Overlap, Plan, Problem, View
from byrote.plan.solve import NORMAL, Effort, solve


@dataclass(frozen=True)
class Memory:
    """A memory of `capacity` bytes (None: unlimited)."""

    name: str
    capacity: int | None = None


@dataclass(frozen=True)
class Placement:
    """`memory[i]` is the index of the memory of buffer i, `offset[i]` its offset there; one plan for each memory.

    Plan k speaks of the buffers of memory k alone, in ascending order.
    """

    memory: tuple[int, ...]
    offset: tuple[int, ...]
    plans: tuple[Plan, ...]


def distribute(
    problem: Problem, accesses: tuple[int, ...], memories: tuple[Memory, ...], effort: Effort = NORMAL
) -> Placement:
    """Place the buffers of `problem` in `memories`, given from the fastest to the slowest.

    `accesses[i]` says how often buffer i is touched in one run.  The buffers with the most accesses per byte get the
    fastest memory in which they still fit together with those already there; what fits nowhere goes to the last one,
    whose plan is then too high.  A buffer and all within it go together; an overlap across memories has no effect.
    `problem.capacity` is not looked at.  Raises ValueError if there is no memory, or not one weight for each buffer.
    """
    if not memories:
        raise ValueError("there is no memory to place buffers in")
    if len(accesses) != len(problem.buffers):
        raise ValueError(f"{len(accesses)} access weights are given for {len(problem.buffers)} buffers")
    core = collapse(problem)
    heat = [0] * len(core.blocks)
    for (block, _), weight in zip(core.roots, accesses, strict=True):
        heat[block] += weight
    hottest = sorted(range(len(core.blocks)), key=lambda i: (-heat[i] / max(1, core.blocks[i].size), i))
    home = [len(memories) - 1] * len(core.blocks)
    quick = replace(effort, iterations=min(effort.iterations, 50), nodes=0)
    for index, memory in enumerate(memories[:-1]):
        left = [block for block in hottest if home[block] == len(memories) - 1]
        for block in left:
            home[block] = index
            part, _ = _part(problem, core.roots, home, index, memory.capacity)
            if memory.capacity is not None and solve(part, quick).height > memory.capacity:
                home[block] = len(memories) - 1
    return _solve_each(problem, core.roots, home, memories, effort)


def _solve_each(
    problem: Problem, roots: tuple[tuple[int, int], ...], home: list[int], memories: tuple[Memory, ...], effort: Effort
) -> Placement:
    offsets = [0] * len(problem.buffers)
    plans: list[Plan] = []
    for index, memory in enumerate(memories):
        part, members = _part(problem, roots, home, index, memory.capacity)
        plan = solve(part, effort)
        plans.append(plan)
        for member, offset in zip(members, plan.offsets, strict=True):
            offsets[member] = offset
    return Placement(tuple(home[block] for block, _ in roots), tuple(offsets), tuple(plans))


def _part(
    problem: Problem, roots: tuple[tuple[int, int], ...], home: list[int], memory: int, capacity: int | None
) -> tuple[Problem, list[int]]:
    """The problem of one memory, and which buffers it speaks of."""
    members = [i for i, (block, _) in enumerate(roots) if home[block] == memory]
    number = {member: i for i, member in enumerate(members)}
    views = tuple(View(number[v.inside], number[v.of], v.offset) for v in problem.views if v.inside in number)
    overlaps = tuple(
        Overlap(number[o.low], number[o.high], o.distance)
        for o in problem.overlaps
        if o.low in number and o.high in number
    )
    return Problem(tuple(problem.buffers[i] for i in members), views, overlaps, capacity), members
