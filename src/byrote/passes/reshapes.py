"""Reshapes cost nothing at run time, but they hide rows: where one can go, it goes.

f(reshape(x)) == f(x)              if f flattens its input
reshape(reshape(x)) == reshape(x)
reshape(x) == x                    if the shapes are equal, or if nothing else reads the model input x: the port keeps
                                   its own type, the graph takes the new one
"""

from __future__ import annotations

from dataclasses import replace

from byrote.ir import Graph, Node, Tensor, TensorId


def absorb_reshapes(graph: Graph) -> Graph:
    """Remove reshapes by the three rules."""
    graph = _retype_inputs(graph)
    source = {node.outputs[0]: node.inputs[0] for node in graph.nodes if node.op.is_view}
    nodes = [_bypass(graph, node, source) for node in graph.nodes]
    graph = graph.with_nodes(tuple(nodes))
    same = {
        node.outputs[0]: node.inputs[0]
        for node in graph.nodes
        if node.op.is_view and graph.tensors[node.outputs[0]].type == graph.tensors[node.inputs[0]].type
    }
    kept = tuple(node for node in graph.nodes if node.outputs[0] not in same)
    return graph.with_nodes(kept).substitute(same)


def _bypass(graph: Graph, node: Node, source: dict[TensorId, TensorId]) -> Node:
    """Read the tensor before the reshapes, if the operator means the same by it."""
    inputs = node.inputs
    while inputs and inputs[0] in source:
        candidate = (source[inputs[0]], *inputs[1:])
        if not node.op.is_view and not (node.op.flattens and _infers(graph, node, candidate)):
            break
        inputs = candidate
    return replace(node, inputs=inputs)


def _infers(graph: Graph, node: Node, inputs: tuple[TensorId, ...]) -> bool:
    try:
        return node.op.infer(graph.types(inputs)) == graph.types(node.outputs)
    except ValueError:
        return False


def _retype_inputs(graph: Graph) -> Graph:
    """A model input that only a reshape reads has the reshape's type inside."""
    tensors = list(graph.tensors)
    merged: dict[TensorId, TensorId] = {}
    for port in graph.inputs:
        readers = graph.consumers.get(port.tensor, ())
        if len(readers) != 1 or port.tensor in graph.output_ids or not graph.nodes[readers[0]].op.is_view:
            continue
        result = graph.nodes[readers[0]].outputs[0]
        if result in graph.output_ids:
            continue
        tensors[port.tensor] = Tensor(tensors[result].type, tensors[port.tensor].origin)
        merged[result] = port.tensor
    kept = tuple(node for node in graph.nodes if node.outputs[0] not in merged)
    return replace(graph, tensors=tuple(tensors)).with_nodes(kept).substitute(merged)
