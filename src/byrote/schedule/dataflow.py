"""What scheduling must know of a graph, computed once: who reads which rows of which memory, and how large things are.

Views share the bytes of their first input; a tensor's `root` is the tensor that owns them.  Constants and state are not
in the arena and have no root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from byrote.ir import Access, Graph, TensorId
from byrote.kernel import InPlace, Selection


@dataclass(frozen=True)
class Operand:
    """A computed input of a node: the rows of `tensor` that the rows of the node's outputs read."""

    tensor: TensorId
    access: Access


@dataclass(frozen=True)
class Dataflow:
    """A graph with its kernels and storages."""

    graph: Graph
    selection: Selection

    @cached_property
    def root(self) -> tuple[TensorId | None, ...]:
        """Per tensor the owner of its bytes."""
        states = {state.read for state in self.graph.states}
        roots: list[TensorId | None] = [
            None if tensor.constant or index in states else index for index, tensor in enumerate(self.graph.tensors)
        ]
        for node in self.graph.nodes:
            if node.op.is_view:
                roots[node.outputs[0]] = roots[node.inputs[0]]
        return tuple(roots)

    @cached_property
    def operands(self) -> tuple[tuple[Operand, ...], ...]:
        """Per node its computed inputs, one for each output and input; none for views."""
        return tuple(self._operands(index) for index in range(len(self.graph.nodes)))

    def _operands(self, index: int) -> tuple[Operand, ...]:
        node = self.graph.nodes[index]
        if node.op.is_view:
            return ()
        tables = node.op.access(self.graph.types(node.inputs), self.graph.types(node.outputs))
        return tuple(
            Operand(tensor, access)
            for per_input in tables
            for tensor, access in zip(node.inputs, per_input, strict=True)
            if access is not None and not self.graph.tensors[tensor].constant
        )

    @cached_property
    def calls(self) -> tuple[int, ...]:
        """Nodes that are called, in the model's order."""
        return tuple(index for index, node in enumerate(self.graph.nodes) if not node.op.is_view)

    @cached_property
    def readers(self) -> dict[TensorId, tuple[int, ...]]:
        """Per root the nodes that read any view of it."""
        found: dict[TensorId, list[int]] = {}
        for index in self.calls:
            for root in self.roots_read(index):
                found.setdefault(root, []).append(index)
        return {root: tuple(nodes) for root, nodes in found.items()}

    def roots_read(self, node: int) -> tuple[TensorId, ...]:
        """Roots that a node reads, each once."""
        return self._roots_read[node]

    @cached_property
    def _roots_read(self) -> tuple[tuple[TensorId, ...], ...]:
        read = ((self.root[operand.tensor] for operand in operands) for operands in self.operands)
        return tuple(tuple(dict.fromkeys(root for root in roots if root is not None)) for roots in read)

    @cached_property
    def inputs(self) -> tuple[TensorId, ...]:
        """Roots that the caller writes, each once."""
        roots = (self.root[port.tensor] for port in self.graph.inputs)
        return tuple(dict.fromkeys(root for root in roots if root is not None))

    @cached_property
    def lasting(self) -> frozenset[TensorId]:
        """Roots that must be intact when the inference ends."""
        roots = (self.root[tensor] for tensor in self.graph.output_ids)
        return frozenset(root for root in roots if root is not None)

    @cached_property
    def _rows(self) -> tuple[int, ...]:
        return tuple(tensor.type.rows for tensor in self.graph.tensors)

    def rows(self, tensor: TensorId) -> int:
        return self._rows[tensor]

    @cached_property
    def _row_sizes(self) -> tuple[int, ...]:
        return tuple(
            storage.row_size(tensor.type)
            for storage, tensor in zip(self.selection.storages, self.graph.tensors, strict=True)
        )

    def row_size(self, tensor: TensorId) -> int:
        """Bytes from row to row, as stored."""
        return self._row_sizes[tensor]

    def size(self, tensor: TensorId) -> int:
        """Bytes of the whole tensor, as stored."""
        return self.row_size(tensor) * self.rows(tensor)

    @cached_property
    def overread(self) -> dict[TensorId, int]:
        """Per root the most bytes that a reader may touch after the last row."""
        most: dict[TensorId, int] = {}
        for index in self.calls:
            for root in self.roots_read(index):
                most[root] = max(most.get(root, 0), self.selection.choice(index).lowered.overread)
        return most

    def accumulates(self, node: int) -> bool:
        """The node takes rows as they come, with one function before the first and one after the last."""
        chosen = self.selection.choices[node]
        return chosen is not None and chosen.kernel.accumulates

    def elementwise(self, node: int, operand: Operand, output: TensorId) -> bool:
        """The kernel reads element i of this operand before it writes element i, and both lie in the same order."""
        storages = self.selection.storages
        rows = self.rows(output)
        return (
            self.selection.choice(node).kernel.in_place is InPlace.ELEMENTS
            and operand.access.channels is None
            and operand.access.first == tuple(range(rows))
            and operand.access.end == tuple(range(1, rows + 1))
            and storages[operand.tensor] == storages[output]
            and self.graph.tensors[operand.tensor].type.elements == self.graph.tensors[output].type.elements
        )
