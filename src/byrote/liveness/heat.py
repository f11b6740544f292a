"""How often each buffer is touched in one inference: what deserves a fast memory."""

from __future__ import annotations

from collections.abc import Iterator

from byrote.ir import Graph, TensorId
from byrote.kernel import Selection
from byrote.liveness.homes import Homes
from byrote.liveness.touches import reads, writes
from byrote.schedule import Dataflow, Phase, Run, Schedule, Segment, Slide

_PRODUCTS_PER_LOAD = 4
"""Multiplications that kernels do with a byte of input while they have it in a register, about."""


def accesses(graph: Graph, schedule: Schedule, selection: Selection, homes: Homes, buffers: int) -> tuple[int, ...]:
    """Bytes loaded and stored per buffer in one inference, an estimate.

    Every call stores its rows once.  It loads the rows of its inputs as often as windows read them, or as often as its
    products need them where that is more.  Scratch and accumulators are loaded and stored by each call, rows that slide
    once each.  Bytes of a streamed tensor are shared out between kept and fresh rows by their sizes.
    """
    flow = Dataflow(graph, selection)
    heat = [0] * buffers
    for segment in schedule.segments:
        streams = {flow.root[stream.tensor]: stream for stream in segment.streams}
        for root, count in _by_root(flow, segment):
            stream = streams.get(root)
            if stream is None:
                heat[homes.whole[root]] += count
                continue
            kept = count * stream.kept // (stream.kept + stream.fresh)
            heat[homes.fresh[stream.tensor]] += count - kept
            if stream.kept:
                heat[homes.kept[stream.tensor]] += kept
        for run in (a for step in segment.steps for a in step.actions if isinstance(a, Run)):
            lowered = selection.choice(run.node).lowered
            if run.phase is Phase.RUN and run.node in homes.scratch:
                heat[homes.scratch[run.node]] += 2 * lowered.scratch
            if run.node in homes.accumulator:
                heat[homes.accumulator[run.node]] += 2 * lowered.state
    return tuple(heat)


def _by_root(flow: Dataflow, segment: Segment) -> Iterator[tuple[TensorId, int]]:
    """(root, bytes) that each call of a segment loads or stores."""
    for action in (action for step in segment.steps for action in step.actions):
        if isinstance(action, Run):
            yield from _by_call(flow, action)
            continue
        root = flow.root[action.tensor]
        assert root is not None
        yield root, (2 if isinstance(action, Slide) else 1) * action.rows * flow.row_size(root)


def _by_call(flow: Dataflow, run: Run) -> Iterator[tuple[TensorId, int]]:
    node = flow.graph.nodes[run.node]
    for output in node.outputs:
        for first, end in writes(flow, run, output):
            yield output, (end - first) * flow.row_size(output)
    if run.phase is not Phase.RUN or not run.rows:
        return
    roots = flow.roots_read(run.node)
    total = flow.rows(roots[0] if flow.accumulates(run.node) and roots else node.outputs[0])
    products = flow.graph.node_macs(run.node) * run.rows // max(total, 1) // _PRODUCTS_PER_LOAD
    for root in roots:
        seen = sum((end - first) * unit for first, end, unit in reads(flow, run, root))
        windows = seen if flow.accumulates(run.node) else _windows(flow, run, root)
        yield root, max(windows, products)


def _windows(flow: Dataflow, run: Run, root: TensorId) -> int:
    """Bytes of all windows of a call's output rows, overlapping ones counted again."""
    rows = range(run.first_row, run.first_row + run.rows)
    return sum(
        max(operand.access.end[row] - operand.access.first[row], 0) * flow.row_size(operand.tensor)
        for operand in flow.operands[run.node]
        if flow.root[operand.tensor] == root
        for row in rows
    )
