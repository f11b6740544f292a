"""Whole tensors that live while a segment runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from byrote.ir import TensorId
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.footprint import Footprint


@dataclass(frozen=True)
class Company:
    """Around order[start:end]: `bytes` of whole tensors and sums, of which `written` grow and `dying` are consumed.

    `passing` are those that the segment neither writes nor consumes.
    """

    bytes: int
    passing: tuple[TensorId, ...]
    written: tuple[TensorId, ...]
    dying: tuple[TensorId, ...]


@dataclass(frozen=True)
class Bystanders:
    """What lives around each segment of an order, whatever its pace."""

    flow: Dataflow
    footprint: Footprint
    order: tuple[int, ...]
    keep_input: bool
    pushed: TensorId | None
    known: dict[tuple[int, int], Company] = field(default_factory=dict[tuple[int, int], Company])

    @cached_property
    def _span(self) -> dict[TensorId, tuple[int, int]]:
        """Per root the positions of its producer (-1: the caller) and of its last reader (beyond the end: lasting)."""
        flow = self.flow
        position = {node: index for index, node in enumerate(self.order)}
        born = {root: -1 for root in flow.inputs if root != self.pushed}
        born |= {tensor: position[node] for node in self.order for tensor in flow.graph.nodes[node].outputs}
        forever = len(self.order)
        return {
            root: (
                start,
                forever
                if root in flow.lasting or (self.keep_input and root in flow.inputs)
                else max((position[node] for node in flow.readers.get(root, ())), default=start),
            )
            for root, start in born.items()
        }

    def live_before(self, index: int) -> tuple[int, tuple[TensorId, ...]]:
        """Bytes of whole tensors that exist when order[index] begins, and which of them are not needed after it."""
        alive = [(root, last) for root, (born, last) in self._span.items() if born < index <= last]
        dying = tuple(root for root, last in alive if last == index)
        return sum(self.footprint.size(root) for root, _ in alive), dying

    def around(self, start: int, end: int) -> Company:
        """For order[start:end] run row by row."""
        if (start, end) not in self.known:
            self.known[start, end] = self._around(start, end)
        return self.known[start, end]

    def _around(self, start: int, end: int) -> Company:
        flow, footprint = self.flow, self.footprint
        before = [(root, last) for root, (born, last) in self._span.items() if born < start <= last]
        inside = self.order[start:end]
        accumulators = [node for node in inside if flow.accumulates(node)]
        finished = {tensor for node in accumulators for tensor in flow.graph.nodes[node].outputs}
        written = tuple(
            root
            for root, (born, last) in self._span.items()
            if start <= born < end and (last >= end or last == born) and root not in finished
        )
        total = sum(footprint.size(root) for root, _ in before) + sum(footprint.size(root) for root in written)
        total += sum(footprint.round_up(flow.selection.choice(node).lowered.state) for node in accumulators)
        dying = tuple(root for root, last in before if last < end)
        return Company(total, tuple(root for root, last in before if last >= end), written, dying)
