"""What lies in the arena, during which calls, and what may overlap."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from byrote.ir import Graph, TensorId
from byrote.kernel import Selection
from byrote.liveness.clock import Clock, Key, Kind, clocks
from byrote.liveness.homes import Homes
from byrote.liveness.occupancy import Extent, row_overlaps
from byrote.plan import Buffer, Overlap, Problem, Role
from byrote.schedule import Dataflow, Mode, Options, Schedule, Segment
from byrote.schedule.distance import distance, upward_distance
from byrote.schedule.runs import upward_steps


@dataclass
class _Draft:
    """Buffers in the making."""

    flow: Dataflow
    align: int
    buffers: list[Buffer] = field(default_factory=list[Buffer])

    def add(self, name: str, size: int, start: int, end: int, role: Role) -> int:
        """Index of the new buffer."""
        self.buffers.append(Buffer(name, size, start, end, self.align, role))
        return len(self.buffers) - 1


def liveness(graph: Graph, schedule: Schedule, selection: Selection, options: Options) -> tuple[Problem, Homes]:
    """All buffers of the arena.

    Inputs live from the first call on, outputs to the end, whole tensors from the call that writes them first to the
    one that reads them last.  A tensor that a row segment touches lives for the whole segment.
    """
    flow = Dataflow(graph, selection)
    times = clocks(schedule)
    lives = _lives(flow, schedule, times, options.keep_input)
    return _problem(flow, schedule, times, lives, options)


def segment_problem(
    graph: Graph, segment: Segment, selection: Selection, options: Options, passing: Collection[TensorId]
) -> Problem:
    """The buffers of one segment alone, to measure it: its own, whole tensors that it writes, and those that it reads
    for the last time; not those of `passing` (roots), which live beside them.
    """
    flow = Dataflow(graph, selection)
    schedule = Schedule((segment,))
    times = clocks(schedule)
    inside = set(segment.nodes)
    lives = {
        root: life
        for root, life in _lives(flow, schedule, times, options.keep_input, whole_graph=False).items()
        if root not in passing
    }
    for root, life in lives.items():
        if life.first_segment == 0 and not inside.issuperset(flow.readers.get(root, ())):
            life.end = times[0].end
    return _problem(flow, schedule, times, lives, options)[0]


def _problem(
    flow: Dataflow, schedule: Schedule, times: Sequence[Clock], lives: Mapping[TensorId, _Life], options: Options
) -> tuple[Problem, Homes]:
    draft = _Draft(flow, options.align)
    whole = _add_whole(draft, lives)
    kept, fresh = _add_streams(draft, schedule, times)
    scratch, accumulator = _add_scratch(draft, schedule, times)
    overlaps = _overlaps(flow, schedule, lives, draft.buffers, Homes(whole, kept, fresh, scratch, accumulator))
    tensors = {tensor: whole[root] for tensor, root in enumerate(flow.root) if root in whole}
    problem = Problem(tuple(draft.buffers), overlaps=overlaps, capacity=options.ram)
    return problem, Homes(tensors, kept, fresh, scratch, accumulator)


@dataclass
class _Life:
    """When a whole tensor is first written and last read; `last_segment` reads it last."""

    start: int
    end: int
    first_segment: int = -1
    last_segment: int = -1
    lasting: bool = False


def _lives(
    flow: Dataflow, schedule: Schedule, clocks: Sequence[Clock], keep_input: bool, *, whole_graph: bool = True
) -> dict[TensorId, _Life]:
    """Per root that is whole in memory; without `whole_graph` only those that the schedule touches."""
    streamed = {flow.root[stream.tensor] for segment in schedule.segments for stream in segment.streams}
    finish = max(clocks[-1].end if clocks else 0, 1)
    lives = {root: _Life(0, 1) for root in flow.inputs if root not in streamed and whole_graph}
    for index, (segment, clock) in enumerate(zip(schedule.segments, clocks, strict=True)):
        for (item, kind), time in clock.times.items():
            if kind in (Kind.SLIDE, Kind.RECEIVE):
                continue
            looped = segment.mode is Mode.ROWS and kind is Kind.RUN
            start, end = (clock.loop_start, clock.loop_end) if looped else (time, time + 1)
            writes = kind is Kind.FINISH or (kind is Kind.RUN and not flow.accumulates(item))
            for tensor in flow.graph.nodes[item].outputs if writes else ():
                if tensor not in streamed:
                    lives[tensor] = _Life(start, end, index, index)
            for root in flow.roots_read(item) if kind is Kind.RUN else ():
                if root not in streamed:
                    lives.setdefault(root, _Life(0, 1))
                    lives[root].end = max(lives[root].end, end)
                    lives[root].last_segment = index
    for root, life in lives.items():
        if root in flow.lasting or (keep_input and root in flow.inputs):
            life.end = finish
            life.lasting = True
    return lives


def _add_whole(draft: _Draft, lives: Mapping[TensorId, _Life]) -> dict[TensorId, int]:
    flow = draft.flow
    result: dict[TensorId, int] = {}
    for root, life in lives.items():
        role = Role.INPUT if root in flow.inputs else Role.OUTPUT if root in flow.lasting else Role.WHOLE
        size = flow.size(root) + flow.overread.get(root, 0)
        result[root] = draft.add(flow.graph.tensors[root].origin.name, size, life.start, life.end, role)
    return result


def _add_streams(
    draft: _Draft, schedule: Schedule, clocks: Sequence[Clock]
) -> tuple[dict[TensorId, int], dict[TensorId, int]]:
    """Kept rows live as long as their segment, fresh rows from the call that makes them to the last use in a step."""
    flow = draft.flow
    kept: dict[TensorId, int] = {}
    fresh: dict[TensorId, int] = {}
    for segment, clock in zip(schedule.segments, clocks, strict=True):
        for stream in segment.streams:
            tensor = stream.tensor
            name = flow.graph.tensors[tensor].origin.name
            spare = flow.overread.get(tensor, 0)
            row = flow.row_size(tensor)
            if stream.kept:
                size = stream.kept * row + spare
                kept[tensor] = draft.add(f"{name} kept", size, clock.loop_start, clock.loop_end, Role.KEPT)
            users = [time for key, time in clock.times.items() if _touches(flow, key, tensor)]
            start, end = min(users), max(users) + 1
            fresh[tensor] = draft.add(f"{name} fresh", stream.fresh * row + spare, start, end, Role.FRESH)
    return kept, fresh


def _touches(flow: Dataflow, key: Key, tensor: TensorId) -> bool:
    item, kind = key
    if kind in (Kind.SLIDE, Kind.RECEIVE):
        return item == tensor
    root = flow.root[tensor]
    return kind is Kind.RUN and (root in flow.graph.nodes[item].outputs or root in flow.roots_read(item))


def _add_scratch(draft: _Draft, schedule: Schedule, clocks: Sequence[Clock]) -> tuple[dict[int, int], dict[int, int]]:
    flow = draft.flow
    scratch: dict[int, int] = {}
    accumulator: dict[int, int] = {}
    for segment, clock in zip(schedule.segments, clocks, strict=True):
        for node in segment.nodes:
            choice = flow.selection.choices[node]
            if choice is None:
                continue
            name = flow.graph.nodes[node].origin.name
            calls = (Kind.BEGIN, Kind.RUN, Kind.FINISH)
            times = [time for (item, kind), time in clock.times.items() if kind in calls and item == node]
            start, end = min(times), max(times) + 1
            if choice.lowered.state:
                size = choice.lowered.state
                accumulator[node] = draft.add(f"{name} sums", size, start, end, Role.ACCUMULATOR)
            if choice.lowered.scratch:
                size = choice.lowered.scratch
                time = clock.times[node, Kind.RUN]
                scratch[node] = draft.add(f"{name} scratch", size, time, time + 1, Role.SCRATCH)
    return scratch, accumulator


def _overlaps(
    flow: Dataflow,
    schedule: Schedule,
    lives: Mapping[TensorId, _Life],
    buffers: Sequence[Buffer],
    homes: Homes,
) -> tuple[Overlap, ...]:
    """Pairs of a tensor that a segment writes and one that it reads last; all pairs of buffers of a row segment."""
    found: list[Overlap] = []
    for index, segment in enumerate(schedule.segments):
        written = [root for root, life in lives.items() if life.first_segment == index]
        ending = [
            root
            for root, life in lives.items()
            if life.last_segment == index and life.first_segment < index and not life.lasting
        ]
        if segment.mode is Mode.ROWS:
            found += row_overlaps(flow, segment, homes, buffers, Extent(frozenset(written), frozenset(ending)))
        else:
            found += _whole_overlaps(flow, segment, lives, homes.whole, written, ending)
    return tuple(found)


def _whole_overlaps(
    flow: Dataflow,
    segment: Segment,
    lives: Mapping[TensorId, _Life],
    whole: Mapping[TensorId, int],
    written: Sequence[TensorId],
    ending: Sequence[TensorId],
) -> Iterator[Overlap]:
    actions = tuple(action for step in segment.steps for action in step.actions)
    for low in written:
        for high in ending:
            if lives[high].end <= lives[low].start:
                continue
            gap = distance(flow, actions, low, high)
            gap = -flow.size(high) if gap is None else gap
            if gap < flow.size(low):
                yield Overlap(whole[low], whole[high], gap)
            if segment.either_way:
                yield from _upward(flow, segment.nodes[0], low, high, whole)


def _upward(
    flow: Dataflow, node: int, output: TensorId, source: TensorId, whole: Mapping[TensorId, int]
) -> Iterator[Overlap]:
    """The overlap that is safe if the node goes from its last row up to its first: output above input."""
    actions = tuple(action for step in upward_steps(flow, node) for action in step.actions)
    gap = upward_distance(flow, actions, source, output)
    if gap is not None and gap < flow.size(source):
        yield Overlap(whole[source], whole[output], gap)
