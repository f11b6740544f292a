"""Targets for the exact search, and what its answers prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.plan.branch import RULES, Search, Verdict
from byrote.plan.core import Core

MOST_BLOCKS = 1_500
"""The search keeps matrices of blocks by times; beyond this it does not even start."""
FIRST_ROUND = 2_000
"""Nodes for every rule in the first round; each round doubles them."""
SHARE = 2
"""Every target gets this part of the nodes that are left: a half."""


@dataclass(frozen=True)
class Found:
    """The best offsets, and the lower bound as far as it was raised."""

    offsets: tuple[int, ...]
    bound: int


def exact(core: Core, offsets: Sequence[int], bound: int, capacity: int | None, nodes: int) -> Found:
    """Look for plans lower than `offsets`, and raise `bound` where it can be shown that there are none.

    Begins with the capacity if that is exceeded, else with the bound itself; when that is neither reached nor refuted,
    goes on halfway to what is known to work.  Deterministic: limited by `nodes`, not by time.
    """
    best = tuple(offsets)
    height = core.height(best)
    if len(core.blocks) > MOST_BLOCKS:
        return Found(best, bound)
    search = Search(core)
    target, unknown = bound, bound - 1
    if capacity is not None and bound <= capacity < height:
        target = capacity
    while nodes > 0 and bound < height:
        verdict = _decide(search, target, max(1, nodes // SHARE))
        nodes -= verdict.nodes
        if verdict.offsets is not None:
            best, height = verdict.offsets, core.height(verdict.offsets)
        elif verdict.refuted:
            bound = min(verdict.next_target, height)
            unknown = max(unknown, bound - 1)
        else:
            unknown = max(unknown, target)
        target = bound if unknown < bound else max(unknown + 1, (unknown + height) // 2)
        if target >= height:
            break
    return Found(best, bound)


def _decide(search: Search, limit: int, nodes: int) -> Verdict:
    """Is there a plan of at most this height?  Several rules take turns, with ever more nodes."""
    search.forget()
    spent, turn = 0, FIRST_ROUND
    while spent < nodes:
        for rule in RULES:
            allowed = min(turn, nodes - spent)
            verdict = search.run(limit, rule, allowed)
            spent += verdict.nodes
            is_over = verdict.nodes < allowed  # all seen: other rules would see no more
            if verdict.offsets is not None or verdict.refuted or is_over:
                return Verdict(spent, verdict.offsets, verdict.refuted, verdict.next_target)
            if spent >= nodes:
                break
        turn *= 2
    return Verdict(spent, None, False, limit)
