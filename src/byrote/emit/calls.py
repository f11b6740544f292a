"""Every kernel call of an inference with its addresses: the schedule and the plan put together.

Addresses are byte offsets in the arena, or on the line of several arenas (see plan/memories.py).  Nothing here prints;
nothing here knows an operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from byrote.ir import Access, Graph, TensorId
from byrote.kernel import Selection
from byrote.liveness import Homes
from byrote.schedule import Phase, Receive, Run, Schedule, Segment, Slide, Step


@dataclass(frozen=True)
class Window:
    """The compile-time members of a `struct rows`."""

    held: int
    top: int
    first: int
    end: int


@dataclass(frozen=True)
class Source:
    """A computed input of a call: its window and the addresses of kept and fresh rows (equal where nothing is kept)."""

    window: Window
    kept: int
    fresh: int


@dataclass(frozen=True)
class KernelCall:
    """A call of a node's kernel.  `output` is the address of the first row written, or of the accumulator."""

    node: int
    phase: Phase
    sources: tuple[Source, ...]
    outputs: tuple[int, ...]
    accumulator: int | None
    scratch: int | None
    rows: int
    written: tuple[tuple[TensorId, int, int], ...]
    """(tensor, first row, rows) now complete, for tracing."""


@dataclass(frozen=True)
class Move:
    """`size` bytes move down (ascending copy) or to a disjoint place."""

    target: int
    source: int
    size: int


@dataclass(frozen=True)
class Delivery:
    """`size` bytes come from the caller, the next rows of a pushed input."""

    target: int
    size: int


Call = KernelCall | Move | Delivery


@dataclass(frozen=True)
class Stretch:
    """A segment as the calls of each of its steps."""

    segment: Segment
    steps: tuple[tuple[Call, ...], ...]


@dataclass(frozen=True)
class Addressing:
    """Turns actions into calls."""

    graph: Graph
    selection: Selection
    homes: Homes
    offsets: Sequence[int]

    def stretches(self, schedule: Schedule) -> tuple[Stretch, ...]:
        return tuple(
            Stretch(segment, tuple(self._step(segment, step) for step in segment.steps))
            for segment in schedule.segments
        )

    def address(self, home: Mapping[int, int], key: int) -> int:
        return self.offsets[home[key]]

    @cached_property
    def _roots(self) -> tuple[TensorId, ...]:
        roots = list(range(len(self.graph.tensors)))
        for node in self.graph.nodes:
            if node.op.is_view:
                roots[node.outputs[0]] = roots[node.inputs[0]]
        return tuple(roots)

    def root(self, tensor: TensorId) -> TensorId:
        """The tensor whose bytes these are."""
        return self._roots[tensor]

    def row_size(self, tensor: TensorId) -> int:
        return self.selection.storages[tensor].row_size(self.graph.tensors[tensor].type)

    def _step(self, segment: Segment, step: Step) -> tuple[Call, ...]:
        place = _Place(self, segment, step)
        calls: list[Call] = []
        for action in step.actions:
            if isinstance(action, Slide):
                calls += place.slide(action)
            elif isinstance(action, Receive):
                calls.append(place.receive(action))
            else:
                calls.append(place.run(action))
        return tuple(calls)


@dataclass(frozen=True)
class _Lane:
    """A stream during one step: its tensor, kept slots, and the row in slot 0."""

    tensor: TensorId
    kept: int
    origin: int


@dataclass(frozen=True)
class _Place:
    """Where the rows of tensors lie during one step."""

    outer: Addressing
    segment: Segment
    step: Step

    def _stream(self, tensor: TensorId) -> _Lane | None:
        """The stream of a tensor that exists as rows here."""
        root = self.outer.root(tensor)
        for stream, origin in zip(self.segment.streams, self.step.origins, strict=True):
            if self.outer.root(stream.tensor) == root:
                return _Lane(stream.tensor, stream.kept, origin)
        return None

    def run(self, action: Run) -> KernelCall:
        outer = self.outer
        node = outer.graph.nodes[action.node]
        lowered = outer.selection.choice(action.node).lowered
        homes = outer.homes
        reads = action.phase is Phase.RUN
        accumulates = outer.selection.choice(action.node).kernel.accumulates
        writes = action.phase is Phase.FINISH or (reads and not accumulates)
        accesses = node.op.access(outer.graph.types(node.inputs), outer.graph.types(node.outputs))[0]
        sources = tuple(
            self.source(node.inputs[i], accesses[i], action, accumulates) for i in lowered.operands if reads
        )
        first = outer.graph.tensors[node.outputs[0]].type.rows
        complete = accumulates or (action.first_row == 0 and action.rows == first)
        rows = {
            t: (0, outer.graph.tensors[t].type.rows) if complete else (action.first_row, action.rows)
            for t in node.outputs
        }
        return KernelCall(
            action.node,
            action.phase,
            sources,
            tuple(self.target(t, rows[t][0]) for t in node.outputs) if writes else (),
            outer.address(homes.accumulator, action.node) if accumulates else None,
            outer.address(homes.scratch, action.node) if reads and action.node in homes.scratch else None,
            action.rows,
            tuple((t, *rows[t]) for t in node.outputs) if writes else (),
        )

    def target(self, tensor: TensorId, row: int) -> int:
        """Address of a row that is written."""
        size = self.outer.row_size(tensor)
        stream = self._stream(tensor)
        if stream is None:
            return self.outer.address(self.outer.homes.whole, tensor) + row * size
        return self.slot(stream, row - stream.origin)

    def slot(self, lane: _Lane, slot: int) -> int:
        """Address of a slot."""
        size = self.outer.row_size(lane.tensor)
        if slot < lane.kept:
            return self.outer.address(self.outer.homes.kept, lane.tensor) + slot * size
        return self.outer.address(self.outer.homes.fresh, lane.tensor) + (slot - lane.kept) * size

    def source(self, tensor: TensorId, access: Access | None, action: Run, accumulates: bool) -> Source:
        """Where a call finds the rows of an input."""
        assert access is not None
        last = action.first_row + action.rows - 1
        if accumulates:
            start, first, end = action.first_row, action.first_row, last + 1
        else:
            start, first, end = access.start[action.first_row], access.first[action.first_row], access.end[last]
        stream = self._stream(tensor)
        if stream is None:
            base = self.outer.address(self.outer.homes.whole, tensor) + first * self.outer.row_size(tensor)
            return Source(Window(0, start - first, 0, end - first), base, base)
        kept, origin = stream.kept, stream.origin
        fresh = self.outer.address(self.outer.homes.fresh, stream.tensor)
        held = self.outer.address(self.outer.homes.kept, stream.tensor) if kept else fresh
        return Source(Window(kept, start - origin, first - origin, end - origin), held, fresh)

    def slide(self, action: Slide) -> list[Move]:
        """The moves of one slide: slots that lie in the kept part, then those that lie in the fresh part."""
        lane = self._stream(action.tensor)
        assert lane is not None
        size = self.outer.row_size(action.tensor)
        inside = min(max(lane.kept - action.source_slot, 0), action.rows)
        moves: list[Move] = []
        for start, rows in ((0, inside), (inside, action.rows - inside)):
            if rows:
                target = self.slot(lane, action.target_slot + start)
                moves.append(Move(target, self.slot(lane, action.source_slot + start), rows * size))
        return moves

    def receive(self, action: Receive) -> Delivery:
        """Where the caller's rows go."""
        return Delivery(self.target(action.tensor, action.first_row), action.rows * self.outer.row_size(action.tensor))
