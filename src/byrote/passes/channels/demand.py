"""Backward: which channels of a tensor something reads, given what is constant."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from byrote.ir import Graph, Node, TensorId
from byrote.ops.average_pool_2d import AveragePool2D
from byrote.ops.conv2d import Conv2D
from byrote.ops.depthwise_conv2d import DepthwiseConv2D
from byrote.ops.fully_connected import FullyConnected
from byrote.ops.max_pool_2d import MaxPool2D
from byrote.passes.channels.bounds import Bounds, pads

Mask = npt.NDArray[np.bool_]


def mixes(graph: Graph, node: Node) -> bool:
    """Every output channel is a weighted sum of all input channels: both sides are narrowed independently."""
    if not isinstance(node.op, Conv2D | FullyConnected):
        return False
    x, weights = (graph.tensors[i].type for i in node.inputs[:2])
    if isinstance(node.op, Conv2D):
        return weights.shape[3] == x.shape[3]
    return len(x.shape) > 0 and weights.shape[1] % x.shape[-1] == 0 and not node.op.keep_dims


def carries(graph: Graph, node: Node) -> bool:
    """Output channel c depends on input channel c alone: both are narrowed together."""
    if isinstance(node.op, DepthwiseConv2D):
        return graph.tensors[node.inputs[0]].type.shape[3] == graph.tensors[node.inputs[1]].type.shape[3]
    return isinstance(node.op, AveragePool2D | MaxPool2D)


def foldable(node: Node, x: Bounds, zero: int) -> Mask:
    """Constant channels whose contribution to a weighted sum is the same in every window."""
    same = x.constant
    return same & (x.low == zero) if pads(node) else same


@dataclass
class Demand:
    """Needed channels per group of tensors that must keep the same channels."""

    graph: Graph
    bounds: dict[TensorId, Bounds]
    group: dict[TensorId, TensorId] = field(default_factory=dict[TensorId, TensorId])
    need: dict[TensorId, Mask] = field(default_factory=dict[TensorId, Mask])

    def of(self, tensor: TensorId) -> Mask:
        """Mask of the channels that are read."""
        return self.need[self.find(tensor)]

    def find(self, tensor: TensorId) -> TensorId:
        while self.group.setdefault(tensor, tensor) != tensor:
            tensor = self.group[tensor]
        return tensor

    def solve(self) -> None:
        """Join tied tensors, then propagate needs from consumers to producers until nothing changes."""
        graph = self.graph
        for node in graph.nodes:
            if carries(graph, node):
                self.group[self.find(node.outputs[0])] = self.find(node.inputs[0])
        for tensor, bounds in self.bounds.items():
            root = self.find(tensor)
            old = self.need.get(root, np.zeros(bounds.low.size, np.bool_))
            self.need[root] = old | self._fixed(tensor)
        while self._sweep():
            pass

    def _fixed(self, tensor: TensorId) -> bool:
        """All channels must stay: the interface has them, or an operator that cannot be narrowed."""
        graph = self.graph
        if tensor in graph.input_ids or tensor in graph.output_ids:
            return True
        nodes = [graph.nodes[graph.producer[tensor]], *(graph.nodes[i] for i in graph.consumers.get(tensor, ()))]
        return any(not (mixes(graph, node) or carries(graph, node)) for node in nodes)

    def _sweep(self) -> bool:
        changed = False
        for node in reversed(self.graph.nodes):
            if not mixes(self.graph, node):
                continue
            root = self.find(node.inputs[0])
            used = self.need[root] | self._read(node)
            changed |= bool((used != self.need[root]).any())
            self.need[root] = used
        return changed

    def _read(self, node: Node) -> Mask:
        """Input channels with a weight that is not zero in a needed output channel."""
        x = self.bounds[node.inputs[0]]
        weights = np.asarray(self.graph.tensors[node.inputs[1]].data)
        live = weights.reshape(weights.shape[0], -1, x.low.size)[self.of(node.outputs[0])]
        assert isinstance(node.op, Conv2D | FullyConnected)
        return (live != 0).any((0, 1)) & ~foldable(node, x, node.op.input_zero)
