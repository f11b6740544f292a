"""What each call of a row segment does with the rows of one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.ir import TensorId
from byrote.schedule import Action, Dataflow, Phase, Receive, Run, Segment, Step

Span = tuple[int, int]
"""start..end; empty if end <= start."""

FAR = 1 << 40
NOTHING: Span = (FAR, -FAR)


@dataclass(frozen=True)
class Touch:
    """Event number `event` reads or writes first..end, or moves them: `new_origin`."""

    event: int
    first: int
    end: int
    writes: bool = False
    moves: bool = False
    origin: int = 0
    new_origin: int = 0


Event = tuple[int, Step, Action]
"""An action with its number and step."""


def events_of(flow: Dataflow, segment: Segment) -> tuple[tuple[Event, ...], dict[TensorId, list[Event]]]:
    """All actions of a segment in order; and per root those that touch it."""
    events: list[Event] = []
    touching: dict[TensorId, list[Event]] = {}
    for step in segment.steps:
        for action in step.actions:
            event = len(events), step, action
            events.append(event)
            for root in _roots(flow, action):
                touching.setdefault(root, []).append(event)
    return tuple(events), touching


def _roots(flow: Dataflow, action: Action) -> tuple[TensorId, ...]:
    if isinstance(action, Run):
        return (*flow.roots_read(action.node), *flow.graph.nodes[action.node].outputs)
    root = flow.root[action.tensor]
    return () if root is None else (root,)


def stream_touches(flow: Dataflow, root: TensorId, index: int, events: Sequence[Event]) -> list[Touch]:
    """Of a stream, number `index` of its segment, by the events that touch its root; units are rows."""
    found: list[Touch] = []
    known: Step | None = None
    shift = 0
    for event, step, action in events:
        shift = shift if step is known else 0
        known = step
        origin = step.origins[index] + shift
        if isinstance(action, Run):
            spans = [(first, end) for first, end, _ in reads(flow, action, root)]
            written = writes(flow, action, root)
            found += [Touch(event, first, end, origin=origin, new_origin=origin) for first, end in spans]
            found += [Touch(event, *span, writes=True, origin=origin, new_origin=origin) for span in written]
        elif isinstance(action, Receive):
            end = action.first_row + action.rows
            found.append(Touch(event, action.first_row, end, writes=True, origin=origin, new_origin=origin))
        else:
            shift += action.source_slot - action.target_slot
            first = origin + action.source_slot
            new = step.origins[index] + shift
            found.append(Touch(event, first, first + action.rows, moves=True, origin=origin, new_origin=new))
    return found


def whole_touches(flow: Dataflow, root: TensorId, events: Sequence[Event]) -> list[Touch]:
    """Of a tensor that is whole in memory, by the events that touch it; units are bytes."""
    found: list[Touch] = []
    size = flow.row_size(root)
    for event, _, action in events:
        if isinstance(action, Run):
            found += [Touch(event, first * unit, end * unit) for first, end, unit in reads(flow, action, root)]
            found += [Touch(event, first * size, end * size, writes=True) for first, end in writes(flow, action, root)]
    return found


def reads(flow: Dataflow, run: Run, root: TensorId) -> list[tuple[int, int, int]]:
    """Rows (first, end) that a call reads of views of a root, with the bytes of a row; ranges that are not empty."""
    if run.phase is not Phase.RUN or not run.rows:
        return []
    last = run.first_row + run.rows
    found: list[tuple[int, int, int]] = []
    for operand in flow.operands[run.node]:
        if flow.root[operand.tensor] != root:
            continue
        first, end = operand.access.first[run.first_row : last][:1], operand.access.end[run.first_row : last][-1:]
        span = (run.first_row, last) if flow.accumulates(run.node) else (first[0], end[0])
        if span[0] < span[1]:
            found.append((*span, flow.row_size(operand.tensor)))
    return found


def writes(flow: Dataflow, run: Run, root: TensorId) -> list[Span]:
    """Rows that a call writes of a root: one span or none."""
    if root not in flow.graph.nodes[run.node].outputs:
        return []
    if flow.accumulates(run.node):
        return [(0, flow.rows(root))] if run.phase is Phase.FINISH else []
    return [(run.first_row, run.first_row + run.rows)]


def lowest_later(touches: Sequence[Touch]) -> list[int]:
    """Per touch the first unit that is read by any later one; FAR if none is."""
    result: list[int] = []
    lowest = FAR
    for touch in reversed(touches):
        result.append(lowest)
        if not touch.writes and not touch.moves:
            lowest = min(lowest, touch.first)
    return result[::-1]
