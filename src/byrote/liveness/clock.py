"""Time: one unit per action, shared by all steps of a segment.

The same buffers serve every step, so a node's call, or the sliding of a stream, has the same time in each.  BEGIN and
FINISH calls of accumulators come once, before and after all steps, and have times of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from byrote.schedule import Action, Phase, Receive, Run, Schedule, Segment


class Kind(Enum):
    """What an action does."""

    RECEIVE = 0
    BEGIN = 1
    RUN = 2
    FINISH = 3
    SLIDE = 4


Key = tuple[int, Kind]
"""An action of a segment, whichever step it occurs in: a node's call, or what happens to a tensor's rows."""

_PHASES = {Phase.BEGIN: Kind.BEGIN, Phase.RUN: Kind.RUN, Phase.FINISH: Kind.FINISH}


def key_of(action: Action) -> Key:
    """The key of an action."""
    if isinstance(action, Run):
        return action.node, _PHASES[action.phase]
    return action.tensor, Kind.RECEIVE if isinstance(action, Receive) else Kind.SLIDE


@dataclass(frozen=True)
class Clock:
    """Times of the actions of one segment; the steps' common times are loop_start <= t < loop_end."""

    start: int
    loop_start: int
    loop_end: int
    end: int
    times: Mapping[Key, int]


def clocks(schedule: Schedule) -> tuple[Clock, ...]:
    """One for each segment, one after the other."""
    result: list[Clock] = []
    now = 0
    for segment in schedule.segments:
        result.append(_clock(segment, now))
        now = result[-1].end
    return tuple(result)


def _clock(segment: Segment, start: int) -> Clock:
    once = (Kind.BEGIN, Kind.FINISH)
    steps = [[key_of(action) for action in step.actions] for step in segment.steps]
    kinds = dict.fromkeys(key for step in steps for key in step)
    begins = [key for key in kinds if key[1] is Kind.BEGIN]
    # Nodes that are never called in the same step follow the order of the segment too.
    nodes = [(node, Kind.RUN) for node in segment.nodes if (node, Kind.RUN) in kinds]
    cycle = _merge([nodes, *([key for key in step if key[1] not in once] for step in steps)])
    finishes = [key for key in kinds if key[1] is Kind.FINISH]
    times = {key: start + index for index, key in enumerate((*begins, *cycle, *finishes))}
    loop_start = start + len(begins)
    loop_end = loop_start + len(cycle)
    return Clock(start, loop_start, loop_end, loop_end + len(finishes), times)


def _merge(steps: Sequence[Sequence[Key]]) -> tuple[Key, ...]:
    """The one order of which every step is a part."""
    after: dict[Key, set[Key]] = {}
    for step in {tuple(step): None for step in steps}:
        for key in step:
            after.setdefault(key, set())
        for key, following in pairwise(step):
            after[key].add(following)
    blocked = Counter(following for group in after.values() for following in group)
    ready = [key for key in after if not blocked[key]]
    result: list[Key] = []
    while ready:
        key = ready.pop()
        result.append(key)
        for following in sorted(after[key], key=lambda item: (item[0], item[1].value)):
            blocked[following] -= 1
            if not blocked[following]:
                ready.append(following)
    assert len(result) == len(after), "the steps of a segment do not agree on the order of their actions"
    return tuple(result)
