"""Layer by layer: every segment is one node on whole tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from byrote.ir import Graph, TensorId
from byrote.kernel import Selection
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.distance import distance
from byrote.schedule.runs import reversible, upward_steps, whole_runs
from byrote.schedule.schedule import Mode, Schedule, Segment, Step


def whole_segment(flow: Dataflow, node: int, *, either_way: bool = False) -> Segment:
    """One node with one step; a view has no calls.  `either_way`: leave the direction open where there is a choice."""
    actions = () if flow.graph.nodes[node].op.is_view else whole_runs(flow, node)
    return Segment((node,), Mode.WHOLE, (Step(actions),), either_way=either_way and reversible(flow, node))


def whole_schedule(flow: Dataflow, order: tuple[int, ...], *, either_way: bool = False) -> Schedule:
    """`order` lists called nodes; views follow what they view."""
    return Schedule(tuple(whole_segment(flow, node, either_way=either_way) for node in with_views(flow, order)))


def settle(graph: Graph, schedule: Schedule, selection: Selection, addresses: Mapping[TensorId, int]) -> Schedule:
    """Choose the direction of every segment that is free to go either way, now that tensors have `addresses`.

    Top-down, one call, wherever that is safe.
    """
    flow = Dataflow(graph, selection)

    def settled(segment: Segment) -> Segment:
        if not segment.either_way:
            return segment
        node = segment.nodes[0]
        steps = segment.steps if _safe_downward(flow, node, addresses) else upward_steps(flow, node)
        return replace(segment, steps=steps, either_way=False)

    return Schedule(tuple(settled(segment) for segment in schedule.segments))


def _safe_downward(flow: Dataflow, node: int, addresses: Mapping[TensorId, int]) -> bool:
    output = flow.graph.nodes[node].outputs[0]
    (source,) = flow.roots_read(node)
    low, high = addresses[output], addresses[source]
    if low + flow.size(output) <= high or high + flow.size(source) <= low:
        return True
    gap = distance(flow, whole_runs(flow, node), output, source)
    return gap is None or high >= low + gap


def with_views(flow: Dataflow, order: tuple[int, ...]) -> tuple[int, ...]:
    """Insert each view as soon as its input exists."""
    graph = flow.graph
    views = [index for index, node in enumerate(graph.nodes) if node.op.is_view]
    pending = {tensor for node in graph.nodes for tensor in node.outputs}
    result: list[int] = []

    def insert_views() -> None:
        for view in tuple(views):
            if graph.nodes[view].inputs[0] not in pending:
                views.remove(view)
                pending.difference_update(graph.nodes[view].outputs)
                result.append(view)

    insert_views()
    for node in order:
        result.append(node)
        pending.difference_update(graph.nodes[node].outputs)
        insert_views()
    return tuple(result)
