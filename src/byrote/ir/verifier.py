"""What must hold of every Graph, checked after each pass.  A failure is a fault of byrote, not of the user."""

from __future__ import annotations

from byrote.ir.graph import Graph


class InvalidGraphError(AssertionError):
    """A pass broke the program."""


def verify(graph: Graph) -> Graph:
    """Return the graph if single assignment, order, types, access tables and ports are right."""
    known = set(graph.input_ids) | {i for i, tensor in enumerate(graph.tensors) if tensor.constant}
    for index, node in enumerate(graph.nodes):
        where = f"node {index} {node.op.name} {node.origin.name!r}"
        for tensor in node.inputs:
            _require(tensor in known, f"{where} reads tensor {tensor} before it is written")
        for tensor in node.outputs:
            _require(tensor not in known, f"{where} writes tensor {tensor} a second time")
        known.update(node.outputs)
        outputs = graph.types(node.outputs)
        inferred = node.op.infer(graph.types(node.inputs))
        _require(inferred == outputs, f"{where}: outputs are {outputs}, the operator gives {inferred}")
        _check_access(graph, index, where)
    for port in (*graph.inputs, *graph.outputs):
        _require(port.tensor in known, f"port {port.name!r} is tensor {port.tensor}, which nothing writes")
        inner = graph.tensors[port.tensor].type
        _require(inner.size == port.type.size, f"port {port.name!r}: {port.type} is not {inner}")
    for tensor in graph.tensors:
        if tensor.data is not None:
            _require(
                tensor.data.shape == tensor.type.shape and str(tensor.data.dtype) == tensor.type.dtype.value,
                f"constant {tensor.origin.name!r}: data does not have type {tensor.type}",
            )
    return graph


def _check_access(graph: Graph, index: int, where: str) -> None:
    node = graph.nodes[index]
    outputs = graph.types(node.outputs)
    table = node.op.access(graph.types(node.inputs), outputs)
    _require(len(table) == len(outputs), f"{where}: an access table is missing")
    for out, per_input in zip(outputs, table, strict=True):
        _require(len(per_input) == len(node.inputs), f"{where}: an access table is missing")
        for tensor, access in zip(node.inputs, per_input, strict=True):
            if access is None:
                _require(graph.tensors[tensor].constant, f"{where}: no access table for a computed input")
                continue
            rows = graph.tensors[tensor].type.rows
            _require(len(access.first) == len(access.end) == out.rows, f"{where}: access table has wrong length")
            for tables in (access.first, access.end):
                _require(tables == tuple(sorted(tables)), f"{where}: access table is not monotone")
                _require(not tables or (tables[0] >= 0 and tables[-1] <= rows), f"{where}: access outside the input")
            _require(all(f <= e for f, e in zip(access.first, access.end, strict=True)), f"{where}: negative range")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InvalidGraphError(message)
