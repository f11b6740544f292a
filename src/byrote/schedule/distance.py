"""How far an output must stay below an input that the same calls still read.

The output (`low`) is written upwards while the input (`high`) is read upwards.  They may share bytes when the output's
write pointer never passes the first input byte that is still needed; the smallest offset[high] - offset[low] that
guarantees it is the distance.  It is found by walking the calls backwards.  When the rows are made from the last up to
the first, the output lies above the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from byrote.ir import TensorId
from byrote.kernel import InPlace
from byrote.schedule.dataflow import Dataflow, Operand
from byrote.schedule.schedule import Action, Phase, Run


def distance(flow: Dataflow, actions: Iterable[Action], low: TensorId, high: TensorId) -> int | None:
    """Smallest safe offset of root `high` above root `low`, in bytes; None: no write precedes a read.

    `actions` are all calls from the first that writes `low` to the last that reads `high`, in order.
    """
    needed: int | None = None
    result: int | None = None
    for action in reversed(tuple(actions)):
        if not isinstance(action, Run):
            continue
        for written, required in _events(flow, action, low, high):
            if required is not None and (needed is None or required < needed):
                needed = required
            if written is not None and needed is not None:
                result = written - needed if result is None else max(result, written - needed)
    return result


def upward_distance(flow: Dataflow, actions: Iterable[Action], low: TensorId, high: TensorId) -> int | None:
    """The same for calls that go from the last rows up to the first: `low` is read, `high` above it is written."""
    needed: int | None = None
    result: int | None = None
    for run in reversed([action for action in actions if isinstance(action, Run)]):
        for operand in flow.operands[run.node]:
            if flow.root[operand.tensor] == low and run.rows:
                end = operand.access.end[run.first_row + run.rows - 1] * flow.row_size(operand.tensor)
                needed = end if needed is None else max(needed, end)
        if needed is not None and high in flow.graph.nodes[run.node].outputs:
            gap = needed - run.first_row * flow.row_size(high)
            result = gap if result is None else max(result, gap)
    return result


def _events(flow: Dataflow, run: Run, low: TensorId, high: TensorId) -> Iterator[tuple[int | None, int | None]]:
    """(end of bytes written, first byte required meanwhile) of a call's blocks, last block first."""
    node = flow.graph.nodes[run.node]
    outputs = [tensor for tensor in node.outputs if flow.root[tensor] == low]
    operands = [operand for operand in flow.operands[run.node] if flow.root[operand.tensor] == high]
    if flow.accumulates(run.node):
        yield _accumulator_event(flow, run, outputs, operands)
        return
    if not outputs and not operands:
        return
    kernel = flow.selection.choice(run.node).kernel
    output = outputs[0] if outputs else node.outputs[0]
    last = run.first_row + run.rows
    if outputs and operands and all(flow.elementwise(run.node, operand, output) for operand in operands):
        yield from _element_events(flow, operands[0], output, range(run.first_row, last))
        return
    block = kernel.block if kernel.in_place is not InPlace.NEVER and outputs and operands else run.rows
    for start in reversed(range(run.first_row, last, block)):
        end = min(start + block, last) * flow.row_size(output)
        required = [operand.access.first[start] * flow.row_size(operand.tensor) for operand in operands]
        yield end if outputs else None, min(required, default=None)


def _accumulator_event(
    flow: Dataflow, run: Run, outputs: list[TensorId], operands: list[Operand]
) -> tuple[int | None, int | None]:
    """An accumulator reads input rows when it runs and writes its output when it finishes."""
    written = flow.size(outputs[0]) if outputs and run.phase is Phase.FINISH else None
    starts = [run.first_row * flow.row_size(operand.tensor) for operand in operands]
    return written, min(starts, default=None) if run.phase is Phase.RUN else None


def _element_events(
    flow: Dataflow, operand: Operand, output: TensorId, rows: range
) -> Iterator[tuple[int | None, int | None]]:
    """Both ends of each row suffice: within a row the pointers advance evenly."""
    out_size, in_size = flow.row_size(output), flow.row_size(operand.tensor)
    out_element = flow.graph.tensors[output].type.dtype.size
    in_element = flow.graph.tensors[operand.tensor].type.dtype.size
    per_row = flow.graph.tensors[output].type.row_size // out_element
    for row in reversed(rows):
        for element in (per_row, 1):
            written = row * out_size + element * out_element
            after_this = row * in_size + element * in_element
            yield None, None if element == per_row else after_this
            yield written, None
        yield None, row * in_size
