"""The exact steps of a segment that runs row by row.

Every node makes each of its rows once, as late as its readers allow; ends that the last node does not need run as early
as their inputs allow.  A node on one of several ways from a tensor to where the ways meet is called some periods sooner
where its rows take less memory while they wait than the rows that it reads would.

The rows of a stream lie in slots whose origin advances evenly with time, so that a window stands at the same slots in
every call and addresses are constants, at the borders of the image too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from byrote.ir import TensorId
from byrote.schedule.pace import Pace
from byrote.schedule.region import CALLER, Edge, Region
from byrote.schedule.schedule import Action, Mode, Phase, Receive, Run, Segment, Slide, Step, Stream

_LEADS = 4
"""Periods that a node may be called before its rows are needed, at most."""


@dataclass(frozen=True)
class _Timetable:
    """Ticks at which a node is called; call j makes rows[j] .. rows[j + 1]."""

    ticks: tuple[int, ...]
    rows: tuple[int, ...]

    def made(self, tick: int) -> int:
        """Rows that exist at the end of a tick."""
        return self.rows[bisect_right(self.ticks, tick)]

    @cached_property
    def at(self) -> dict[int, tuple[int, int]]:
        """Per tick with a call its rows (first, end)."""
        return {tick: (self.rows[j], self.rows[j + 1]) for j, tick in enumerate(self.ticks)}


@dataclass(frozen=True)
class _Slots:
    """Where the rows of a stream lie: the origin of tick t is `offset` + `advance` * ceil(t / `cycle`)."""

    root: TensorId
    stream: Stream
    cycle: int
    offset: int
    advance: int

    def origin(self, tick: int) -> int:
        return self.offset - self.advance * (-tick // self.cycle)


def row_segment(region: Region, pace: Mapping[int, Pace], block: int) -> Segment | str:
    """The segment, or the sentence why there is none.

    Calls in phase with what their readers need keep the fewest rows; where that does not work out all calls begin at
    row 0.
    """
    found = _segment(region, pace, block, phased=True)
    return found if isinstance(found, Segment) else _segment(region, pace, block, phased=False)


def _segment(region: Region, pace: Mapping[int, Pace], block: int, *, phased: bool) -> Segment | str:
    draft = _draft(region, pace, {}, phased=phased)
    if isinstance(draft, str):
        return draft
    leads: dict[int, int] = {}
    for node in _on_one_of_several_ways(region):
        for lead in range(1, _LEADS + 1):
            trial = _draft(region, pace, {**leads, node: lead}, phased=phased)
            if not isinstance(trial, str) and trial.tables[node] == draft.tables[node]:
                break  # it runs as early as it can
            if not isinstance(trial, str) and trial.waiting(region) < draft.waiting(region):
                draft, leads[node] = trial, lead
    steps = _steps(region, draft.tables, draft.slots)
    return Segment(region.nodes, Mode.ROWS, steps, block, tuple(s.stream for s in draft.slots))


@dataclass(frozen=True)
class _Draft:
    """When all nodes are called and where the rows of all streams lie."""

    tables: dict[int, _Timetable]
    slots: tuple[_Slots, ...]

    def waiting(self, region: Region) -> int:
        """Bytes that survive from step to step."""
        return sum(s.stream.kept * region.flow.row_size(s.root) for s in self.slots)


def _draft(region: Region, pace: Mapping[int, Pace], leads: Mapping[int, int], *, phased: bool) -> _Draft | str:
    tables = _timetables(region, pace, leads, phased=phased)
    slots: list[_Slots] = []
    for root in region.streams:
        found = _slots(region, pace, tables, root)
        if isinstance(found, str):
            return found
        slots.append(found)
    return _Draft(tables, tuple(slots))


def _on_one_of_several_ways(region: Region) -> list[int]:
    """Nodes that read a stream that others read, too, and whose own rows are read further on."""
    found: list[int] = []
    for root in region.streams:
        readers = {edge.reader for edge in region.readers[root]}
        found += [node for node in sorted(readers) if len(readers) > 1 and node != region.nodes[-1]]
    main = _ancestors(region)
    return [node for node in dict.fromkeys(found) if node in main and not region.flow.accumulates(node)]


def _timetables(
    region: Region, pace: Mapping[int, Pace], leads: Mapping[int, int], *, phased: bool
) -> dict[int, _Timetable]:
    """Call times of all nodes; the first tick is 0 or shortly after."""
    needed = _needed_rows(region)
    main = _ancestors(region)
    tables: dict[int, _Timetable] = {}
    for node in (*reversed(region.nodes), *([CALLER] if region.pushed is not None else [])):
        if node in main:
            phase = _phase(region, pace, tables, node) if phased else pace[node].rows
            rows = _row_marks(needed[node], pace[node].rows, phase)
            tables[node] = _Timetable(_as_late_as_possible(region, pace, tables, node, rows), rows)
    for node in region.nodes:
        if node in leads:
            late, rows = tables[node].ticks, tables[node].rows
            early = _as_early_as_possible(region, pace, tables, node, rows)
            lead = leads[node] * pace[node].period
            sooner = tuple(max(first, last - lead) for first, last in zip(early, late, strict=True))
            tables[node] = _Timetable(sooner, rows)
        elif node not in main:
            rows = _row_marks(needed[node], pace[node].rows, pace[node].rows)
            tables[node] = _Timetable(_as_early_as_possible(region, pace, tables, node, rows), rows)
    longest = max(p.period for p in pace.values())
    shift = -min(table.ticks[0] for table in tables.values() if table.ticks) // longest * longest
    return {node: _Timetable(tuple(t + shift for t in table.ticks), table.rows) for node, table in tables.items()}


def _row_marks(count: int, step: int, phase: int) -> tuple[int, ...]:
    """0, then `phase` rows, then `step` more with each call."""
    return (0, *range(phase, count, step), count)


def _phase(region: Region, pace: Mapping[int, Pace], tables: Mapping[int, _Timetable], node: int) -> int:
    """Rows of the first call, so that later ones end with the last row that a reader's call needs."""
    step = pace[node].rows
    ends = [
        _unclipped_end(edge, tables[edge.reader].rows[min(2, len(tables[edge.reader].rows) - 1)])
        for root, producer in region.producers.items()
        if producer == node
        for edge in region.readers.get(root, ())
        if edge.reader in tables
    ]
    return (max(ends, default=0) - 1) % step + 1


def _needed_rows(region: Region) -> dict[int, int]:
    """Rows that each node has to make: all of tensors that are needed elsewhere, otherwise those that are read.

    The caller pushes all rows, also those that nobody reads.
    """
    needed: dict[int, int] = {}
    for node in (*reversed(region.nodes), *([CALLER] if region.pushed is not None else [])):
        roots = [root for root, producer in region.producers.items() if producer == node]
        if node == CALLER or any(root not in region.streams for root in roots) or region.flow.accumulates(node):
            needed[node] = region.rows(node)
            continue
        ends = [_end(edge, needed[edge.reader]) for root in roots for edge in region.readers[root]]
        needed[node] = max(1, *ends)
    return needed


def _end(edge: Edge, rows: int) -> int:
    """Input rows that the first `rows` output rows need."""
    return edge.end[rows - 1] if rows else 0


def _ancestors(region: Region) -> set[int]:
    """The last node and all that it needs."""
    found = {region.nodes[-1]}
    for edge in reversed(region.edges):
        if edge.reader in found and edge.producer is not None:
            found.add(edge.producer)
    return found


def _as_late_as_possible(
    region: Region, pace: Mapping[int, Pace], tables: Mapping[int, _Timetable], node: int, rows: Sequence[int]
) -> tuple[int, ...]:
    """Before the first reader needs a call's rows, and a period before the next call.

    Windows count unclipped, as if rows followed after the last one: so the calls at the lower border keep the rhythm.
    """
    period = pace[node].period
    count = len(rows) - 1
    edges = [
        edge
        for root, producer in region.producers.items()
        if producer == node
        for edge in region.readers.get(root, ())
        if edge.reader in tables
    ]
    if not edges:
        return tuple(call * period for call in range(count))
    ends = [[_unclipped_end(edge, mark) for mark in tables[edge.reader].rows[1:]] for edge in edges]
    last = max(tables[edge.reader].ticks[-1] for edge in edges)
    beyond = max(max(marks) for marks in ends)
    starts = [*rows[:-1], *range(rows[-2] + pace[node].rows, beyond, pace[node].rows)]
    ticks: list[int] = []
    for start in reversed(starts):
        latest = ticks[-1] - period if ticks else last
        for edge, marks in zip(edges, ends, strict=True):
            reading = bisect_right(marks, start)
            if reading < len(marks):
                latest = min(latest, tables[edge.reader].ticks[reading])
        ticks.append(latest // period * period)
    return tuple(reversed(ticks))[:count]


def _unclipped_end(edge: Edge, rows: int) -> int:
    """Input rows that the first `rows` output rows would need if there were no border below."""
    return max(edge.end[rows - 1], edge.start[rows - 1] + edge.extent) if rows else 0


def _as_early_as_possible(
    region: Region, pace: Mapping[int, Pace], tables: Mapping[int, _Timetable], node: int, rows: Sequence[int]
) -> tuple[int, ...]:
    """As soon as a call's inputs exist, and a period after the call before."""
    period = pace[node].period
    edges = [edge for edge in region.edges if edge.reader == node and edge.producer in tables]
    ticks: list[int] = []
    for mark in rows[1:]:
        earliest = ticks[-1] + period if ticks else min(table.ticks[0] for table in tables.values())
        for edge in edges:
            table = tables[edge.producer if edge.producer is not None else CALLER]
            needed = _end(edge, mark)
            if needed:
                earliest = max(earliest, table.ticks[bisect_right(table.rows, needed - 1) - 1])
        ticks.append(-(-earliest // period) * period)
    return tuple(ticks)


def _slots(region: Region, pace: Mapping[int, Pace], tables: Mapping[int, _Timetable], root: TensorId) -> _Slots | str:
    """The fewest slots in which every window, and every row that waits for one, has its place."""
    producer = region.producers[root]
    edges = region.readers[root]
    cycle = min(pace[edge.reader].period for edge in edges)
    advance, rest = divmod(pace[producer].rows * cycle, pace[producer].period)
    if rest or not advance or cycle < pace[producer].period:
        return f"node {producer} is called less often than its readers"
    table = tables[producer]
    offset = min(mark + advance * (-tick // cycle) for tick, mark in zip(table.ticks, table.rows, strict=False))
    for edge in edges:
        reader = tables[edge.reader]
        for tick, mark in zip(reader.ticks, reader.rows, strict=False):
            offset = min(offset, edge.start[mark] + advance * (-tick // cycle))
    tensor = region.row_view(root) if root == region.pushed else root
    found = _Slots(root, Stream(tensor, 0, 0), cycle, offset, advance)
    total = max(end - found.origin(tick) for tick, (_, end) in table.at.items())
    fresh = min(pace[producer].rows, total)
    kept = total - fresh
    for tick, (first, end) in table.at.items():
        low, high = first - found.origin(tick), end - found.origin(tick)
        if low < kept < high:
            return f"rows of node {producer} would lie in kept and fresh slots at once"
        if high > kept and tick % cycle:
            return f"rows of node {producer} would have to survive in a fresh slot"
    return _Slots(root, Stream(tensor, kept, fresh), cycle, offset, advance)


def _steps(region: Region, tables: Mapping[int, _Timetable], slots: Sequence[_Slots]) -> tuple[Step, ...]:
    accumulators = [node for node in region.nodes if region.flow.accumulates(node)]
    ticks = range(
        min(table.ticks[0] for table in tables.values()), max(table.ticks[-1] for table in tables.values()) + 1
    )
    last_reader = {s.root: region.readers[s.root][-1].reader for s in slots}
    horizon = {s.root: _horizon(region, tables, s.root) for s in slots}
    steps: list[Step] = []
    for tick in ticks:
        actions: list[Action] = []
        if CALLER in tables and tick in tables[CALLER].at:
            first, end = tables[CALLER].at[tick]
            assert region.pushed is not None
            actions.append(Receive(region.row_view(region.pushed), first, end - first))
        for node in region.nodes:
            if tick in tables[node].at:
                first, end = tables[node].at[tick]
                actions.append(Run(node, first, end - first))
            for stream in slots:
                if last_reader[stream.root] == node and tick % stream.cycle == 0:
                    actions += _slide(stream, tables[region.producers[stream.root]], horizon[stream.root], tick)
        if actions:
            steps.append(Step(tuple(actions), tuple(s.origin(tick) for s in slots)))
    begin = tuple(Run(node, 0, 0, Phase.BEGIN) for node in accumulators)
    finish = tuple(
        Run(node, 0, region.flow.rows(region.flow.graph.nodes[node].outputs[0]), Phase.FINISH) for node in accumulators
    )
    if accumulators:
        steps = [Step(begin, steps[0].origins), *steps, Step(finish, steps[-1].origins)]
    return tuple(steps)


def _horizon(region: Region, tables: Mapping[int, _Timetable], root: TensorId) -> tuple[list[int], list[int]]:
    """Ticks at which the stream is read and, for each, the first row that is read then or later."""
    reads: dict[int, int] = {}
    for edge in region.readers[root]:
        for tick, (first, end) in tables[edge.reader].at.items():
            if edge.end[end - 1] > edge.first[first]:
                reads[tick] = min(reads.get(tick, edge.first[first]), edge.first[first])
    ticks = sorted(reads)
    lowest: list[int] = []
    for tick in reversed(ticks):
        lowest.append(min(reads[tick], lowest[-1]) if lowest else reads[tick])
    return ticks, lowest[::-1]


def _slide(slots: _Slots, table: _Timetable, horizon: tuple[list[int], list[int]], tick: int) -> list[Slide]:
    """Rows that are read later move to where they will be read."""
    ticks, lowest = horizon
    later = bisect_right(ticks, tick)
    made = table.made(tick)
    if later == len(ticks) or lowest[later] >= made:
        return []
    source = lowest[later] - slots.origin(tick)
    return [Slide(slots.stream.tensor, source, source - slots.advance, made - lowest[later])]
