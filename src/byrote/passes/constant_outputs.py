"""An output of the model that is a constant still has to be written where the caller looks for it."""

from __future__ import annotations

from dataclasses import replace

from byrote.ir import Graph, Node, Origin, Port, Tensor
from byrote.ops.copy import Copy


def materialise_outputs(graph: Graph) -> Graph:
    """Copy constant outputs into tensors of their own."""
    tensors, nodes = list(graph.tensors), list(graph.nodes)
    ports: list[Port] = []
    for port in graph.outputs:
        tensor = graph.tensors[port.tensor]
        if not tensor.constant:
            ports.append(port)
            continue
        ports.append(replace(port, tensor=len(tensors)))
        nodes.append(Node(Copy(), (port.tensor,), (len(tensors),), Origin(-1, tensor.origin.name)))
        tensors.append(Tensor(tensor.type, tensor.origin))
    return replace(graph, tensors=tuple(tensors), nodes=tuple(nodes), outputs=tuple(ports))
