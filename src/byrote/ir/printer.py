"""A graph as text, one line per node: for golden tests and for people."""

from __future__ import annotations

import dataclasses

from byrote.ir.graph import Graph
from byrote.ir.op import Op


def print_graph(graph: Graph) -> str:
    """Stable text form of a graph."""
    lines = [f"graph {graph.name}"]
    lines += [f"  input  %{port.tensor} {port.name!r}: {port.type}" for port in graph.inputs]
    for node in graph.nodes:
        results = ", ".join(f"%{t}: {graph.tensors[t].type}" for t in node.outputs)
        operands = ", ".join(f"{'$' if graph.tensors[t].constant else '%'}{t}" for t in node.inputs)
        lines.append(f"  {results} = {_op(node.op)}({operands})")
    lines += [f"  output %{port.tensor} {port.name!r}: {port.type}" for port in graph.outputs]
    return "\n".join(lines) + "\n"


def _op(op: Op) -> str:
    assert dataclasses.is_dataclass(op)
    fields = [f"{f.name}={_short(getattr(op, f.name))}" for f in dataclasses.fields(op)]
    return f"{op.name}<{', '.join(fields)}>" if fields else op.name


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
