"""clamp(f(x)) == f(x) with a narrower clamp of its own, if the clamp does not rescale and alone reads f(x)."""

from __future__ import annotations

from dataclasses import replace

from byrote.ir import Graph, Node
from byrote.ops.add import Add
from byrote.ops.clamp import Clamp
from byrote.ops.conv2d import Conv2D
from byrote.ops.depthwise_conv2d import DepthwiseConv2D
from byrote.ops.fully_connected import FullyConnected


def fuse_clamps(graph: Graph) -> Graph:
    """Move clamps into the operators before them."""
    fused: dict[int, Node] = {}
    gone: set[int] = set()
    for index, node in enumerate(graph.nodes):
        before = graph.producer.get(node.inputs[0]) if node.inputs else None
        if not isinstance(node.op, Clamp) or before is None or before in fused:
            continue
        producer, shared = graph.nodes[before], node.inputs[0]
        op = producer.op
        if graph.consumers[shared] != (index,) or shared in graph.output_ids:
            continue
        if not isinstance(op, Conv2D | DepthwiseConv2D | FullyConnected | Add) or node.op.rescales(
            graph.tensors[shared].type
        ):
            continue
        low, high = max(op.clamp[0], node.op.clamp[0]), min(op.clamp[1], node.op.clamp[1])
        if low > high:
            continue
        fused[before] = replace(
            producer, op=replace(op, clamp=(low, high), output=node.op.output), outputs=node.outputs
        )
        gone.add(index)
    nodes = tuple(fused.get(i, node) for i, node in enumerate(graph.nodes) if i not in gone)
    return graph.with_nodes(nodes)
