"""Depthwise convolutions of one input channel become convolutions, byte for byte the same; others stay."""

from __future__ import annotations

import numpy as np
import pytest

from byrote.ir import DType, Graph, Node, Origin, Port, Quant, Requant, Tensor, TensorType, verify
from byrote.ops.conv2d import Conv2D
from byrote.ops.depthwise_conv2d import DepthwiseConv2D
from byrote.passes.single_channel import widen_single_channels


def network(channels: int, multiplier: int) -> Graph:
    rng = np.random.default_rng(channels)
    count = channels * multiplier
    scales = tuple(float(v) for v in rng.uniform(0.001, 0.01, count))
    op = DepthwiseConv2D((2, 1), (1, 1), ((1, 2), (0, 1)), 5, Requant.of(scales), (-100, 127), Quant((0.1,), (-7,)))
    x = TensorType(DType.INT8, (1, 9, 8, channels), Quant((0.1,), (5,)))
    weights = TensorType(DType.INT8, (1, 4, 3, count), Quant(scales, (0,) * count, 3))
    types = [x, weights, TensorType(DType.INT32, (count,))]
    constants = [
        None,
        rng.integers(-127, 128, weights.shape).astype(np.int8),
        rng.integers(-99, 99, count).astype(np.int32),
    ]
    tensors = [Tensor(t, Origin(i, f"t{i}"), data) for i, (t, data) in enumerate(zip(types, constants, strict=True))]
    tensors.append(Tensor(op.infer(types)[0], Origin(3, "y")))
    node = Node(op, (0, 1, 2), (3,), Origin(0, op.name))
    return verify(Graph("n", (node,), tuple(tensors), (Port(0, "x", x),), (Port(3, "y", tensors[3].type),)))


def result(graph: Graph, x: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> bytes:
    node = graph.nodes[0]
    constants = [graph.tensors[i].data for i in node.inputs[1:]]
    return node.op.reference([x, *(c for c in constants if c is not None)])[0].tobytes()


@pytest.mark.parametrize("multiplier", [1, 8])
def test_one_channel(multiplier: int) -> None:
    graph = network(1, multiplier)
    after = verify(widen_single_channels(graph))
    assert isinstance(after.nodes[0].op, Conv2D)
    assert after.macs == graph.macs
    x = np.random.default_rng(0).integers(-128, 128, (1, 9, 8, 1)).astype(np.int8)
    assert result(after, x) == result(graph, x)


def test_more_channels_stay() -> None:
    graph = network(2, 4)
    assert widen_single_channels(graph).nodes == graph.nodes
