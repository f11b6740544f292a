"""Ownership replay: execute a schedule on an arena whose bytes remember what they hold.

Every byte of the emulated arena carries the name of the value that was written there last: (tensor, byte within it).
Each kernel call must find at every byte it reads exactly the byte that the program means, however memory is shared,
overlapped, slid or reused.  The checker knows operators by their access tables only and shares no code with the
scheduler, the liveness analysis or the planner; it is naive on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from byrote.ir import Access, Graph
from byrote.kernel import InPlace, Selection
from byrote.liveness import Homes
from byrote.schedule import Mode, Phase, Receive, Run, Schedule, Segment, Slide, Step

_GARBAGE = -1
_TENSOR = 1 << 40
_SUMS = 1 << 60


class ReplayError(AssertionError):
    """The schedule and the plan do not compute the model.  A fault of byrote, not of the user."""


@dataclass
class Replay:
    """State of the emulated machine.  `reads` counts the bytes that were checked.

    `memories`: where in the arena there is memory, start..end, if not everywhere; no access may leave one.
    """

    graph: Graph
    schedule: Schedule
    selection: Selection
    homes: Homes
    offsets: Sequence[int]
    height: int
    memories: Sequence[tuple[int, int]] = ()
    reads: int = 0
    arena: npt.NDArray[np.int64] = field(init=False)
    made: dict[int, int] = field(default_factory=dict[int, int])
    taken: dict[int, int] = field(default_factory=dict[int, int])
    owner: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self.arena = np.full(self.height, _GARBAGE, np.int64)
        self.owner = list(range(len(self.graph.tensors)))
        for node in self.graph.nodes:
            if node.op.is_view:
                self.owner[node.outputs[0]] = self.owner[node.inputs[0]]

    def run(self) -> int:
        """Replay one inference; return the number of bytes checked.  Raises ReplayError."""
        steps = [step for segment in self.schedule.segments for step in segment.steps]
        pushed = {self.owner[a.tensor] for step in steps for a in step.actions if isinstance(a, Receive)}
        for port in self.graph.inputs:
            if port.tensor in self.homes.whole and self.owner[port.tensor] not in pushed:
                self.write(port.tensor, 0, self.size(port.tensor), self.whole_address(port.tensor))
                self.made[self.owner[port.tensor]] = self.rows(port.tensor)
        for segment in self.schedule.segments:
            for step in segment.steps:
                for action in step.actions:
                    if isinstance(action, Slide):
                        self.slide(segment, action)
                    elif isinstance(action, Receive):
                        self.receive(segment, step, action)
                    else:
                        self.call(segment, step, action)
        self.check_end()
        return self.reads

    def check_end(self) -> None:
        for node, index in ((node, index) for index, node in enumerate(self.graph.nodes) if not node.op.is_view):
            for tensor in node.outputs:
                if tensor not in self.homes.whole:
                    continue
                missing = self.rows(tensor) - self.made.get(tensor, 0)
                self.require(not missing, f"node {index} leaves {missing} rows of tensor {tensor} unmade")
        for tensor in self.graph.output_ids:
            if tensor in self.homes.whole:
                self.read(tensor, 0, self.size(tensor), self.whole_address(tensor), "the caller")

    # Memory

    def row_size(self, tensor: int) -> int:
        return self.selection.storages[tensor].row_size(self.graph.tensors[tensor].type)

    def rows(self, tensor: int) -> int:
        return self.graph.tensors[tensor].type.rows

    def size(self, tensor: int) -> int:
        return self.rows(tensor) * self.row_size(tensor)

    def whole_address(self, tensor: int) -> int:
        return self.offsets[self.homes.whole[tensor]]

    def tags(self, tensor: int, start: int, end: int) -> npt.NDArray[np.int64]:
        """What bytes start..end of a tensor look like; a view's bytes are those of its owner."""
        return np.arange(start, end, dtype=np.int64) + self.owner[tensor] * _TENSOR

    def write(self, tensor: int, start: int, end: int, address: int) -> None:
        self.store(address, self.tags(tensor, start, end))

    def store(self, address: int, tags: npt.NDArray[np.int64]) -> None:
        self.require(self.within(address, address + len(tags)), f"store outside the arena at {address}")
        self.arena[address : address + len(tags)] = tags

    def within(self, start: int, end: int) -> bool:
        """All of it lies in one memory."""
        return any(low <= start and end <= high for low, high in self.memories or ((0, self.height),))

    def read(self, tensor: int, start: int, end: int, address: int, reader: str) -> None:
        found = self.arena[address : address + end - start]
        intact = self.within(address, address + end - start) and np.array_equal(found, self.tags(tensor, start, end))
        self.require(intact, f"{reader} reads bytes {start}..{end} of tensor {tensor} at {address}: not intact")
        self.reads += end - start

    @staticmethod
    def require(condition: bool, message: str) -> None:
        if not condition:
            raise ReplayError(message)

    def row_address(self, segment: Segment, step: Step, tensor: int, row: int) -> int:
        """Where a row lies now."""
        for stream, origin in zip(segment.streams, step.origins, strict=True):
            if self.owner[stream.tensor] != self.owner[tensor]:
                continue
            slot = row - origin
            self.require(0 <= slot < stream.kept + stream.fresh, f"row {row} of tensor {tensor} has no slot")
            if slot < stream.kept:
                return self.offsets[self.homes.kept[stream.tensor]] + slot * self.row_size(tensor)
            return self.offsets[self.homes.fresh[stream.tensor]] + (slot - stream.kept) * self.row_size(tensor)
        return self.whole_address(tensor) + row * self.row_size(tensor)

    def one_region(self, segment: Segment, step: Step, tensor: int, first: int, rows: int) -> None:
        """A call has one output pointer: its rows must be neighbours."""
        start = self.row_address(segment, step, tensor, first)
        last = self.row_address(segment, step, tensor, first + rows - 1)
        self.require(last - start == (rows - 1) * self.row_size(tensor), f"rows of tensor {tensor} are written apart")

    # Actions

    def slide(self, segment: Segment, slide: Slide) -> None:
        """Rows are copied one after the other, in ascending order."""
        stream = next(stream for stream in segment.streams if stream.tensor == slide.tensor)
        size = self.row_size(slide.tensor)
        kept = self.offsets[self.homes.kept[slide.tensor]]
        fresh = self.offsets[self.homes.fresh[slide.tensor]]
        within = slide.source_slot + slide.rows <= stream.kept + stream.fresh
        self.require(within and slide.target_slot + slide.rows <= stream.kept, "a slide leaves its slots")
        self.require(0 <= slide.target_slot < slide.source_slot, "a slide does not move down")
        for row in range(slide.rows):
            slot = slide.source_slot + row
            source = kept + slot * size if slot < stream.kept else fresh + (slot - stream.kept) * size
            self.store(kept + (slide.target_slot + row) * size, self.arena[source : source + size].copy())

    def receive(self, segment: Segment, step: Step, receive: Receive) -> None:
        """The caller's rows, in order."""
        owner = self.owner[receive.tensor]
        self.require(receive.first_row == self.made.get(owner, 0), "pushed rows are out of order")
        self.made[owner] = receive.first_row + receive.rows
        for row in range(receive.first_row, receive.first_row + receive.rows):
            self.write_row(segment, step, receive.tensor, row)

    def call(self, segment: Segment, step: Step, run: Run) -> None:
        chosen = self.selection.choice(run.node)
        if chosen.kernel.accumulates:
            self.accumulate(segment, step, run)
            return
        outputs = self.graph.nodes[run.node].outputs
        upward = segment.mode is Mode.WHOLE and len(segment.steps) > 1
        for tensor in outputs:
            made = self.made.get(tensor, 0)
            due = self.rows(tensor) - made - run.rows if upward else made
            self.require(run.first_row == due, f"node {run.node} makes row {run.first_row}, due is {due}")
            self.made[tensor] = made + run.rows
            self.one_region(segment, step, tensor, run.first_row, run.rows)
        order = chosen.kernel.in_place
        block = {InPlace.NEVER: run.rows, InPlace.ROWS: chosen.kernel.block, InPlace.ELEMENTS: 1}[order]
        end = run.first_row + run.rows
        for start in range(run.first_row, end, block):
            rows = range(start, min(start + block, end))
            if order is InPlace.ELEMENTS:
                self.row_by_elements(segment, step, run.node, start)
            else:
                self.block(segment, step, run.node, rows)

    def block(self, segment: Segment, step: Step, node: int, rows: range) -> None:
        """Reads may come before, between and after the writes of a block, and scratch is used all along."""
        outputs = self.graph.nodes[node].outputs
        self.clobber(node)
        self.read_rows(segment, step, node, rows)
        for tensor in outputs:
            for row in rows:
                self.write_row(segment, step, tensor, row)
        self.clobber(node)
        self.read_rows(segment, step, node, rows)
        for tensor in outputs:
            for row in rows:
                self.read_row(segment, step, tensor, row, f"node {node} after its call")

    def clobber(self, node: int) -> None:
        scratch = self.selection.choice(node).lowered.scratch
        if scratch:
            self.store(self.offsets[self.homes.scratch[node]], np.full(scratch, _GARBAGE, np.int64))

    def write_row(self, segment: Segment, step: Step, tensor: int, row: int) -> None:
        size = self.row_size(tensor)
        address = self.row_address(segment, step, tensor, row)
        self.write(tensor, row * size, (row + 1) * size, address)

    def read_row(self, segment: Segment, step: Step, tensor: int, row: int, reader: str) -> None:
        size = self.row_size(tensor)
        self.read(tensor, row * size, (row + 1) * size, self.row_address(segment, step, tensor, row), reader)

    def read_rows(self, segment: Segment, step: Step, node: int, rows: range) -> None:
        for tensor, access in self.accesses(node):
            needed = sorted({row for out in rows for row in range(access.first[out], access.end[out])})
            for row in needed:
                self.read_row(segment, step, tensor, row, f"node {node} for rows {rows.start}..{rows.stop}")

    def accesses(self, node: int) -> list[tuple[int, Access]]:
        """Inputs that lie in the arena, once for each output."""
        applied = self.graph.nodes[node]
        states = {state.read for state in self.graph.states}
        tables = applied.op.access(self.graph.types(applied.inputs), self.graph.types(applied.outputs))
        return [
            (tensor, access)
            for table in tables
            for tensor, access in zip(applied.inputs, table, strict=True)
            if access is not None and not self.graph.tensors[tensor].constant and self.owner[tensor] not in states
        ]

    def by_element(self, node: int, tensor: int, access: Access, row: int) -> bool:
        """Element i of the output row reads just element i of this input's same row."""
        output = self.graph.nodes[node].outputs[0]
        in_type, out_type = self.graph.tensors[tensor].type, self.graph.tensors[output].type
        return (
            in_type.row_size // in_type.dtype.size == out_type.row_size // out_type.dtype.size
            and access.channels is None
            and (access.first[row], access.end[row]) == (row, row + 1)
            and self.selection.storages[tensor] == self.selection.storages[output]
        )

    def row_by_elements(self, segment: Segment, step: Step, node: int, row: int) -> None:
        """For kernels that promise to go element by element; inputs that are read otherwise must survive the row."""
        output = self.graph.nodes[node].outputs[0]
        out_type = self.graph.tensors[output].type
        out_address = self.row_address(segment, step, output, row)
        out_element = out_type.dtype.size
        accesses = self.accesses(node)
        even = [tensor for tensor, access in accesses if self.by_element(node, tensor, access, row)]
        others = [(tensor, access) for tensor, access in accesses if not self.by_element(node, tensor, access, row)]
        reader = f"node {node} for row {row}"
        self.clobber(node)
        for element in range(out_type.row_size // out_element):
            for tensor in even:
                size = self.graph.tensors[tensor].type.dtype.size
                address = self.row_address(segment, step, tensor, row) + element * size
                start = row * self.row_size(tensor) + element * size
                self.read(tensor, start, start + size, address, f"{reader}, element {element}")
            start = row * self.row_size(output) + element * out_element
            self.write(output, start, start + out_element, out_address + element * out_element)
        for tensor, access in others:
            for needed in range(access.first[row], access.end[row]):
                self.read_row(segment, step, tensor, needed, reader)

    def accumulate(self, segment: Segment, step: Step, run: Run) -> None:
        """Sums are bytes like others: they must survive from call to call."""
        size = self.selection.choice(run.node).lowered.state
        sums = np.arange(size, dtype=np.int64) + _SUMS + run.node * _TENSOR
        address = self.offsets[self.homes.accumulator[run.node]] if size else 0
        if run.phase is not Phase.BEGIN:
            self.require(run.node in self.taken, f"node {run.node} was not begun")
            self.require(np.array_equal(self.arena[address : address + size], sums), f"node {run.node} lost its sums")
        if run.phase is Phase.BEGIN:
            self.taken[run.node] = 0
            self.store(address, sums)
        elif run.phase is Phase.RUN:
            self.take(segment, step, run)
            self.require(np.array_equal(self.arena[address : address + size], sums), f"node {run.node} lost its sums")
        else:
            self.finish(segment, step, run)

    def take(self, segment: Segment, step: Step, run: Run) -> None:
        taken = self.taken[run.node]
        self.require(run.first_row == taken, f"node {run.node} takes row {run.first_row}, due is {taken}")
        self.taken[run.node] = run.first_row + run.rows
        for _ in range(2):
            self.clobber(run.node)
            for tensor, _access in self.accesses(run.node):
                for row in range(run.first_row, run.first_row + run.rows):
                    self.read_row(segment, step, tensor, row, f"node {run.node} taking row {row}")

    def finish(self, segment: Segment, step: Step, run: Run) -> None:
        for tensor, access in self.accesses(run.node):
            taken = self.taken[run.node]
            self.require(taken == max(access.end), f"node {run.node} took {taken} rows of tensor {tensor}")
        for tensor in self.graph.nodes[run.node].outputs:
            for row in range(self.rows(tensor)):
                self.write_row(segment, step, tensor, row)
            self.made[tensor] = self.rows(tensor)


def replay(
    graph: Graph,
    schedule: Schedule,
    selection: Selection,
    homes: Homes,
    offsets: Sequence[int],
    height: int,
    memories: Sequence[tuple[int, int]] = (),
) -> int:
    """Check a placed schedule; return the number of bytes whose owner was checked.

    `offsets[i]` places buffer i of the problem that came with `homes`; `memories` as in Replay.
    Raises ReplayError at the first wrong byte.
    """
    return Replay(graph, schedule, selection, homes, offsets, height, memories).run()
