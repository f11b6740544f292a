"""Which bytes of each buffer matter during each call of a row segment, and so which buffers may overlap.

All buffers of a row segment are alive in every step, but not all their bytes matter all the time: an input's rows are
consumed from the first on, an output grows, kept rows of late nodes are still empty at first and those of early nodes
no longer needed in the end.  The calls ("events") are walked one by one, exactly; two buffers may overlap where at no
event the bytes in use of the lower one reach those of the upper one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from byrote.ir import TensorId
from byrote.kernel import InPlace
from byrote.liveness.homes import Homes
from byrote.liveness.touches import (
    FAR,
    NOTHING,
    Span,
    Touch,
    events_of,
    lowest_later,
    stream_touches,
    whole_touches,
)
from byrote.plan import Buffer, Overlap
from byrote.schedule import Dataflow, Phase, Run, Segment, Step
from byrote.schedule.dataflow import Operand


@dataclass(frozen=True)
class Extent:
    """Whole tensors (roots) that a segment writes, and those that it reads for the last time."""

    written: frozenset[TensorId]
    ending: frozenset[TensorId]


def row_overlaps(
    flow: Dataflow, segment: Segment, homes: Homes, buffers: Sequence[Buffer], extent: Extent
) -> Iterator[Overlap]:
    """All overlaps between buffers of a row segment."""
    film = _Film(flow, segment, homes)
    film.expose(extent)
    refined = film.refine()
    indices = sorted(film.tracks)
    starts = np.array([film.tracks[index].starts for index in indices])
    for low in indices:
        gaps = (film.tracks[low].ends - starts).max(axis=1)
        for column, high in enumerate(indices):
            if low == high or not _meet(buffers[low], buffers[high]):
                continue
            gap = refined.get((low, high), int(gaps[column]))
            if gap < buffers[low].size:
                yield Overlap(low, high, max(gap, -buffers[high].size))


def _meet(a: Buffer, b: Buffer) -> bool:
    return a.start < b.end and b.start < a.end


@dataclass
class _Track:
    """Bytes in use of one buffer: `starts`..`ends` during each event; what rests before and after events that touch."""

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    before: dict[int, Span] = field(default_factory=dict[int, Span])
    after: dict[int, Span] = field(default_factory=dict[int, Span])

    def include(self, event: int, span: Span) -> None:
        if span[0] < span[1]:
            self.starts[event] = min(self.starts[event], span[0])
            self.ends[event] = max(self.ends[event], span[1])


@dataclass
class _Film:
    """The tracks of all buffers of a segment."""

    flow: Dataflow
    segment: Segment
    homes: Homes
    tracks: dict[int, _Track] = field(default_factory=dict[int, _Track])

    def __post_init__(self) -> None:
        self.events, self.touching = events_of(self.flow, self.segment)

    def expose(self, extent: Extent) -> None:
        """Walk all events once per tensor."""
        for index in range(len(self.segment.streams)):
            self._stream(index)
        for root in extent.written:
            touches = whole_touches(self.flow, root, self.touching.get(root, ()))
            self._fill(self.homes.whole[root], touches, [0] * len(touches), lambda first, end, _: (first, end))
        for root in extent.ending:
            size = self.flow.size(root)
            entry = Touch(-1, 0, size, writes=True)
            touches = [entry, *whole_touches(self.flow, root, self.touching.get(root, ()))]
            self._fill(self.homes.whole[root], touches, lowest_later(touches), _place_up_to(size))
        for node in self.segment.nodes:
            self._node(node)

    def _track(self, buffer: int) -> _Track:
        count = len(self.events)
        self.tracks[buffer] = _Track(np.full(count, FAR), np.full(count, -FAR))
        return self.tracks[buffer]

    def _stream(self, index: int) -> None:
        stream = self.segment.streams[index]
        size = self.flow.row_size(stream.tensor)
        root = self.flow.root[stream.tensor]
        assert root is not None
        touches = stream_touches(self.flow, root, index, self.touching[root])
        later = lowest_later(touches)
        slots = stream.kept + stream.fresh
        self._fill(self.homes.fresh[stream.tensor], touches, later, _slot_place(stream.kept, slots, size))
        if stream.kept:
            self._fill(self.homes.kept[stream.tensor], touches, later, _slot_place(0, stream.kept, size))

    def _fill(self, buffer: int, touches: Sequence[Touch], later: Sequence[int], place: _Place) -> None:
        """What is touched, and what rests before, after and until the next touch because it is read later."""
        track = self._track(buffer)
        made = 0
        rest = NOTHING
        for index, touch in enumerate(touches):
            made = max(made, touch.end) if touch.writes else made
            before = rest
            rest = place(later[index], made, touch.new_origin)
            until = touches[index + 1].event if index + 1 < len(touches) else len(self.events)
            if touch.event >= 0:
                track.before.setdefault(touch.event, before)
                track.after[touch.event] = rest
                for span in (before, place(touch.first, touch.end, touch.origin), rest):
                    track.include(touch.event, span)
            if rest[0] < rest[1]:
                track.starts[touch.event + 1 : until] = rest[0]
                track.ends[touch.event + 1 : until] = rest[1]

    def _node(self, node: int) -> None:
        """Scratch is in use while the node runs, sums from begin to finish."""
        lowered = self.flow.selection.choices[node]
        if lowered is None or (node not in self.homes.scratch and node not in self.homes.accumulator):
            return
        runs = [
            (event, action.phase) for event, _, action in self.events if isinstance(action, Run) and action.node == node
        ]
        if node in self.homes.scratch:
            track = self._track(self.homes.scratch[node])
            for event in (event for event, phase in runs if phase is Phase.RUN):
                track.include(event, (0, lowered.lowered.scratch))
        if node in self.homes.accumulator:
            track = self._track(self.homes.accumulator[node])
            track.starts[runs[0][0] : runs[-1][0] + 1] = 0
            track.ends[runs[0][0] : runs[-1][0] + 1] = lowered.lowered.state

    # Within a call

    def refine(self) -> dict[tuple[int, int], int]:
        """Distances of outputs and inputs of the same calls, with what the kernels promise about their order."""
        gaps: dict[tuple[int, int], dict[int, int]] = {}
        for event, step, action in self.events:
            if not isinstance(action, Run) or action.phase is not Phase.RUN or self.flow.accumulates(action.node):
                continue
            kernel = self.flow.selection.choice(action.node).kernel
            orderly = kernel.in_place is InPlace.ELEMENTS or (
                kernel.in_place is InPlace.ROWS and action.rows > kernel.block
            )
            if not orderly:
                continue
            for output in self.flow.graph.nodes[action.node].outputs:
                self._refine_output(event, step, action, output, gaps)
        result: dict[tuple[int, int], int] = {}
        for (low, high), known in gaps.items():
            gap = self.tracks[low].ends - self.tracks[high].starts
            for event, value in known.items():
                gap[event] = value
            result[low, high] = int(gap.max())
        return result

    def _refine_output(
        self, event: int, step: Step, run: Run, output: TensorId, gaps: dict[tuple[int, int], dict[int, int]]
    ) -> None:
        low, written = self._home(step, output, run.first_row)
        if low not in self.tracks:
            return
        for root in self.flow.roots_read(run.node):
            operands = [operand for operand in self.flow.operands[run.node] if self.flow.root[operand.tensor] == root]
            for high in self._buffers(root):
                if high in self.tracks and high != low:
                    gap = self._call_gap(event, step, run, (low, written, output), (high, operands))
                    gaps.setdefault((low, high), {})[event] = gap

    def _call_gap(
        self,
        event: int,
        step: Step,
        run: Run,
        target: tuple[int, int, TensorId],
        source: tuple[int, Sequence[Operand]],
    ) -> int:
        """How far the bytes in use of the output's buffer reach above the input bytes needed at the same moment."""
        low, written, output = target
        high, operands = source
        resting = self.tracks[low].before.get(event, NOTHING)[1]
        needed = self.tracks[high].after.get(event, NOTHING)[0]
        gap = -FAR
        for end, required in self._moments(step, run, output, high, operands):
            if end is not None:
                gap = max(gap, max(resting, written + end) - needed)
            needed = min(needed, required)
        return max(gap, resting - needed)

    def _moments(
        self, step: Step, run: Run, output: TensorId, high: int, operands: Sequence[Operand]
    ) -> Iterator[tuple[int | None, int]]:
        """Backwards in time: bytes of this call's output that are written, bytes of `high` required before that."""
        kernel = self.flow.selection.choice(run.node).kernel
        row_size = self.flow.row_size(output)
        if kernel.in_place is InPlace.ELEMENTS and all(self.flow.elementwise(run.node, o, output) for o in operands):
            yield from self._element_moments(step, run, output, high, operands)
            return
        block = 1 if kernel.in_place is InPlace.ELEMENTS else kernel.block
        last = run.first_row + run.rows
        for start in reversed(range(run.first_row, last, block)):
            required = [
                self._lowest(step, operand, high, operand.access.first[start], operand.access.end[last - 1])
                for operand in operands
            ]
            end = (min(start + block, last) - run.first_row) * row_size
            yield None, min(required)
            yield end, FAR

    def _element_moments(
        self, step: Step, run: Run, output: TensorId, high: int, operands: Sequence[Operand]
    ) -> Iterator[tuple[int | None, int]]:
        types = self.flow.graph.tensors
        row_size = self.flow.row_size(output)
        element = types[output].type.dtype.size
        count = types[output].type.row_size // element
        for row in reversed(range(run.first_row, run.first_row + run.rows)):
            base = (row - run.first_row) * row_size
            starts = [(self._lowest(step, o, high, row, row + 1), types[o.tensor].type.dtype.size) for o in operands]
            yield base + count * element, FAR
            yield None, min(start + (count - 1) * size for start, size in starts)
            if count > 1:
                yield None, min(start + size for start, size in starts)
                yield base + element, FAR
            yield None, min(start for start, _ in starts)

    # Where rows lie

    def _home(self, step: Step, tensor: TensorId, row: int) -> tuple[int, int]:
        """Buffer and byte offset of a row, before anything slides in this step."""
        root = self.flow.root[tensor]
        size = self.flow.row_size(tensor)
        for stream, origin in zip(self.segment.streams, step.origins, strict=True):
            if self.flow.root[stream.tensor] != root:
                continue
            slot = row - origin
            if slot < stream.kept:
                return self.homes.kept[stream.tensor], slot * size
            return self.homes.fresh[stream.tensor], (slot - stream.kept) * size
        assert root is not None
        return self.homes.whole.get(root, -1), row * size

    def _buffers(self, root: TensorId) -> list[int]:
        for stream in self.segment.streams:
            if self.flow.root[stream.tensor] == root:
                homes = [self.homes.kept.get(stream.tensor), self.homes.fresh[stream.tensor]]
                return [home for home in homes if home is not None]
        return [self.homes.whole[root]] if root in self.homes.whole else []

    def _lowest(self, step: Step, operand: Operand, high: int, first: int, end: int) -> int:
        """Lowest byte in buffer `high` of the operand's rows first..end; FAR if none of them lies there."""
        for row in range(first, end):
            buffer, offset = self._home(step, operand.tensor, row)
            if buffer == high:
                return offset
        return FAR


_Place = Callable[[int, int, int], Span]
"""(first, end, origin) to bytes."""


def _place_up_to(size: int) -> _Place:
    """Bytes from the first needed one to the end of a tensor."""

    def place(first: int, end: int, origin: int) -> Span:
        del origin
        return (first, size) if first < end else NOTHING

    return place


def _slot_place(low: int, high: int, size: int) -> _Place:
    """Bytes of rows in the slots low..high."""

    def place(first: int, end: int, origin: int) -> Span:
        start, stop = max(first - origin, low), min(end - origin, high)
        return ((start - low) * size, (stop - low) * size) if start < stop else NOTHING

    return place
