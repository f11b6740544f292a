"""Branch and bound: is there a plan of at most a given height?

Only *settled* plans are looked for, in which no block can be moved down by itself; a plan with the least sum of offsets
is settled, so if there is a plan, there is a settled one.  Blocks are placed one by one so that those placed are never
above a conflicting one that is not.  For every block not placed yet, `low` is the lowest offset left to it.  Each node
picks one block and has two branches:

- it lies at `low`, and all its unplaced neighbours lie above it;
- it does not.  In a settled plan some unplaced neighbour must then lie in its way (it is *refused* until such a one is
  placed), and it lies above one of those: `low` rises to the least offset that this allows.

A node is given up when at some time the blocks left do not fit: those with `low` >= x must all fit between x and the
limit, for every x.  (The ideas of canonical solutions and of inference on sections of time are MiniMalloc's: Moffitt,
ASPLOS 2023.  The branching on single blocks, the bound over all x and
the conflicts are our own.)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from byrote.plan.core import Block, Core

Integers: TypeAlias = npt.NDArray[np.int64]
Reals: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]


class Focus(Enum):
    """Where the search places its next block."""

    LOWEST = "at the lowest offset of all"
    TIGHT = "at the time with the least room for the conflicts it had"
    TROUBLED = "low, and sooner so at times that had many conflicts"


class Rule(NamedTuple):
    """Which block to place next: of the lowest where `focus` says, the greatest size^a * life^b."""

    size_power: int
    life_power: int
    focus: Focus


RULES = (
    Rule(1, 1, Focus.LOWEST),
    Rule(0, 1, Focus.LOWEST),
    Rule(1, 3, Focus.LOWEST),
    Rule(1, 2, Focus.LOWEST),
    Rule(1, 1, Focus.TIGHT),
    Rule(0, 1, Focus.TIGHT),
    Rule(1, 1, Focus.TROUBLED),
    Rule(1, 0, Focus.LOWEST),
    Rule(2, 1, Focus.LOWEST),
    Rule(1, 3, Focus.TROUBLED),
)
TROUBLE = 0.07
"""By what part of the limit a time is taken sooner for each doubling of its conflicts."""
EXPLAINED = 8
"""At how many times a conflict is looked at to find the one that goes back furthest."""
NEVER = -1
NO_HEIGHT = 1 << 62


@dataclass(frozen=True)
class Verdict:
    """After `nodes` nodes: a plan, or proof that there is none as low, or neither.

    When refuted, no plan is lower than `next_target` (which may be beyond all bounds: a plan of any height is known).
    """

    nodes: int
    offsets: tuple[int, ...] | None
    refuted: bool
    next_target: int


class _Reason(NamedTuple):
    """`low` is at least `least` because of `levels`; before that, because of less."""

    least: int
    levels: int
    before: _Reason | None


def _why(reason: _Reason | None, least: int) -> int:
    """The levels because of which `low` is at least `least`: the earliest ones."""
    levels = 0
    while reason is not None and reason.least >= least:
        levels = reason.levels
        reason = reason.before
    return levels


@dataclass
class _Node:
    """What is known of the blocks at one point of the search.  A set of levels is the bits of an integer."""

    low: Integers
    waiting: Flags
    refused: Integers
    """The offset at which a block was refused, NEVER if it was not."""
    because: list[_Reason | None]
    """What made `low` as high as it is."""
    denied: list[int]
    """The levels that made a block be refused."""

    def copy(self) -> _Node:
        return _Node(self.low.copy(), self.waiting.copy(), self.refused.copy(), self.because.copy(), self.denied.copy())


@dataclass(frozen=True)
class _Conflict:
    """Below these levels no plan is lower than `height`."""

    levels: int
    height: int


class Search:
    """Everything about a core that does not depend on the limit."""

    def __init__(self, core: Core) -> None:
        self.blocks = np.array([i for i, block in enumerate(core.blocks) if not block.is_empty], np.int64)
        chosen = [core.blocks[i] for i in self.blocks]
        place = {int(block): position for position, block in enumerate(self.blocks)}
        self.core = core
        self.sizes = np.array([block.size for block in chosen], np.int64)
        self.aligns = np.array([block.align for block in chosen], np.int64)
        self.residues = np.array([block.residue for block in chosen], np.int64)
        self.is_aligned = bool((self.aligns > 1).any())
        self.is_narrowed = False
        """Negative distances are taken as zero: plans found are right, but nothing is refuted."""
        self.others: list[Integers] = []
        self.over: list[Integers] = []
        self.under: list[Integers] = []
        savings: dict[tuple[int, int], int] = {}
        for position, block in enumerate(self.blocks):
            # Where both distances allow any offsets there is no conflict.
            around = [n for n in core.neighbours[block] if n.over > 0 or n.under > 0]
            self.is_narrowed |= any(n.over < 0 or n.under < 0 for n in around)
            self.others.append(np.array([place[n.other] for n in around], np.int64))
            self.over.append(np.array([max(0, n.over) for n in around], np.int64))
            self.under.append(np.array([max(0, n.under) for n in around], np.int64))
            size = core.blocks[block].size
            for n in core.neighbours[block]:
                other = core.blocks[n.other].size
                together = min(max(size, max(0, n.over) + other), max(other, max(0, n.under) + size))
                if n.other > block and together < size + other:
                    savings[position, place[n.other]] = size + other - together
        self.alive, self.bytes = self._sections(savings)
        self.lives = self.alive.sum(axis=0)
        self.troubles: dict[Focus, Reals] = {}
        self.forget()
        self.trouble = self.troubles[Focus.LOWEST]

    def _sections(self, savings: dict[tuple[int, int], int]) -> tuple[Flags, Integers]:
        """Who is alive at the times that matter, and with how many bytes.

        What two blocks can save by overlapping is taken off the larger one, so that any set of blocks needs at least
        the sum of its bytes.
        """
        blocks = [self.core.blocks[i] for i in self.blocks]
        times = sorted({block.start for block in blocks})
        times = [
            t for t, after in zip(times, [*times[1:], None], strict=True) if after is None or _ends(blocks, t, after)
        ]
        alive = np.array([[block.start <= t < block.end for block in blocks] for t in times], np.bool_)
        alive = alive.reshape(len(times), len(blocks))
        taken = alive * self.sizes
        for (a, b), saved in savings.items():
            larger = a if self.sizes[a] > self.sizes[b] else b
            taken[alive[:, a] & alive[:, b], larger] -= saved
        return alive, np.maximum(taken, 0)

    def run(self, limit: int, rule: Rule, nodes: int) -> Verdict:
        """Look for a plan of at most `limit` bytes, through at most `nodes` nodes."""
        rank = np.ones(len(self.blocks))
        for factor in [self.sizes] * rule.size_power + [self.lives] * rule.life_power:
            rank *= factor
        self.trouble = self.troubles[rule.focus]
        count = len(self.blocks)
        node = _Node(
            self.residues.copy(),
            np.ones(count, np.bool_),
            np.full(count, NEVER, np.int64),
            [None] * count,
            [0] * count,
        )
        path: list[tuple[_Node, int]] = []
        """The nodes at which a block was placed, and which: the levels."""
        level_of = [0] * count
        least = NO_HEIGHT
        for visited in range(1, nodes + 1):
            conflict = self._examine(node, limit, level_of)
            if conflict is None and not node.waiting.any():
                return Verdict(visited, self._offsets(node.low), False, limit)
            if conflict is None:
                index = self._choose(node, limit, rule.focus, rank)
                level_of[index] = len(path)
                path.append((node, index))
                node = self._place(node, index, 1 << level_of[index])
                continue
            least = min(least, conflict.height)
            if not conflict.levels:
                return Verdict(visited, None, not self.is_narrowed, least)
            # Levels that had no part in the conflict need no other branch.
            level = conflict.levels.bit_length() - 1
            node, index = path[level]
            del path[level:]
            self._refuse(node, index, conflict.levels ^ (1 << level))
        return Verdict(nodes, None, False, limit)

    def forget(self) -> None:
        """Forget at which times there were conflicts; runs after this one do not depend on those before."""
        self.troubles = {focus: np.ones(len(self.alive)) for focus in Focus}

    def _choose(self, node: _Node, limit: int, focus: Focus, rank: Reals) -> int:
        """A block that is not refused, and the lowest around."""
        low = node.low
        free = node.waiting & (node.refused == NEVER)
        here = free
        if focus is not Focus.LOWEST:
            there = self.alive & free
            if focus is Focus.TIGHT:
                urgency = (limit - self.bytes.sum(axis=1) + 1) / self.trouble
            else:
                part, power = np.frexp(self.trouble)  # a logarithm that is the same on every machine
                urgency = np.where(there, low, limit).min(axis=1) - TROUBLE * limit * (2 * part + power)
            here = there[int(np.where(there.any(axis=1), urgency, np.inf).argmin())]
        index = _first(np.flatnonzero(here), low, rank)
        while focus is not Focus.LOWEST:
            others = self.others[index]
            beneath = others[free[others] & (low[others] + self.under[index] <= low[index])]
            if beneath.size == 0 or low[beneath].min() >= low[index]:
                break
            index = _first(beneath, low, rank)
        return index

    def _offsets(self, low: Integers) -> tuple[int, ...]:
        offsets = [block.residue for block in self.core.blocks]
        for block, offset in zip(self.blocks.tolist(), low.tolist(), strict=True):
            offsets[block] = offset
        return tuple(offsets)

    def _place(self, node: _Node, index: int, level: int) -> _Node:
        node = node.copy()
        low, refused = node.low, node.refused
        node.waiting[index] = False
        others, at = self.others[index], low[index]
        waiting = node.waiting[others]
        above = others[waiting]
        # The block is in the way of those that were refused at an offset at which they would meet it.
        cleared = at < refused[above] + self.under[index][waiting]
        refused[above[cleared]] = NEVER
        least = self._aligned(at + self.over[index][waiting], above)
        pushed = least > low[above]
        low[above[pushed]] = least[pushed]
        # That the block lies where it does is what this level says; why it could not lie lower does not matter.
        for other, reached in zip(above[pushed].tolist(), least[pushed].tolist(), strict=True):
            node.because[other] = _Reason(reached, level, node.because[other])
        return node

    def _refuse(self, node: _Node, index: int, denied: int) -> None:
        node.refused[index] = node.low[index]
        node.denied[index] = denied | _why(node.because[index], int(node.low[index]))

    def _aligned(self, offsets: Integers, which: Integers) -> Integers:
        if not self.is_aligned:
            return offsets
        return offsets + (self.residues[which] - offsets) % self.aligns[which]

    def _examine(self, node: _Node, limit: int, level_of: list[int]) -> _Conflict | None:
        """Raise what follows to be raised; a conflict if there is no plan of at most `limit` below this node."""
        low = node.low
        conflict = self._raise_refused(node, limit, level_of)
        left = np.flatnonzero(node.waiting)
        if conflict is not None or left.size == 0:
            return conflict
        tops = low[left] + self.sizes[left]
        highest = int(tops.argmax())
        if tops[highest] > limit:
            index = int(left[highest])
            return _Conflict(_why(node.because[index], limit + 1 - int(self.sizes[index])), int(tops[highest]))
        order = left[np.argsort(-low[left], kind="stable")]
        heights = np.cumsum(self.bytes[:, order], axis=1)
        heights += low[order]
        if heights.max() > limit:
            return self._explain(node, limit, order, heights)
        if not (node.refused[left] == NEVER).any():
            return _Conflict(self._all_levels(node, level_of), NO_HEIGHT)
        return None

    def _explain(self, node: _Node, limit: int, order: Integers, heights: Integers) -> _Conflict:
        """The conflict that goes back furthest, of those at different times."""
        too_high = heights > limit
        times = too_high.any(axis=1)
        self.trouble[times] += 1 / times.sum()
        best: _Conflict | None = None
        for time in np.flatnonzero(times)[:EXPLAINED].tolist():
            until = int(too_high[time].argmax())
            # As high as they must be for the conflict, no higher.
            least = int(node.low[order[until]] - heights[time, until]) + limit + 1
            levels = 0
            for index in order[: until + 1][self.alive[time, order[: until + 1]]].tolist():
                levels |= _why(node.because[index], least)
            if best is None or levels < best.levels:
                best = _Conflict(levels, int(heights[time, until]))
        assert best is not None
        return best

    def _all_levels(self, node: _Node, level_of: list[int]) -> int:
        levels = 0
        for index in np.flatnonzero(~node.waiting).tolist():
            levels |= 1 << level_of[index]
        return levels

    def _raise_refused(self, node: _Node, limit: int, level_of: list[int]) -> _Conflict | None:
        low, waiting, refused = node.low, node.waiting, node.refused
        queue: list[int] = np.flatnonzero(waiting & (refused != NEVER)).tolist()
        is_settled = False
        while not is_settled:
            is_settled = True
            for index in queue:
                others = self.others[index]
                in_the_way = waiting[others] & (low[others] < refused[index] + self.over[index])
                if not in_the_way.any():
                    return _Conflict(self._around(node, index, NO_HEIGHT, level_of), NO_HEIGHT)
                least = (low[others] + self.under[index])[in_the_way].min()
                if least <= low[index]:
                    continue
                is_settled = False
                levels = self._around(node, index, int(least), level_of)
                low[index] = least
                if self.is_aligned:
                    low[index] += (self.residues[index] - least) % self.aligns[index]
                node.because[index] = _Reason(int(low[index]), levels, node.because[index])
                if low[index] + self.sizes[index] > limit:
                    return _Conflict(levels, int(low[index] + self.sizes[index]))
        return None

    def _around(self, node: _Node, index: int, least: int, level_of: list[int]) -> int:
        """The levels because of which a refused block cannot lie lower than `least`.

        Its refusal, and why every neighbour either is not in its way or keeps it as high.
        """
        levels = node.denied[index]
        others = self.others[index]
        clear = node.refused[index] + self.over[index]
        enough = np.minimum(clear, least - self.under[index]).tolist()
        for other, high, waiting in zip(others.tolist(), enough, node.waiting[others].tolist(), strict=True):
            levels |= _why(node.because[other], high) if waiting else 1 << level_of[other]
        return levels


def _ends(blocks: list[Block], time: int, after: int) -> bool:
    """Does any block end after `time` and not after `after`?  If not, all alive at `time` are so at `after` too."""
    return any(block.start <= time < block.end <= after for block in blocks)


def _first(which: Integers, low: Integers, rank: Reals) -> int:
    lowest = which[low[which] == low[which].min()]
    return int(lowest[rank[lowest].argmax()])
