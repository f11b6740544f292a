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
ASPLOS 2023.  The branching on single blocks and the bound over all x are our own.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from byrote.plan.core import Block, Core

Integers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

RULES: tuple[tuple[int, int], ...] = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2))
"""Which of the lowest blocks to place first: the greatest product of these powers of its size and length of life."""
NEVER = -1


@dataclass(frozen=True)
class Verdict:
    """After `nodes` nodes: a plan, or proof that there is none as low, or neither.

    When refuted, no plan is lower than `next_target`.
    """

    nodes: int
    offsets: tuple[int, ...] | None
    refuted: bool
    next_target: int


@dataclass(frozen=True)
class _Node:
    low: Integers
    waiting: Flags
    refused: Integers
    """The offset at which a block was refused, NEVER if it was not."""


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

    def run(self, limit: int, rule: tuple[int, int], nodes: int) -> Verdict:
        """Look for a plan of at most `limit` bytes, through at most `nodes` nodes."""
        rank = self.sizes.astype(np.float64) ** rule[0] * self.lives.astype(np.float64) ** rule[1]
        count = len(self.blocks)
        stack = [_Node(self.residues.copy(), np.ones(count, np.bool_), np.full(count, NEVER, np.int64))]
        needed: list[int] = []
        visited = 0
        while stack:
            if visited >= nodes:
                return Verdict(visited, None, False, limit)
            visited += 1
            node = stack.pop()
            need = self._need(node, limit)
            if need > limit:
                needed.append(need)
                continue
            free = np.flatnonzero(node.waiting & (node.refused == NEVER))
            if free.size == 0:
                if not node.waiting.any():
                    return Verdict(visited, self._offsets(node.low), False, limit)
                continue
            lowest = free[node.low[free] == node.low[free].min()]
            index = int(lowest[rank[lowest].argmax()])
            stack.append(self._refuse(node, index))
            stack.append(self._place(node, index))
        return Verdict(visited, None, not self.is_narrowed, min(needed, default=limit + 1))

    def _offsets(self, low: Integers) -> tuple[int, ...]:
        offsets = [block.residue for block in self.core.blocks]
        for block, offset in zip(self.blocks.tolist(), low.tolist(), strict=True):
            offsets[block] = offset
        return tuple(offsets)

    def _place(self, node: _Node, index: int) -> _Node:
        low, waiting, refused = node.low.copy(), node.waiting.copy(), node.refused.copy()
        waiting[index] = False
        others, at = self.others[index], low[index]
        pushed = waiting[others]
        above, gap = others[pushed], self.over[index][pushed]
        # The block is in the way of those that were refused at an offset at which they would meet it.
        cleared = at < refused[above] + self.under[index][pushed]
        refused[above[cleared]] = NEVER
        low[above] = self._aligned(np.maximum(low[above], at + gap), above)
        return _Node(low, waiting, refused)

    def _refuse(self, node: _Node, index: int) -> _Node:
        refused = node.refused.copy()
        refused[index] = node.low[index]
        return _Node(node.low.copy(), node.waiting, refused)

    def _aligned(self, offsets: Integers, which: Integers | int) -> Integers:
        if not self.is_aligned:
            return offsets
        return offsets + (self.residues[which] - offsets) % self.aligns[which]

    def _need(self, node: _Node, limit: int) -> int:
        """A height that no plan below this node can do without; raises the `low` of refused blocks on the way."""
        low, waiting = node.low, node.waiting
        need = self._raise_refused(node, limit)
        left = np.flatnonzero(waiting)
        if need > limit or left.size == 0:
            return need
        tops = low[left] + self.sizes[left]
        need = max(need, int(tops.max()))
        if need > limit:
            return need
        order = left[np.argsort(-low[left], kind="stable")]
        heights = np.cumsum(self.bytes[:, order], axis=1)
        heights += low[order]
        return max(need, int(heights.max()))

    def _raise_refused(self, node: _Node, limit: int) -> int:
        low, waiting, refused = node.low, node.waiting, node.refused
        queue: list[int] = np.flatnonzero(waiting & (refused != NEVER)).tolist()
        is_settled = False
        while not is_settled:
            is_settled = True
            for index in queue:
                others = self.others[index]
                in_the_way = waiting[others] & (low[others] < refused[index] + self.over[index])
                if not in_the_way.any():
                    return _NO_HEIGHT
                least = (low[others] + self.under[index])[in_the_way].min()
                if least > low[index]:
                    low[index] = self._aligned(least, index)
                    is_settled = False
                    if low[index] + self.sizes[index] > limit:
                        return int(low[index] + self.sizes[index])
        return 0


_NO_HEIGHT = 1 << 62


def _ends(blocks: list[Block], time: int, after: int) -> bool:
    """Does any block end after `time` and not after `after`?  If not, all alive at `time` are so at `after` too."""
    return any(block.start <= time < block.end <= after for block in blocks)
