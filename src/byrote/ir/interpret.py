"""The model by its definition: every operator's reference, in order, on numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence

from byrote.ir.graph import Graph, TensorId
from byrote.ir.op import Array


def interpret(graph: Graph, inputs: Sequence[Array]) -> dict[TensorId, Array]:
    """Every tensor of one inference.  Inputs are in the model's order and have the ports' types."""
    values: dict[TensorId, Array] = {i: t.data for i, t in enumerate(graph.tensors) if t.data is not None}
    for port, value in zip(graph.inputs, inputs, strict=True):
        values[port.tensor] = value.reshape(graph.tensors[port.tensor].type.shape)
    for node in graph.nodes:
        results = node.op.reference([values[i] for i in node.inputs])
        values.update(zip(node.outputs, results, strict=True))
    return values


def outputs_of(graph: Graph, values: dict[TensorId, Array]) -> tuple[Array, ...]:
    """The outputs in the model's order, with the ports' shapes."""
    return tuple(values[port.tensor].reshape(port.type.shape) for port in graph.outputs)
