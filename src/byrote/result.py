"""Everything that a compilation found out: what reports print and verification checks."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.arrange import SegmentCost
from byrote.costs.inference import InferenceCost
from byrote.emit import Program
from byrote.ir import Graph
from byrote.kernel import Selection
from byrote.liveness import Homes
from byrote.options import CompileOptions
from byrote.passes import Edges, PassRecord
from byrote.plan import Arena, Memory, Plan, Problem
from byrote.schedule import Schedule
from byrote.select import PassedOver
from byrote.targets import Target


@dataclass(frozen=True)
class Result:
    """A compiled model.  `source` is the graph as imported, less the conversions at its `edges`
    that are left to the caller; `graph` is the one that was scheduled.

    `memories`: the RAM there is, the fastest first.  `arenas`: the parts of the plan's line of offsets, in the same
    order; more than one only if the first memory cannot hold it all.
    """

    name: str
    options: CompileOptions
    target: Target
    source: Graph
    edges: Edges
    graph: Graph
    passes: tuple[PassRecord, ...]
    selection: Selection
    passed_over: tuple[tuple[PassedOver, ...], ...]
    schedule: Schedule
    segments: tuple[SegmentCost, ...]
    problem: Problem
    homes: Homes
    plan: Plan
    memories: tuple[Memory, ...]
    arenas: tuple[Arena, ...]
    program: Program
    cost: InferenceCost
    warnings: tuple[str, ...]

    @property
    def state(self) -> int:
        """Bytes that survive from one inference to the next."""
        return sum(len(state.initial) for state in self.graph.states)

    @property
    def ram_limit(self) -> int | None:
        """Bytes of RAM there are in all memories, None for a target without limit."""
        sizes = [memory.capacity for memory in self.memories if memory.capacity is not None]
        return sum(sizes) if len(sizes) == len(self.memories) else None

    @property
    def flash_limit(self) -> int | None:
        """Bytes of flash there are."""
        return self.options.flash if self.options.flash is not None else self.target.flash

    @property
    def in_memories(self) -> tuple[int, ...]:
        """Bytes that the arenas take in each memory, state included."""
        used = dict.fromkeys((memory.name for memory in self.memories), 0)
        used[self.memories[0].name] = self.state
        for arena, size in zip(self.arenas, self.program.arena_sizes, strict=True):
            used[arena.memory.name] += size
        return tuple(used.values())

    @property
    def ram_excess(self) -> int:
        """Bytes of arenas and state that are too many for the memories."""
        return sum(m.excess(used) for m, used in zip(self.memories, self.in_memories, strict=True))

    @property
    def flash_excess(self) -> int:
        """Bytes of constants that are too many for the flash."""
        return 0 if self.flash_limit is None else max(0, self.program.weight_bytes - self.flash_limit)

    @property
    def fits(self) -> bool:
        """Arenas and state against RAM, constants against flash; code and stack are known only after building."""
        return not self.ram_excess and not self.flash_excess
