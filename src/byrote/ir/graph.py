"""The program as flat static single assignment: every tensor is written once, nodes are in executable order.

Everything is immutable; a pass builds a new Graph.  A tensor's id is its index in `Graph.tensors`, and ids stay valid
from pass to pass (dead tensors remain listed until `compact`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from byrote.ir.op import Array, Op
from byrote.ir.types import TensorType

TensorId = int


@dataclass(frozen=True)
class Origin:
    """Where something came from in the user's file: names a first difference in the user's terms.

    `channel_map[c]` is the original channel that channel c now holds, where channels were sorted or removed.
    """

    index: int
    name: str
    channel_map: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Tensor:
    """A value: a constant when `data` is set."""

    type: TensorType
    origin: Origin
    data: Array | None = field(default=None, compare=False, repr=False)

    @property
    def constant(self) -> bool:
        return self.data is not None


@dataclass(frozen=True)
class Node:
    """One application of an operator."""

    op: Op
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    origin: Origin


@dataclass(frozen=True)
class Port:
    """An input or output of the model: the interface keeps its own name and type, whatever passes do inside."""

    tensor: TensorId
    name: str
    type: TensorType


@dataclass(frozen=True)
class State:
    """A value carried from one inference to the next: read at the start, written at the end, `initial` at reset."""

    read: TensorId
    written: TensorId
    initial: bytes


@dataclass(frozen=True)
class Graph:
    """A model."""

    name: str
    nodes: tuple[Node, ...]
    tensors: tuple[Tensor, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    states: tuple[State, ...] = ()
    warnings: tuple[str, ...] = ()
    """What the user should know about the file, although it is legal."""

    @cached_property
    def producer(self) -> dict[TensorId, int]:
        """Index of the node that writes a tensor."""
        return {tensor: index for index, node in enumerate(self.nodes) for tensor in node.outputs}

    @cached_property
    def consumers(self) -> dict[TensorId, tuple[int, ...]]:
        """Indices of the nodes that read a tensor, in order; only tensors with a reader are listed."""
        found: dict[TensorId, list[int]] = {}
        for index, node in enumerate(self.nodes):
            for tensor in dict.fromkeys(node.inputs):
                found.setdefault(tensor, []).append(index)
        return {tensor: tuple(readers) for tensor, readers in found.items()}

    @cached_property
    def output_ids(self) -> frozenset[TensorId]:
        return frozenset(port.tensor for port in self.outputs) | {state.written for state in self.states}

    @cached_property
    def input_ids(self) -> frozenset[TensorId]:
        return frozenset(port.tensor for port in self.inputs) | {state.read for state in self.states}

    def types(self, ids: tuple[TensorId, ...]) -> tuple[TensorType, ...]:
        return tuple(self.tensors[i].type for i in ids)

    def node_macs(self, index: int) -> int:
        node = self.nodes[index]
        return node.op.macs(self.types(node.inputs), self.types(node.outputs))

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one inference."""
        return sum(self.node_macs(index) for index in range(len(self.nodes)))

    def with_nodes(self, nodes: tuple[Node, ...]) -> Graph:
        return replace(self, nodes=nodes)

    def substitute(self, mapping: dict[TensorId, TensorId]) -> Graph:
        """Readers (nodes and outputs) of each key read its value instead; chains are followed."""

        def final(tensor: TensorId) -> TensorId:
            while tensor in mapping:
                tensor = mapping[tensor]
            return tensor

        nodes = tuple(replace(node, inputs=tuple(map(final, node.inputs))) for node in self.nodes)
        outputs = tuple(replace(port, tensor=final(port.tensor)) for port in self.outputs)
        states = tuple(replace(state, written=final(state.written)) for state in self.states)
        return replace(self, nodes=nodes, outputs=outputs, states=states)
