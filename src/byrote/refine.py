"""Other kernels in a plan that was found: faster ones where they cost no memory, leaner ones where that saves some.

Kernels and schedule depend on each other.  `select` serves all nodes alike, with plenty of memory or with little, and
`arrange` finds the plan for that.  But a kernel's scratch matters only where the arena is full, and only a plan tells
how many rows each call makes.  So here the plan stays and the nodes change: from a plan for little memory nodes go to
faster kernels in groups, which are halved where they would raise the arena; from the default plan those with the most
scratch go to leaner ones, one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.arrange import Arrangement, rearrange
from byrote.costs.inference import layer_cycles
from byrote.costs.model import CostModel
from byrote.ir import Graph
from byrote.kernel import Selection
from byrote.schedule import Goal, Granularity, Options, Run, Schedule
from byrote.schedule.search import kernel_cost
from byrote.select import Selected, Selector

_FAST, _NEARLY = 1.0, 1.5
"""How lean a node is: not at all; as little memory as is to be had for half as many cycles again."""
_TRIALS = 12
"""Plans that are placed."""
_FEW_BYTES = 256
"""What `worth_more_ram` takes for little: chips' memories differ by more."""
_AUTO_PERCENT = 108
"""Cycles that Goal.AUTO grants, against the fastest plan."""


def most_ram(least: int, wishes: Options) -> int:
    """Bytes that Goal.RAM may take where `least` would do: an eighth more, nothing if tensors shall be whole anyway."""
    return least if wishes.granularity is Granularity.WHOLE else least * 9 // 8


def worth_more_ram(more: Arrangement, least: Arrangement) -> bool:
    """Whether a plan saves enough for the RAM that it needs more than the least.

    A fifth of the cycles, or 4 % where it is a few bytes.
    """
    saved = least.cycles - more.cycles
    few = more.plan.height - least.plan.height <= _FEW_BYTES
    return saved * (25 if few else 5) >= least.cycles


@dataclass(frozen=True)
class _State:
    """`leans` made `selected`; `cycles` of each node in it, for rows per call as `placed` has them."""

    selected: Selected
    placed: Arrangement
    leans: tuple[float, ...]
    cycles: tuple[int, ...]

    @property
    def height(self) -> int:
        return self.placed.plan.height


def refine(
    graph: Graph,
    features: frozenset[str],
    costs: CostModel,
    wishes: Options,
    found: tuple[Selected, Arrangement, float],
    room: int | None,
) -> tuple[Selected, Arrangement]:
    """The plan that was found or a better one of the same steps.  `found` ends with how lean its kernels are.

    `room`: bytes of flash that constants may take, None for no limit.
    """
    selected, placed, lean = found
    if selected.selection.small or wishes.goal in (Goal.SPEED, Goal.FLASH):
        return selected, placed
    refiner = _Refiner(graph, features, costs, wishes, _rows_per_call(graph, placed.schedule), room)
    best = refiner.best(selected, placed, lean)
    return best.selected, best.placed


class _Refiner:
    def __init__(
        self,
        graph: Graph,
        features: frozenset[str],
        costs: CostModel,
        wishes: Options,
        rows: tuple[int, ...],
        room: int | None,
    ) -> None:
        self.graph = graph
        self.costs = costs
        self.wishes = wishes
        self.rows = rows
        self.all_rows = tuple(graph.tensors[node.outputs[0]].type.rows for node in graph.nodes)
        self.room = room
        self.selector = Selector(graph, features, costs.select_cost, rows=rows)
        self.trials = _TRIALS

    def best(self, selected: Selected, placed: Arrangement, lean: float) -> _State:
        count = len(self.graph.nodes)
        start = _State(selected, placed, (lean,) * count, self._cycles(selected.selection, self.rows))
        if self.wishes.goal is Goal.RAM or self.wishes.ram is not None:
            return start if lean == _FAST else self._with_fast_kernels(start)
        return self._lighten(start)

    def _with_fast_kernels(self, start: _State) -> _State:
        """Within the limit; for Goal.RAM as little memory as before, or a little more where that is worth it."""
        limit = self.wishes.ram
        if limit is not None and self.wishes.goal is not Goal.RAM:
            return self._hasten(start, max(start.height, limit))
        least = self._hasten(start, start.height)
        self.trials = _TRIALS
        most = most_ram(start.height, self.wishes)
        more = self._hasten(least, most if limit is None else max(start.height, min(most, limit)))
        more = self._with(more, more.leans, 0) or more  # as low as can be, not only low enough
        return more if worth_more_ram(more.placed, least.placed) else least

    def _lighten(self, state: _State) -> _State:
        """Leaner kernels, most scratch first, where that lowers the arena and Goal.AUTO grants the cycles."""
        scratch = {i: c.lowered.scratch for i, c in enumerate(state.selected.selection.choices) if c is not None}
        granted = max(state.placed.fastest * _AUTO_PERCENT // 100, state.placed.cycles)
        for node in sorted(scratch, key=lambda node: -scratch[node]):
            if 16 * scratch[node] < state.height or not self.trials:
                break  # not worth mentioning
            leans = [_NEARLY if i == node else lean for i, lean in enumerate(state.leans)]
            trial = self._with(state, leans, 0)
            if trial is not None and trial.height < state.height and trial.placed.cycles <= granted:
                state = trial
        return state

    def _hasten(self, state: _State, limit: int) -> _State:
        """Give nodes faster kernels, most cycles first, while the arena stays within `limit`."""
        for level in (_FAST, _NEARLY):
            groups = [self._slower(state, level)]
            while groups and self.trials:
                group = groups.pop()
                trial = self._with(state, [level if i in group else lean for i, lean in enumerate(state.leans)], limit)
                if trial is not None and trial.height <= limit and trial.placed.cycles < state.placed.cycles:
                    state = trial
                elif len(group) > 1:
                    groups += [group[len(group) // 2 :], group[: len(group) // 2]]
        return state

    def _slower(self, state: _State, level: float) -> list[int]:
        """Nodes that would gain, most cycles first."""
        there = self._cycles(self.selector.select((level,) * len(state.leans)).selection, self.rows)
        gains = {node: now - then for node, (now, then) in enumerate(zip(state.cycles, there, strict=True))}
        return sorted((node for node, gain in gains.items() if gain > 0), key=lambda node: -gains[node])

    def _with(self, state: _State, leans: Sequence[float], enough: int) -> _State | None:
        self.trials -= 1
        selected = self.selector.select(leans)
        if self.room is not None and selected.selection.constants > self.room:
            return None
        cycles, whole = (self._cycles(selected.selection, rows) for rows in (self.rows, self.all_rows))
        change = [now - before for now, before in zip(cycles, state.cycles, strict=True)]
        placed = rearrange(state.placed, self.graph, selected.selection, self.wishes, change, whole, enough)
        return None if placed is None else _State(selected, placed, tuple(leans), cycles)

    def _cycles(self, selection: Selection, rows: Sequence[int]) -> tuple[int, ...]:
        cost = layer_cycles(self.costs, self.graph, selection) or kernel_cost(self.graph, selection)
        called = [choice is not None for choice in selection.choices]
        return tuple(cost(node, rows[node]) if called[node] else 0 for node in range(len(called)))


def _rows_per_call(graph: Graph, schedule: Schedule) -> tuple[int, ...]:
    """The most rows that a call of each node makes (or takes, if it accumulates)."""
    rows = [0] * len(graph.nodes)
    for segment in schedule.segments:
        for step in segment.steps:
            for action in step.actions:
                if isinstance(action, Run):
                    rows[action.node] = max(rows[action.node], action.rows)
    return tuple(rows)
