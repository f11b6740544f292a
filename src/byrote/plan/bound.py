"""A height below which no plan can go: the largest set of blocks alive together, less what overlaps can save."""

from __future__ import annotations

from itertools import permutations

from byrote.plan.core import Core, Neighbour

EXACT_GROUP = 5
"""Groups of overlapping blocks up to this size are arranged in every order; larger ones are bounded by parts."""
SEARCHED_GROUP = 40
"""Up to this size the best parts are searched for, beyond it taken quickly."""
GROUP_STATES = 4000
"""How many parts of one group are looked at before a quick choice is taken in the rest."""


def lower_bound(core: Core) -> int:
    """The bound over all times.  Alignment is ignored but for the lowest place of a block."""
    bound = max((block.residue + block.size for block in core.blocks), default=0)
    measured: dict[tuple[int, ...], int] = {}
    gaps = _Gaps(core)
    for total, alive in _peaks(core):
        if total <= bound:
            continue  # overlaps only lower it
        height = sum(_measure(core, gaps, group, measured) for group in gaps.groups(alive))
        bound = max(bound, height)
    return bound


def _peaks(core: Core) -> list[tuple[int, tuple[int, ...]]]:
    """(bytes, blocks) alive at every time at which blocks have just begun, before any of them ends; largest first."""
    starts = sorted((block.start, i) for i, block in enumerate(core.blocks) if not block.is_empty)
    found: list[tuple[int, tuple[int, ...]]] = []
    alive: list[int] = []
    for position, (start, index) in enumerate(starts):
        alive = [i for i in alive if core.blocks[i].end > start]
        alive.append(index)
        if position + 1 == len(starts) or starts[position + 1][0] > start:
            found.append((sum(core.blocks[i].size for i in alive), tuple(sorted(alive))))
    return sorted(found, key=lambda peak: -peak[0])


class _Gaps:
    """Those pairs of blocks that may overlap."""

    def __init__(self, core: Core) -> None:
        self.sizes = [block.size for block in core.blocks]
        self.partners: dict[int, dict[int, Neighbour]] = {}
        for index, neighbours in enumerate(core.neighbours):
            size = self.sizes[index]
            soft = {n.other: n for n in neighbours if n.over < size or n.under < self.sizes[n.other]}
            if soft:
                self.partners[index] = soft

    def groups(self, alive: tuple[int, ...]) -> list[tuple[int, ...]]:
        """`alive` in groups between which nothing overlaps, so that their heights add up."""
        left = set(alive)
        found: list[tuple[int, ...]] = []
        for index in alive:
            if index not in left:
                continue
            left.remove(index)
            group = [index]
            for member in group:
                reached = sorted(left.intersection(self.partners.get(member, ())))
                left.difference_update(reached)
                group.extend(reached)
            found.append(tuple(sorted(group)))
        return found

    def gap(self, low: int, high: int) -> int:
        """How far above `low` the block `high` must lie."""
        soft = self.partners.get(low, {}).get(high)
        return self.sizes[low] if soft is None else soft.over


def _measure(core: Core, gaps: _Gaps, group: tuple[int, ...], measured: dict[tuple[int, ...], int]) -> int:
    """The least number of bytes that `group`, all alive together, can take; or less."""
    if len(group) == 1:
        return core.blocks[group[0]].size
    if group not in measured:
        if len(group) <= EXACT_GROUP and all(gaps.gap(a, b) >= 0 for a, b in permutations(group, 2)):
            measured[group] = min(_stack(gaps, order) for order in permutations(group))
        else:
            measured[group] = _parts(gaps, group)
    return measured[group]


def _stack(gaps: _Gaps, order: tuple[int, ...]) -> int:
    """The height when the blocks lie in this order, each as low as those before it allow.

    Least over all orders if no distance is negative.  For two blocks that holds for any distance: below level with
    its partner's lower end a block saves nothing.
    """
    offsets: list[int] = []
    top = 0
    for position, index in enumerate(order):
        offset = 0
        for other in range(position):
            offset = max(offset, offsets[other] + gaps.gap(order[other], index))
        offsets.append(offset)
        top = max(top, offset + gaps.sizes[index])
    return top


def _parts(gaps: _Gaps, group: tuple[int, ...]) -> int:
    """The most that blocks and pairs chosen from `group`, so that none overlaps another, take for sure."""
    memory: dict[frozenset[int], int] = {}

    def most(left: frozenset[int]) -> int:
        if not left:
            return 0
        if left not in memory:
            choices = _choices(gaps, left, min(left))
            if len(memory) > GROUP_STATES:
                choices = [max(choices, key=lambda choice: choice[0])]
            memory[left] = max([gain + most(left - gone) for gain, gone in choices])
        return memory[left]

    if len(group) <= SEARCHED_GROUP:
        return most(frozenset(group))
    total, left = 0, frozenset(group)
    for index in sorted(group, key=lambda i: (-gaps.sizes[i], i)):
        if index in left:
            total += gaps.sizes[index]
            left = left.difference(gaps.partners[index], (index,))
    return total


def _choices(gaps: _Gaps, left: frozenset[int], first: int) -> list[tuple[int, frozenset[int]]]:
    """What to do with `first`: leave it out, take it, or take it with a partner; with the blocks that this uses up."""
    around = left.intersection(gaps.partners.get(first, {}))
    choices = [(0, frozenset((first,))), (gaps.sizes[first], around | {first})]
    for other in sorted(around):
        pair = min(_stack(gaps, (first, other)), _stack(gaps, (other, first)))
        choices.append((pair, around | left.intersection(gaps.partners[other]) | {first, other}))
    return choices
