"""Several memories: which buffers lie in which, then each memory planned by itself.

The result is one line of offsets, memory after memory with a gap between, so that everything which works on the plan of
one arena works on this, too; `Arena` says which part of the line is which memory's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from byrote.plan.bound import lower_bound
from byrote.plan.core import collapse
from byrote.plan.problem import Overlap, Plan, Problem, View
from byrote.plan.solve import NORMAL, Effort, blame, solve

GAP = 16
"""Bytes between two arenas on the line of offsets: one past the end of one is not the beginning of the next."""

_ROUNDS = 24
"""Orders that are tried until everything fits."""


@dataclass(frozen=True)
class Memory:
    """A memory of `capacity` bytes (None: unlimited)."""

    name: str
    capacity: int | None = None

    def excess(self, size: int) -> int:
        """Bytes of `size` that are too many."""
        return 0 if self.capacity is None else max(0, size - self.capacity)


@dataclass(frozen=True)
class Arena:
    """The part of a line of offsets, start..start+size, that lies in `memory`."""

    memory: Memory
    start: int
    size: int

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def excess(self) -> int:
        return self.memory.excess(self.size)


def arena_at(arenas: Sequence[Arena], offset: int) -> int:
    """Index of the arena in which an offset of the line lies; one past the end still belongs to it."""
    return max(index for index, arena in enumerate(arenas) if index == 0 or arena.start <= offset)


@dataclass(frozen=True)
class Placement:
    """`memory[i]` is the index of the memory of buffer i, `offset[i]` its offset there; one plan for each memory.

    Plan k speaks of the buffers of memory k alone, in ascending order.
    """

    memory: tuple[int, ...]
    offset: tuple[int, ...]
    plans: tuple[Plan, ...]

    def excess(self, memories: Sequence[Memory]) -> int:
        """Bytes that are too many, over all memories."""
        return sum(memory.excess(plan.height) for memory, plan in zip(memories, self.plans, strict=True))

    def line(self, memories: Sequence[Memory], bound: int) -> tuple[Plan, tuple[Arena, ...]]:
        """All memories that hold anything as one plan; none is below `bound` in total."""
        arenas: list[Arena] = []
        starts: list[int] = []
        end = -GAP
        for memory, plan in zip(memories, self.plans, strict=True):
            start = -(-(end + GAP) // GAP) * GAP if plan.height else 0
            starts.append(start)
            if plan.height:
                arenas.append(Arena(memory, start, plan.height))
                end = start + plan.height
        offsets = tuple(starts[memory] + offset for memory, offset in zip(self.memory, self.offset, strict=True))
        height = max(end, 0)
        return Plan(offsets, height, bound, height == bound), tuple(arenas)


def distribute(
    problem: Problem, accesses: tuple[int, ...], memories: tuple[Memory, ...], effort: Effort = NORMAL
) -> Placement:
    """Place the buffers of `problem` in `memories`, given from the fastest to the slowest.

    `accesses[i]` says how often buffer i is touched in one run.  The buffers with the most accesses per byte get the
    fastest memory in which they still fit together with those already there; the last memory takes the rest.  If that
    is too much for it, those that crowd it come first, and all is placed anew.  Where nothing fits the placement with
    the least excess is returned, its last plan too high.  A buffer and all within it go together; an overlap across
    memories has no effect.  `problem.capacity` is not looked at.
    Raises ValueError if there is no memory, or not one weight for each buffer.
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
    quick = replace(effort, iterations=min(effort.iterations, 50), nodes=0)
    first: list[int] = []
    found: list[Placement] = []
    while True:
        order = [*first, *(block for block in hottest if block not in first)]
        home = _homes(problem, core.roots, order, memories, quick)
        found.append(_solve_each(problem, core.roots, home, memories, effort))
        crowd = _crowd(problem, core.roots, home, found[-1], memories)
        crowd = [block for block in crowd if block not in first]
        if not found[-1].excess(memories) or not crowd or len(found) == _ROUNDS:
            return min(found, key=lambda placement: placement.excess(memories))
        first = sorted([*first, crowd[0]], key=lambda i: (-core.blocks[i].size, i))


def _homes(
    problem: Problem,
    roots: tuple[tuple[int, int], ...],
    order: Sequence[int],
    memories: tuple[Memory, ...],
    effort: Effort,
) -> list[int]:
    """The memory of each block: the first that has room when its turn comes."""
    home = [len(memories) - 1] * len(order)
    for index, memory in enumerate(memories[:-1]):
        for block in order:
            if home[block] != len(memories) - 1:
                continue
            home[block] = index
            if not _fits(_part(problem, roots, home, index, memory.capacity)[0], effort):
                home[block] = len(memories) - 1
    return home


def _fits(part: Problem, effort: Effort) -> bool:
    """Whether a plan is found that keeps the capacity; the cheapest test first."""
    if part.capacity is None:
        return True
    if max((buffer.size for buffer in part.buffers), default=0) > part.capacity:
        return False
    if solve(part, replace(effort, iterations=0)).height <= part.capacity:
        return True
    return lower_bound(collapse(part)) <= part.capacity and solve(part, effort).height <= part.capacity


def _crowd(
    problem: Problem,
    roots: tuple[tuple[int, int], ...],
    home: Sequence[int],
    placement: Placement,
    memories: tuple[Memory, ...],
) -> list[int]:
    """Blocks at the last memory's fullest moment that another memory could hold, largest first."""
    part, members = _part(problem, roots, home, len(memories) - 1, None)
    block_of = {id(problem.buffers[member]): roots[member][0] for member in members}
    crowd = blame(part, placement.plans[-1])
    return [block_of[id(b)] for b in crowd if any(not memory.excess(b.size) for memory in memories[:-1])]


def _solve_each(
    problem: Problem,
    roots: tuple[tuple[int, int], ...],
    home: Sequence[int],
    memories: tuple[Memory, ...],
    effort: Effort,
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
    problem: Problem, roots: tuple[tuple[int, int], ...], home: Sequence[int], memory: int, capacity: int | None
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
