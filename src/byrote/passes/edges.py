"""Conversions at the model's edge, moved to the caller: int8 goes in and out instead of floats or uint8.

A conversion at an input goes only if every int8 value has a number that it maps to; then feeding the int8 value means
feeding that number.  A conversion at an output can always go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from byrote.ir import Array, DType, Graph, Node, Op, Port
from byrote.ops.dequantize import Dequantize
from byrote.ops.quantize import Quantize, Rescale


@dataclass(frozen=True)
class Edges:
    """Per input and output of the model the conversion that the caller now does, None for none."""

    inputs: tuple[Op | None, ...]
    outputs: tuple[Op | None, ...]

    def outer_inputs(self, values: tuple[Array, ...]) -> tuple[Array, ...]:
        """What the model as filed would be given."""
        return tuple(_inverse(op, v) if op is not None else v for op, v in zip(self.inputs, values, strict=True))

    def outer_outputs(self, values: tuple[Array, ...]) -> tuple[Array, ...]:
        """What the model as filed would give."""
        return tuple(op.reference([v])[0] if op is not None else v for op, v in zip(self.outputs, values, strict=True))


def no_edges(graph: Graph) -> Edges:
    """Nothing is moved."""
    return Edges((None,) * len(graph.inputs), (None,) * len(graph.outputs))


def move_conversions(graph: Graph) -> tuple[Graph, Edges]:
    """The graph with int8 ports where that is possible, and what the caller does instead."""
    ins = [_input(graph, port) for port in graph.inputs]
    outs = [_output(graph, port) for port in graph.outputs]
    edges = Edges(tuple(op for _, op in ins), tuple(op for _, op in outs))
    ports = (tuple(port for port, _ in ins), tuple(port for port, _ in outs))
    return replace(graph, inputs=ports[0], outputs=ports[1], nodes=_needed(graph, ports[0])), edges


def _needed(graph: Graph, inputs: tuple[Port, ...]) -> tuple[Node, ...]:
    """Nodes that do not write what has become an input."""
    now = {port.tensor for port in inputs}
    return tuple(node for node in graph.nodes if now.isdisjoint(node.outputs))


def _input(graph: Graph, port: Port) -> tuple[Port, Op | None]:
    readers = graph.consumers.get(port.tensor, ())
    if len(readers) != 1 or port.tensor in graph.output_ids:
        return port, None
    node = graph.nodes[readers[0]]
    kind = graph.tensors[node.outputs[0]].type
    if not isinstance(node.op, Quantize | Rescale) or kind.dtype is not DType.INT8 or port.type.dtype is DType.INT8:
        return port, None
    if node.outputs[0] in graph.output_ids or not _invertible(node.op):
        return port, None
    return Port(node.outputs[0], port.name, kind.with_shape(port.type.shape)), node.op


def _output(graph: Graph, port: Port) -> tuple[Port, Op | None]:
    producer = graph.producer.get(port.tensor)
    if producer is None or port.type.dtype is DType.INT8:
        return port, None
    node = graph.nodes[producer]
    kind = graph.tensors[node.inputs[0]].type
    if not isinstance(node.op, Dequantize | Rescale) or kind.dtype is not DType.INT8:
        return port, None
    return Port(node.inputs[0], port.name, kind.with_shape(port.type.shape)), node.op


def _candidates(op: Op) -> tuple[Array, Array]:
    """All int8 values, and for each a number that `op` may map to it."""
    values = np.arange(-128, 128).astype(np.int8)
    if isinstance(op, Quantize):
        scale = np.float32(op.output.scale)
        return values, (values.astype(np.float32) - np.float32(op.output.zero_point)) * scale
    assert isinstance(op, Rescale)
    unsigned = np.arange(256).astype(np.uint8)
    found = op.reference([unsigned])[0]
    back = {int(q): int(u) for q, u in zip(found.tolist(), unsigned.tolist(), strict=True)}
    return values, np.asarray([back.get(q, 0) for q in range(-128, 128)], np.uint8)


def _invertible(op: Op) -> bool:
    values, numbers = _candidates(op)
    return bool(np.array_equal(op.reference([numbers])[0], values))


def _inverse(op: Op, values: Array) -> Array:
    _, numbers = _candidates(op)
    return numbers[values.astype(np.int64) + 128]
