"""The calls of one node on whole tensors."""

from __future__ import annotations

from byrote.kernel import InPlace
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.schedule import Phase, Run, Step


def whole_runs(flow: Dataflow, node: int) -> tuple[Run, ...]:
    """All rows in one call; an accumulator has three."""
    rows = flow.rows(flow.graph.nodes[node].outputs[0])
    if not flow.accumulates(node):
        return (Run(node, 0, rows),)
    taken = max((operand.access.end[-1] for operand in flow.operands[node]), default=0)
    return Run(node, 0, 0, Phase.BEGIN), Run(node, 0, taken), Run(node, 0, rows, Phase.FINISH)


def upward_steps(flow: Dataflow, node: int) -> tuple[Step, ...]:
    """One block of rows per step, the last block first."""
    rows = flow.rows(flow.graph.nodes[node].outputs[0])
    block = flow.selection.choice(node).kernel.block
    starts = reversed(range(0, rows, block))
    return tuple(Step((Run(node, start, min(block, rows - start)),)) for start in starts)


def reversible(flow: Dataflow, node: int) -> bool:
    """Going upwards is possible and may help: one input and one output of many rows, no element-wise overlap."""
    applied = flow.graph.nodes[node]
    if applied.op.is_view or flow.accumulates(node) or len(applied.outputs) != 1:
        return False
    kernel = flow.selection.choice(node).kernel
    if not kernel.streams or kernel.in_place is InPlace.ELEMENTS:
        return False
    return flow.rows(applied.outputs[0]) > kernel.block and len(flow.roots_read(node)) == 1
