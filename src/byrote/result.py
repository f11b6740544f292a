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
from byrote.plan import Plan, Problem
from byrote.schedule import Schedule
from byrote.select import PassedOver
from byrote.targets import Target


@dataclass(frozen=True)
class Result:
    """A compiled model.  `source` is the graph as imported, less the conversions at its `edges`
    that are left to the caller; `graph` is the one that was scheduled."""

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
    program: Program
    cost: InferenceCost
    warnings: tuple[str, ...]

    @property
    def state(self) -> int:
        """Bytes that survive from one inference to the next."""
        return sum(len(state.initial) for state in self.graph.states)

    @property
    def ram_limit(self) -> int | None:
        """Bytes of RAM there are, None for a target without limit."""
        return self.options.ram if self.options.ram is not None else self.target.ram

    @property
    def flash_limit(self) -> int | None:
        """Bytes of flash there are."""
        return self.options.flash if self.options.flash is not None else self.target.flash

    @property
    def fits(self) -> bool:
        """Arena and state against RAM, constants against flash; code and stack are known only after building."""
        ram, flash = self.ram_limit, self.flash_limit
        return (ram is None or self.program.arena_size + self.state <= ram) and (
            flash is None or self.program.weight_bytes <= flash
        )
