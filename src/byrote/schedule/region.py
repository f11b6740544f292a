"""Nodes that might run together row by row: who feeds whom, and why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from byrote.ir import TensorId
from byrote.schedule.dataflow import Dataflow, Operand

CALLER = -1
"""Stands for the caller among the producers: he delivers the rows of a pushed input."""


@dataclass(frozen=True)
class Edge:
    """Node `reader` reads `root`, made by `producer` within the region (None: whole in memory before it starts).

    Row tables of the reader's rows; an accumulator's "rows" are the input rows that it takes.  `tensor` is `root` or a
    view of it.
    """

    producer: int | None
    root: TensorId
    tensor: TensorId
    reader: int
    start: tuple[int, ...]
    first: tuple[int, ...]
    end: tuple[int, ...]

    @cached_property
    def stride(self) -> Fraction | None:
        """Input rows that the window advances per output row; None when it does not advance evenly."""
        steps = [b - a for a, b in pairwise(self.start)]
        if not steps:
            return Fraction(max(self.end[0] - self.start[0], 1))
        if min(steps) == max(steps) > 0:
            return Fraction(steps[0])
        jumps = [index for index, step in enumerate(steps) if step]
        if len(jumps) < 2 or any(steps[index] != 1 for index in jumps):
            return None
        gaps = {b - a for a, b in pairwise(jumps)}
        return Fraction(1, gaps.pop()) if len(gaps) == 1 else None

    @cached_property
    def step(self) -> tuple[int, int]:
        """The stride as numerator and denominator."""
        assert self.stride is not None
        return self.stride.numerator, self.stride.denominator

    @cached_property
    def extent(self) -> int:
        """Rows of a window."""
        return max(end - start for start, end in zip(self.start, self.end, strict=True))

    def start_of(self, row: int) -> int:
        """Where the window of any row begins, far from all borders."""
        step, share = self.step
        return self.start[0] + row * step // share

    def end_after(self, rows: int) -> int:
        """Input rows that the first `rows` output rows need, far from all borders."""
        return self.start_of(rows - 1) + self.extent

    def ready(self, made: int) -> int:
        """Output rows that can be made of `made` input rows, far from all borders."""
        step, share = self.step
        return (made - self.extent - self.start[0]) * share // step + share


@dataclass(frozen=True)
class Region:
    """Called nodes, in order.  `pushed`: the input whose rows the caller delivers."""

    flow: Dataflow
    nodes: tuple[int, ...]
    pushed: TensorId | None = None

    @cached_property
    def producers(self) -> dict[TensorId, int]:
        """Who makes each root that comes into being in the region."""
        made = {tensor: node for node in self.nodes for tensor in self.flow.graph.nodes[node].outputs}
        return made if self.pushed is None else {self.pushed: CALLER, **made}

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(edge for node in self.nodes for edge in edges_of(self.flow, self.producers, node))

    @cached_property
    def readers(self) -> dict[TensorId, tuple[Edge, ...]]:
        """Edges within the region, per root that it makes."""
        found: dict[TensorId, tuple[Edge, ...]] = {}
        for edge in self.edges:
            if edge.producer is not None:
                found[edge.root] = (*found.get(edge.root, ()), edge)
        return found

    @cached_property
    def streams(self) -> tuple[TensorId, ...]:
        """Roots that exist as rows only: all their readers are in the region."""
        inside = set(self.nodes)
        return tuple(
            root
            for root, producer in self.producers.items()
            if root in self.readers
            and root not in self.flow.lasting
            and inside.issuperset(self.flow.readers[root])
            and (producer == CALLER or not self.flow.accumulates(producer))
        )

    def rows(self, node: int) -> int:
        """Rows that a node makes, or takes if it accumulates."""
        if node == CALLER:
            assert self.pushed is not None
            return self.flow.rows(self.row_view(self.pushed))
        if self.flow.accumulates(node):
            return max(operand.access.end[-1] for operand in self.flow.operands[node])
        return self.flow.rows(self.flow.graph.nodes[node].outputs[0])

    def row_view(self, root: TensorId) -> TensorId:
        """The tensor whose rows count: the view that readers in the region use."""
        tensors = [operand.tensor for node in self.nodes for operand in self.flow.operands[node]]
        return next((tensor for tensor in tensors if self.flow.root[tensor] == root), root)

    def obstacle(self) -> str | None:
        """Why the nodes cannot run row by row together, as a sentence; None if they can."""
        for node in self.nodes:
            if not self.flow.selection.choice(node).kernel.streams:
                return f"the kernel of node {node} makes only whole tensors"
            if len({self.flow.rows(tensor) for tensor in self.flow.graph.nodes[node].outputs}) > 1:
                return f"the outputs of node {node} have different numbers of rows"
            if self.flow.accumulates(node) and len(self.flow.operands[node]) != 1:
                return f"node {node} accumulates several inputs"
        for edge in self.edges:
            if edge.stride is None and edge.producer is not None:
                return f"node {edge.reader} does not advance evenly over its input"
            if edge.producer not in (None, CALLER) and self.flow.accumulates(edge.producer or 0):
                return f"node {edge.reader} needs the result of an accumulator"
        return self._view_obstacle()

    def _view_obstacle(self) -> str | None:
        for node in self.nodes:
            for operand in self.flow.operands[node]:
                root = self.flow.root[operand.tensor]
                if root not in self.producers:
                    continue
                expected = self.row_view(root) if root == self.pushed else root
                if self.flow.rows(operand.tensor) != self.flow.rows(expected):
                    return f"node {node} sees other rows than its producer makes"
        return None


def edges_of(flow: Dataflow, producers: Mapping[TensorId, int], node: int) -> tuple[Edge, ...]:
    """The edges into a node, one per computed input (and output)."""
    return tuple(
        _edge(flow, producers.get(root), root, node, operand)
        for operand in flow.operands[node]
        if (root := flow.root[operand.tensor]) is not None
    )


def _edge(flow: Dataflow, producer: int | None, root: TensorId, node: int, operand: Operand) -> Edge:
    access = operand.access
    if not flow.accumulates(node):
        return Edge(producer, root, operand.tensor, node, access.start, access.first, access.end)
    taken = tuple(range(access.end[-1]))
    return Edge(producer, root, operand.tensor, node, taken, taken, tuple(row + 1 for row in taken))
