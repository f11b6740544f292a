"""A node none of whose outputs is read, and that writes no output of the model, computes nothing."""

from __future__ import annotations

from byrote.ir import Graph, Node


def remove_dead_code(graph: Graph) -> Graph:
    """Keep what the outputs need."""
    needed = set(graph.output_ids)
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if needed.isdisjoint(node.outputs):
            continue
        needed.update(node.inputs)
        kept.append(node)
    return graph.with_nodes(tuple(reversed(kept)))
