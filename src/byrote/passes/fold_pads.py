"""conv(pad(x)) == conv with more padding of its own, where the pad fills with the convolution's zero point."""

from __future__ import annotations

from dataclasses import replace

from byrote.ir import Graph, Node
from byrote.ops.conv2d import Conv2D
from byrote.ops.depthwise_conv2d import DepthwiseConv2D
from byrote.ops.pad import Pad


def fold_pads(graph: Graph) -> Graph:
    """Move pads into the convolutions that read them; a pad that something else reads as well stays for that."""
    return graph.with_nodes(tuple(_folded(graph, node) for node in graph.nodes))


def _folded(graph: Graph, node: Node) -> Node:
    op = node.op
    if not isinstance(op, Conv2D | DepthwiseConv2D) or node.inputs[0] not in graph.producer:
        return node
    before = graph.nodes[graph.producer[node.inputs[0]]]
    pad = before.op
    if not isinstance(pad, Pad) or pad.fill != op.input_zero or len(pad.padding) != 4:
        return node
    if pad.padding[0] != (0, 0) or pad.padding[3] != (0, 0):
        return node
    (top, bottom), (left, right) = op.padding
    rows, columns = pad.padding[1], pad.padding[2]
    padding = ((top + rows[0], bottom + rows[1]), (left + columns[0], right + columns[1]))
    return replace(node, op=replace(op, padding=padding), inputs=(before.inputs[0], *node.inputs[1:]))
