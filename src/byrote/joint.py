"""Kernels and plan together: several selections, a plan for each, and whichever serves the user's goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.arrange import Arrangement, arrange, frontier, rank
from byrote.costs.inference import layer_cycles
from byrote.costs.model import CostModel
from byrote.ir import Graph
from byrote.refine import most_ram, refine, worth_more_ram
from byrote.schedule import Goal, Options
from byrote.select import Selected, select
from byrote.targets import Target

_CODE = 40 << 10
"""Bytes of flash that code is expected to take, which are not there for weights."""
_LEANNESS = (1.0, 4.0, 1e9)
"""How many times as much as the fastest a kernel may cost that needs less memory."""
_RAM_LEANNESS = (1.0, 1e9)
"""For Goal.RAM; what lies between is found by refining."""


@dataclass(frozen=True)
class Chosen:
    """Kernels, how lean they are, and the plan for them."""

    selected: Selected
    placed: Arrangement
    lean: float


def choose(
    graph: Graph, target: Target, wishes: Options, costs: CostModel, flash: int | None
) -> tuple[Selected, Arrangement]:
    """The fastest kernels; where memory is short also leaner ones, and then whichever serves better, refined.

    Smaller ones where their constants leave no room for code in `flash` bytes.  Raises as `select` and `arrange` do.
    """
    found: list[Chosen] = []
    small, room = wishes.goal is Goal.FLASH, None if flash is None else flash - _CODE
    for lean in _RAM_LEANNESS if wishes.goal is Goal.RAM else _LEANNESS:
        if found and wishes.goal is not Goal.RAM and not rank(found[-1].placed, wishes)[0]:
            break
        selected = select(graph, target.features, costs.select_cost, lean=lean, small=small)
        if not small and room is not None and selected.selection.constants > room:
            small = True
            selected = select(graph, target.features, costs.select_cost, lean=lean, small=small)
        cycles = layer_cycles(costs, graph, selected.selection)
        found.append(Chosen(selected, arrange(graph, selected.selection, wishes, cycles), lean))
    refined = [
        refine(graph, target.features, costs, wishes, (one.selected, one.placed, one.lean), room)
        for one in _promising(found, wishes)
    ]
    return _preferred(refined, wishes)


def plans_worth_having(graph: Graph, target: Target, wishes: Options, costs: CostModel) -> tuple[Arrangement, ...]:
    """Of all selections together: RAM grows, cycles fall."""
    found: list[Arrangement] = []
    for lean in _LEANNESS:
        selection = select(graph, target.features, costs.select_cost, lean=lean).selection
        found += frontier(graph, selection, wishes, layer_cycles(costs, graph, selection))
    best: list[Arrangement] = []
    for plan in sorted(found, key=lambda plan: (plan.plan.height, plan.cycles)):
        if not best or plan.cycles < best[-1].cycles:
            best.append(plan)
    return tuple(best)


def _promising(found: Sequence[Chosen], wishes: Options) -> list[Chosen]:
    """The best one; for Goal.RAM one for each height that is not much above the least."""
    ordered = sorted(found, key=lambda one: rank(one.placed, wishes))
    if wishes.goal is not Goal.RAM:
        return ordered[:1]
    limit = most_ram(ordered[0].placed.plan.height, wishes)
    near: dict[int, Chosen] = {}
    for one in ordered:
        if one.placed.plan.height <= limit:
            near.setdefault(one.placed.plan.height, one)
    return list(near.values())


def _preferred(refined: Sequence[tuple[Selected, Arrangement]], wishes: Options) -> tuple[Selected, Arrangement]:
    """The best; for Goal.RAM one with a little more RAM where that is worth it."""
    best, *others = sorted(refined, key=lambda pair: rank(pair[1], wishes))
    for pair in others:
        fits = wishes.ram is None or pair[1].plan.height <= wishes.ram
        if wishes.goal is Goal.RAM and fits and worth_more_ram(pair[1], best[1]):
            best = pair
    return best
