"""From a schedule to a placement problem: what lies in the arena, during which calls, and what may overlap.

Time counts actions.  The steps of a row segment share one set of times, because the same buffers serve every step: a
node's call, and the sliding of a stream, have the same time in each.  BEGIN and FINISH calls of accumulators come once,
before and after all steps, and have times of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from byrote.ir import Graph, TensorId
from byrote.kernel import Selection
from byrote.plan import Buffer, Overlap, Problem, Role
from byrote.schedule import Action, Dataflow, Mode, Options, Phase, Run, Schedule, Segment
from byrote.schedule.distance import distance, upward_distance
from byrote.schedule.runs import upward_steps


@dataclass(frozen=True)
class Homes:
    """Indices of the buffers in `Problem.buffers` (and `Plan.offsets`) that hold each thing.

    `whole`: per tensor, views included, the buffer whose first byte is the tensor's first; `kept` and `fresh`: per
    streamed tensor; `scratch` and `accumulator`: per node, only where they have bytes.  Scratch belongs to RUN calls.
    """

    whole: Mapping[TensorId, int]
    kept: Mapping[TensorId, int]
    fresh: Mapping[TensorId, int]
    scratch: Mapping[int, int]
    accumulator: Mapping[int, int]

    def addresses(self, offsets: Sequence[int]) -> dict[TensorId, int]:
        """Where whole tensors lie."""
        return {tensor: offsets[buffer] for tensor, buffer in self.whole.items()}


_Key = tuple[int, Phase | None]
"""A kind of action within a segment: a node and its phase, or a streamed tensor that slides and None."""


@dataclass(frozen=True)
class _Clock:
    """Times of the actions of one segment; the steps' common times are loop_start <= t < loop_end."""

    start: int
    loop_start: int
    loop_end: int
    end: int
    times: Mapping[_Key, int]


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
    clocks = _clocks(schedule)
    draft = _Draft(flow, options.align)
    lives = _lives(flow, schedule, clocks, options.keep_input)
    whole = _add_whole(draft, lives)
    kept, fresh = _add_streams(draft, schedule, clocks)
    scratch, accumulator = _add_scratch(draft, schedule, clocks)
    overlaps = _overlaps(flow, schedule, lives, whole)
    tensors = {tensor: whole[root] for tensor, root in enumerate(flow.root) if root in whole}
    problem = Problem(tuple(draft.buffers), overlaps=overlaps, capacity=options.ram)
    return problem, Homes(tensors, kept, fresh, scratch, accumulator)


def _clocks(schedule: Schedule) -> tuple[_Clock, ...]:
    clocks: list[_Clock] = []
    now = 0
    for segment in schedule.segments:
        clock = _clock(segment, now)
        clocks.append(clock)
        now = clock.end
    return tuple(clocks)


def _clock(segment: Segment, start: int) -> _Clock:
    """Each kind of action has one time, whichever step it occurs in."""
    steps = [[_key(action) for action in step.actions] for step in segment.steps]
    kinds = dict.fromkeys(key for step in steps for key in step)
    begins = [key for key in kinds if key[1] is Phase.BEGIN]
    cycle = _merge([[key for key in step if key[1] not in (Phase.BEGIN, Phase.FINISH)] for step in steps])
    finishes = [key for key in kinds if key[1] is Phase.FINISH]
    times = {key: start + index for index, key in enumerate((*begins, *cycle, *finishes))}
    loop_start = start + len(begins)
    loop_end = loop_start + len(cycle)
    return _Clock(start, loop_start, loop_end, loop_end + len(finishes), times)


def _key(action: Action) -> _Key:
    return (action.node, action.phase) if isinstance(action, Run) else (action.tensor, None)


def _merge(steps: Sequence[Sequence[_Key]]) -> tuple[_Key, ...]:
    """The one order of which every step is a part."""
    after: dict[_Key, set[_Key]] = {}
    for step in steps:
        for key in step:
            after.setdefault(key, set())
        for key, following in pairwise(step):
            after[key].add(following)
    blocked = Counter(following for group in after.values() for following in group)
    ready = [key for key in after if not blocked[key]]
    result: list[_Key] = []
    while ready:
        key = ready.pop()
        result.append(key)
        for following in sorted(after[key], key=lambda item: (item[0], item[1] is None)):
            blocked[following] -= 1
            if not blocked[following]:
                ready.append(following)
    assert len(result) == len(after), "the steps of a segment do not agree on the order of their actions"
    return tuple(result)


@dataclass
class _Life:
    """When a whole tensor is first written and last read; `last_segment` reads it last."""

    start: int
    end: int
    first_segment: int = -1
    last_segment: int = -1
    lasting: bool = False


def _lives(flow: Dataflow, schedule: Schedule, clocks: Sequence[_Clock], keep_input: bool) -> dict[TensorId, _Life]:
    """Per root that is whole in memory."""
    streamed = {stream.tensor for segment in schedule.segments for stream in segment.streams}
    finish = max(clocks[-1].end if clocks else 0, 1)
    lives = {root: _Life(0, 1) for root in flow.inputs if root not in streamed}
    for index, (segment, clock) in enumerate(zip(schedule.segments, clocks, strict=True)):
        for (item, phase), time in clock.times.items():
            if phase is None:
                continue
            looped = segment.mode is Mode.ROWS and phase is Phase.RUN
            start, end = (clock.loop_start, clock.loop_end) if looped else (time, time + 1)
            writes = phase is Phase.FINISH or (phase is Phase.RUN and not flow.accumulates(item))
            for tensor in flow.graph.nodes[item].outputs if writes else ():
                if tensor not in streamed:
                    lives[tensor] = _Life(start, end, index, index)
            for root in flow.roots_read(item) if phase is Phase.RUN else ():
                if root not in streamed:
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
    draft: _Draft, schedule: Schedule, clocks: Sequence[_Clock]
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


def _touches(flow: Dataflow, key: _Key, tensor: TensorId) -> bool:
    item, phase = key
    if phase is None:
        return item == tensor
    return phase is Phase.RUN and (tensor in flow.graph.nodes[item].outputs or tensor in flow.roots_read(item))


def _add_scratch(draft: _Draft, schedule: Schedule, clocks: Sequence[_Clock]) -> tuple[dict[int, int], dict[int, int]]:
    flow = draft.flow
    scratch: dict[int, int] = {}
    accumulator: dict[int, int] = {}
    for segment, clock in zip(schedule.segments, clocks, strict=True):
        for node in segment.nodes:
            choice = flow.selection.choices[node]
            if choice is None:
                continue
            name = flow.graph.nodes[node].origin.name
            times = [time for (item, phase), time in clock.times.items() if phase is not None and item == node]
            start, end = min(times), max(times) + 1
            if choice.lowered.state:
                size = choice.lowered.state
                accumulator[node] = draft.add(f"{name} sums", size, start, end, Role.ACCUMULATOR)
            if choice.lowered.scratch:
                size = choice.lowered.scratch
                time = clock.times[node, Phase.RUN]
                scratch[node] = draft.add(f"{name} scratch", size, time, time + 1, Role.SCRATCH)
    return scratch, accumulator


def _overlaps(
    flow: Dataflow, schedule: Schedule, lives: Mapping[TensorId, _Life], whole: Mapping[TensorId, int]
) -> tuple[Overlap, ...]:
    """Pairs of a tensor that a segment writes and one that it reads last."""
    found: list[Overlap] = []
    for index, segment in enumerate(schedule.segments):
        actions = tuple(action for step in segment.steps for action in step.actions)
        written = [root for root, life in lives.items() if life.first_segment == index]
        ending = [
            root
            for root, life in lives.items()
            if life.last_segment == index and life.first_segment < index and not life.lasting
        ]
        for low in written:
            for high in ending:
                if lives[high].end <= lives[low].start:
                    continue
                gap = distance(flow, actions, low, high)
                gap = -flow.size(high) if gap is None else gap
                if gap < flow.size(low):
                    found.append(Overlap(whole[low], whole[high], gap))
                if segment.either_way:
                    found.extend(_upward(flow, segment.nodes[0], low, high, whole))
    return tuple(found)


def _upward(
    flow: Dataflow, node: int, low: TensorId, high: TensorId, whole: Mapping[TensorId, int]
) -> Iterator[Overlap]:
    """The overlap that is safe if the node goes from its last row up to its first: output above input."""
    actions = tuple(action for step in upward_steps(flow, node) for action in step.actions)
    gap = upward_distance(flow, actions, high, low)
    if gap is not None and gap < flow.size(high):
        yield Overlap(whole[high], whole[low], gap)
