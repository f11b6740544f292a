"""Forward: the smallest interval per channel that is known to hold every value of a tensor, for every input.

Requantisation and clamps are monotone, so an interval of accumulators maps to an interval of results by its ends.
Padding contributes the zero point, i.e. nothing: where taps can be absent the interval of each tap is joined with 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from byrote.ir import DType, Graph, Node, Quant, Requant, TensorId, TensorType, requantize
from byrote.ops.average_pool_2d import AveragePool2D
from byrote.ops.conv2d import Conv2D
from byrote.ops.depthwise_conv2d import DepthwiseConv2D
from byrote.ops.fully_connected import FullyConnected
from byrote.ops.max_pool_2d import MaxPool2D

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Bounds:
    """low[c] <= value <= high[c] for channel c of the last axis."""

    low: Ints
    high: Ints

    @property
    def constant(self) -> npt.NDArray[np.bool_]:
        """Channels that have one value."""
        return self.low == self.high

    @staticmethod
    def full(kind: TensorType) -> Bounds:
        """Nothing is known."""
        channels = kind.shape[-1] if kind.shape else 1
        low, high = kind.dtype.limits if kind.dtype not in (DType.FLOAT32, DType.BOOL) else (0, 1)
        return Bounds(np.full(channels, low, np.int64), np.full(channels, high, np.int64))


def channel_bounds(graph: Graph) -> dict[TensorId, Bounds]:
    """Bounds of every computed tensor."""
    found = {port.tensor: Bounds.full(graph.tensors[port.tensor].type) for port in graph.inputs}
    for node in graph.nodes:
        result = _node_bounds(graph, node, found)
        for output in node.outputs:
            found[output] = result if result is not None else Bounds.full(graph.tensors[output].type)
    return found


def _node_bounds(graph: Graph, node: Node, found: dict[TensorId, Bounds]) -> Bounds | None:
    op = node.op
    x = found.get(node.inputs[0])
    if x is None:
        return None
    if isinstance(op, AveragePool2D | MaxPool2D):
        return Bounds(np.clip(x.low, *op.clamp), np.clip(x.high, *op.clamp))
    if not isinstance(op, Conv2D | DepthwiseConv2D | FullyConnected):
        return None
    weights, bias = (np.asarray(graph.tensors[i].data, np.int64) for i in node.inputs[1:3])
    low, high = x.low - op.input_zero, x.high - op.input_zero
    if pads(node):
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    channels = x.low.size
    if isinstance(op, DepthwiseConv2D):
        each = weights.shape[3] // channels
        per_tap = weights.reshape(-1, weights.shape[3]).T
        low, high = np.repeat(low, each)[:, None], np.repeat(high, each)[:, None]
    elif isinstance(op, Conv2D) and weights.shape[3] != channels:
        return None
    else:
        if weights.shape[-1] % channels:
            return None
        per_tap = weights.reshape(weights.shape[0], -1, channels)
    ends = (per_tap * low, per_tap * high)
    axes = tuple(range(1, per_tap.ndim))
    least = bias + np.minimum(*ends).sum(axes)
    most = bias + np.maximum(*ends).sum(axes)
    return Bounds(*(_result(acc, op.requant, op.output, op.clamp) for acc in (least, most)))


def pads(node: Node) -> bool:
    """Whether some window of the node has taps outside its input."""
    op = node.op
    return isinstance(op, Conv2D | DepthwiseConv2D) and any(p for pair in op.padding for p in pair)


def _result(acc: Ints, requant: Requant, output: Quant, clamp: tuple[int, int]) -> Ints:
    return np.clip(requantize(acc, requant) + output.zero_point, *clamp)
