"""A depthwise convolution of one input channel == a convolution of one input channel with the weights' axes turned.

The convolution has the better kernels: all its output channels read the same pixels.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from byrote.ir import Graph, Node, Tensor
from byrote.ops.conv2d import Conv2D
from byrote.ops.depthwise_conv2d import DepthwiseConv2D


def widen_single_channels(graph: Graph) -> Graph:
    """Turn depthwise convolutions of one input channel into convolutions."""
    tensors = list(graph.tensors)
    nodes = tuple(_widened(graph, node, tensors) for node in graph.nodes)
    return replace(graph, nodes=nodes, tensors=tuple(tensors))


def _widened(graph: Graph, node: Node, tensors: list[Tensor]) -> Node:
    """The node, or the convolution; its weights [O, kh, kw, 1] are appended to `tensors`."""
    op = node.op
    if not isinstance(op, DepthwiseConv2D) or graph.tensors[node.inputs[0]].type.shape[3] != 1:
        return node
    weights = graph.tensors[node.inputs[1]]
    if weights.data is None:
        return node
    data = np.ascontiguousarray(np.moveaxis(weights.data, 3, 0).transpose(0, 2, 3, 1))
    quant = replace(weights.type.quant, axis=0) if weights.type.quant else None
    tensors.append(replace(weights, type=replace(weights.type, shape=data.shape, quant=quant), data=data))
    conv = Conv2D(op.stride, op.dilation, op.padding, op.input_zero, op.requant, op.clamp, op.output)
    return replace(node, op=conv, inputs=(node.inputs[0], len(tensors) - 1, node.inputs[2]))
