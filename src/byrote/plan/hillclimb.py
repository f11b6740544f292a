"""Improves a plan by changing the order in which first fit places the blocks.

A block at the top of the plan is there because of the blocks that it rests on, they because of those below, down to
the ground.  Only a change of order among these and their neighbours can lower the top; so two blocks are exchanged,
one of them a critical one, and the change is kept if the plan is no higher.  (The idea is that of Arm's Vela.)
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from byrote.plan.core import Core
from byrote.plan.greedy import first_fit

SEED = 20_240_229


def hill_climb(core: Core, order: Sequence[int], offsets: Sequence[int], target: int, iterations: int) -> list[int]:
    """The best offsets seen in `iterations` changes of `order`; stops when their height is `target`.

    The number of iterations, not the time, limits the search, so that the same problem always gives the same plan.
    """
    chance = random.Random(SEED)
    order = list(order)
    best = list(offsets)
    height = core.height(best)
    current = best
    position = {index: place for place, index in enumerate(order)}
    critical = _critical(core, current, height)
    for _ in range(iterations):
        if height <= target:
            break
        a, b = _exchange(core, critical, position, chance)
        _swap(order, position, a, b)
        found = first_fit(core, order, height)
        if found is None:
            _swap(order, position, a, b)
            continue
        current = found
        if core.height(current) < height:
            best, height = current, core.height(current)
        critical = _critical(core, current, core.height(current))
    return best


def _swap(order: list[int], position: dict[int, int], a: int, b: int) -> None:
    i, j = position[a], position[b]
    order[i], order[j] = b, a
    position[a], position[b] = j, i


def _exchange(core: Core, critical: list[int], position: dict[int, int], chance: random.Random) -> tuple[int, int]:
    """A critical block and one that is placed before it: another critical one, or any of its neighbours."""
    a = critical[int(chance.random() * len(critical))]
    pool = critical if chance.random() < 0.5 else [neighbour.other for neighbour in core.neighbours[a]]
    earlier = [b for b in pool if position[b] < position[a]]
    if not earlier:
        earlier = [b for b in critical if b != a] or [a]
    return a, earlier[int(chance.random() * len(earlier))]


def _critical(core: Core, offsets: Sequence[int], height: int) -> list[int]:
    """The blocks that reach the top, and all that they rest on."""
    found = [i for i, block in enumerate(core.blocks) if offsets[i] + block.size == height]
    seen = set(found)
    for index in found:
        for other, _, under in core.neighbours[index]:
            rests = core.blocks[index].up(offsets[other] + under) == offsets[index] if under > 0 else False
            if rests and other not in seen:
                seen.add(other)
                found.append(other)
    return found
