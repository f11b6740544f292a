"""Remove the channels that nothing needs: constants go into the next bias, unused ones simply go.

sum(w * x) over channels = sum over needed channels + sum of w * (value - zero point) over constant ones: the second
sum is a constant per output channel.  Outputs of the model are unchanged for every input.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from byrote.ir import Array, Graph, Node, Origin, Requant, Tensor, TensorId, TensorType
from byrote.ops.conv2d import Conv2D
from byrote.ops.depthwise_conv2d import DepthwiseConv2D
from byrote.ops.fully_connected import FullyConnected
from byrote.passes.channels.bounds import channel_bounds
from byrote.passes.channels.demand import Demand, carries, foldable, mixes

LANES = 4
"""Kernels work on four channels at a time: a tensor of a multiple of four keeps a multiple of four."""

Indices = npt.NDArray[np.int64]


def remove_channels(graph: Graph) -> Graph:
    """The graph without constant and unused channels."""
    demand = Demand(graph, channel_bounds(graph))
    demand.solve()
    kept = {tensor: _rounded(demand.of(tensor)) for tensor in demand.bounds}
    if all(indices.size == demand.bounds[tensor].low.size for tensor, indices in kept.items()):
        return graph
    rewriter = _Rewriter(graph, demand, kept, list(graph.tensors))
    nodes = tuple(rewriter.node(node) for node in graph.nodes)
    return replace(graph, nodes=nodes, tensors=tuple(rewriter.tensors))


def _rounded(needed: npt.NDArray[np.bool_]) -> Indices:
    """Channels to keep, in order: the needed ones, filled up with others to whole lanes, at least one."""
    chosen = needed.copy()
    lanes = LANES if needed.size % LANES == 0 else 1
    fill = max(-(-int(chosen.sum()) // lanes) * lanes, lanes) - int(chosen.sum())
    chosen[np.flatnonzero(~needed)[:fill]] = True
    return np.flatnonzero(chosen)


@dataclass
class _Rewriter:
    graph: Graph
    demand: Demand
    kept: dict[TensorId, Indices]
    tensors: list[Tensor] = field(default_factory=list[Tensor])

    def node(self, node: Node) -> Node:
        """The node on narrowed tensors."""
        changes = any(
            self.kept[t].size != self.demand.bounds[t].low.size for t in (*node.inputs, *node.outputs) if t in self.kept
        )
        if not changes:
            return node
        for tensor in node.outputs:
            self.narrow(tensor)
        if mixes(self.graph, node):
            return self._mixing(node)
        assert carries(self.graph, node)
        return self._depthwise(node) if isinstance(node.op, DepthwiseConv2D) else node

    def narrow(self, tensor: TensorId) -> None:
        """Give a tensor its new type, and a map to the user's channels."""
        old = self.graph.tensors[tensor]
        keep = self.kept[tensor]
        if keep.size == old.type.shape[-1]:
            return
        channels = old.origin.channel_map or tuple(range(old.type.shape[-1]))
        origin = replace(old.origin, channel_map=tuple(channels[i] for i in keep.tolist()))
        self.tensors[tensor] = Tensor(old.type.with_shape((*old.type.shape[:-1], keep.size)), origin)

    def _mixing(self, node: Node) -> Node:
        op = node.op
        assert isinstance(op, Conv2D | FullyConnected)
        x, y = node.inputs[0], node.outputs[0]
        weights, bias = (np.asarray(self.graph.tensors[i].data) for i in node.inputs[1:3])
        bounds = self.demand.bounds[x]
        channels = bounds.low.size
        cube = weights.reshape(weights.shape[0], -1, channels).copy()
        constant = foldable(node, bounds, op.input_zero) & ~self.demand.of(x)
        offsets = np.where(constant, bounds.low - op.input_zero, 0)
        new_bias = bias.astype(np.int64) + (cube.astype(np.int64) * offsets).sum((1, 2))
        cube[:, :, ~self.demand.of(x)] = 0
        cube[~self.demand.of(y)] = 0
        new_bias[~self.demand.of(y)] = 0
        cube = cube[self.kept[y]][:, :, self.kept[x]]
        if isinstance(op, Conv2D):
            cube = cube.reshape(cube.shape[0], *weights.shape[1:3], -1)
        else:
            cube = cube.reshape(cube.shape[0], -1)
        inputs = (x, *self._constants(node, cube, new_bias[self.kept[y]].astype(np.int32)))
        return Node(replace(op, requant=_sliced(op.requant, self.kept[y])), inputs, node.outputs, node.origin)

    def _depthwise(self, node: Node) -> Node:
        op = node.op
        assert isinstance(op, DepthwiseConv2D)
        keep = self.kept[node.outputs[0]]
        weights, bias = (np.asarray(self.graph.tensors[i].data) for i in node.inputs[1:3])
        inputs = (node.inputs[0], *self._constants(node, weights[..., keep], bias[keep]))
        return Node(replace(op, requant=_sliced(op.requant, keep)), inputs, node.outputs, node.origin)

    def _constants(self, node: Node, weights: Array, bias: Array) -> tuple[TensorId, TensorId]:
        """New constants for a node's weights and bias."""
        ids: list[TensorId] = []
        for old, data in zip(node.inputs[1:3], (weights, bias), strict=True):
            kind = self.graph.tensors[old].type
            quant = kind.quant
            if quant is not None and len(quant.scales) > 1:
                keep = self.kept[node.outputs[0]].tolist()
                quant = replace(quant, scales=tuple(quant.scales[i] for i in keep), zero_points=(0,) * len(keep))
            ids.append(len(self.tensors))
            origin = Origin(-1, self.graph.tensors[old].origin.name)
            self.tensors.append(Tensor(TensorType(kind.dtype, data.shape, quant), origin, data))
        return ids[0], ids[1]


def _sliced(requant: Requant, keep: Indices) -> Requant:
    if len(requant.multipliers) == 1:
        return requant
    indices = keep.tolist()
    multipliers = tuple(requant.multipliers[i] for i in indices)
    return Requant(multipliers, tuple(requant.shifts[i] for i in indices), requant.rounding)
