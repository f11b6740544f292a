"""Kernels, plan and memories together: the fastest that fits what there is.

What lies in one memory is planned as one arena.  Where the first, fastest memory cannot hold it all, the buffers are
distributed over all memories, those with the most accesses per byte in the fastest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from byrote.arrange import Arrangement
from byrote.costs.model import CostModel
from byrote.errors import user_error
from byrote.ir import Graph
from byrote.joint import choose
from byrote.kernel import Selection
from byrote.liveness import Homes, accesses
from byrote.options import CompileOptions
from byrote.plan import Arena, Effort, Memory, Plan, distribute
from byrote.schedule import Options, Schedule, settle
from byrote.select import Selected
from byrote.targets import Target

MOST_MEMORIES = 3
"""So that all arenas, and the input of a model that takes it row by row, are passed in registers."""

_STACK = 1024
"""Bytes of the first memory that buffers leave to the stack when they are distributed."""
_PROGRESS = 16
"""Bytes of the last memory that they leave to the progress of a pushed input."""
_EFFORT = Effort(iterations=300, nodes=500)


@dataclass(frozen=True)
class Fitted:
    """What was chosen.  `schedule` and `plan` are those of `arenas`, the parts of the plan's line of offsets."""

    selected: Selected
    arrangement: Arrangement
    schedule: Schedule
    plan: Plan
    arenas: tuple[Arena, ...]

    @property
    def selection(self) -> Selection:
        return self.selected.selection

    @property
    def homes(self) -> Homes:
        return self.arrangement.homes

    @property
    def excess(self) -> int:
        """Bytes that are too many for the memories."""
        return sum(arena.excess for arena in self.arenas)


def memories_of(options: CompileOptions, target: Target) -> tuple[Memory, ...]:
    """The RAM there is, the fastest first: the user's, or the target's.  Raises UserError."""
    if options.memories:
        return _checked(options.memories, target)
    own = target.ram_memories
    if options.ram is not None:
        return (Memory(own[0].name if own else "ram", options.ram),)
    if not own:
        return (Memory("ram"),)
    return _checked(tuple(Memory(memory.name, memory.size) for memory in own), target)


def _checked(memories: tuple[Memory, ...], target: Target) -> tuple[Memory, ...]:
    taken = {memory.name for memory in target.memories if memory not in target.ram_memories}
    if len(memories) > MOST_MEMORIES:
        raise user_error("--ram", f"{len(memories)} memories", f"at most {MOST_MEMORIES} can be used")
    for memory in memories:
        if memory.name in taken:
            raise user_error("--ram", f"'{memory.name}' is not RAM on {target.name}", "give it another name")
    return memories


def fit(
    graph: Graph,
    target: Target,
    options: CompileOptions,
    memories: Sequence[Memory],
    costs: CostModel,
    flash: int | None,
) -> Fitted:
    """The plan that serves the goal best and fits; with none that does, the one with the least excess.

    Raises CannotPushError as `arrange` does.
    """
    sizes = [memory.capacity for memory in memories if memory.capacity is not None]
    total = sum(sizes) if len(sizes) == len(memories) else None
    limit = total if options.memories else options.ram
    wishes = Options(options.goal, options.granularity, limit, options.keep_input, options.push_input)
    found = [_placed(memories, graph, *choose(graph, target, wishes, costs, flash))]
    while found[-1].excess and total is not None:
        height = found[-1].arrangement.plan.height
        if wishes.ram is not None and height > wishes.ram:
            break
        wishes = replace(wishes, ram=total if height > total else height * 7 // 8)
        found.append(_placed(memories, graph, *choose(graph, target, wishes, costs, flash)))
    return min(found, key=lambda fitted: fitted.excess)


def _placed(memories: Sequence[Memory], graph: Graph, selected: Selected, found: Arrangement) -> Fitted:
    """In the first memory if that holds it all, else distributed."""
    first = memories[0]
    if len(memories) == 1 or not first.excess(found.plan.height):
        arena = Arena(first, 0, found.plan.height)
        return Fitted(selected, found, found.schedule, found.plan, (arena,))
    reserves = (_STACK, *(0 for _ in memories[2:]), _PROGRESS)
    return Fitted(selected, found, *spread(graph, selected.selection, found, memories, reserves))


def spread(
    graph: Graph, selection: Selection, found: Arrangement, memories: Sequence[Memory], reserves: Sequence[int]
) -> tuple[Schedule, Plan, tuple[Arena, ...]]:
    """An arrangement over several memories, of which so many bytes each are left free, if that is possible."""
    usable = tuple(
        memory if memory.capacity is None else replace(memory, capacity=max(0, memory.capacity - reserve))
        for memory, reserve in zip(memories, reserves, strict=True)
    )
    weights = accesses(graph, found.drafted, selection, found.homes, len(found.problem.buffers))
    placement = distribute(found.problem, weights, usable, _EFFORT)
    plan, arenas = placement.line(memories, found.plan.lower_bound)
    schedule = settle(graph, found.drafted, selection, found.homes.addresses(plan.offsets))
    return schedule, plan, arenas
