"""The problem as the solvers see it: views collapsed, conflicts listed, overlaps as gaps.

Two buffers i and j that are alive together must satisfy one of

    offset[j] >= offset[i] + gap(i, j)      i lies below j
    offset[i] >= offset[j] + gap(j, i)      j lies below i

where gap(i, j) is the size of i, or the distance of an `Overlap` with low=i and high=j if that is less.  So, i being
placed, the forbidden offsets of j are one open interval: offset[i] - gap(j, i) < offset[j] < offset[i] + gap(i, j).
Everything about overlaps is in these gaps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from byrote.plan.problem import Buffer, Problem, View


class Neighbour(NamedTuple):
    """Another block alive at the same time; `over` is gap(this, other), `under` is gap(other, this)."""

    other: int
    over: int
    under: int


@dataclass(frozen=True)
class Block:
    """One buffer to be placed, with everything that lies inside it, at an offset of `residue` modulo `align`."""

    buffer: int
    size: int
    start: int
    end: int
    align: int
    residue: int

    def up(self, offset: int) -> int:
        """The least allowed offset that is not below `offset` (nor below zero)."""
        return offset + (self.residue - offset) % self.align

    @property
    def is_empty(self) -> bool:
        """No byte or no call: conflicts with nothing."""
        return self.size == 0 or self.start >= self.end


@dataclass(frozen=True)
class Core:
    """Blocks, and for every block its neighbours in ascending order."""

    blocks: tuple[Block, ...]
    neighbours: tuple[tuple[Neighbour, ...], ...]
    roots: tuple[tuple[int, int], ...]
    """For every buffer of the problem: its block, and its offset within that block."""

    def height(self, offsets: list[int] | tuple[int, ...]) -> int:
        """One past the last byte that blocks at `offsets` take."""
        return max((block.size + offset for block, offset in zip(self.blocks, offsets, strict=True)), default=0)

    def spread(self, offsets: list[int] | tuple[int, ...]) -> tuple[int, ...]:
        """The offsets of all buffers, from those of the blocks."""
        return tuple(offsets[block] + within for block, within in self.roots)


def collapse(problem: Problem) -> Core:
    """The core of `problem`.

    Raises ValueError in a sentence that names the buffers if the problem contradicts itself: a view larger than its
    parent or alive without it, cycles of views, alignments that cannot be met together.
    """
    buffers = problem.buffers
    for buffer in buffers:
        if buffer.size < 0 or buffer.align < 1 or buffer.start > buffer.end:
            raise ValueError(
                f"{buffer.name}: a size of {buffer.size} bytes, an alignment of {buffer.align} and a life of "
                f"{buffer.start}..{buffer.end} describe no buffer"
            )
    places = _places(problem)
    aligns: dict[int, tuple[int, int]] = {}
    for index, (root, within) in enumerate(places):
        aligns[root] = _meet(aligns.get(root, (1, 0)), (buffers[index].align, -within), buffers[index], buffers[root])
    placed = sorted(aligns)
    number = {root: position for position, root in enumerate(placed)}
    blocks = tuple(
        Block(root, buffers[root].size, buffers[root].start, buffers[root].end, *aligns[root]) for root in placed
    )
    gaps = {(number[low], number[high]): distance for (low, high), distance in _distances(problem).items()}
    roots = tuple((number[root], within) for root, within in places)
    return Core(blocks, _neighbours(blocks, gaps), roots)


def _places(problem: Problem) -> list[tuple[int, int]]:
    """For every buffer: the outermost buffer that it lies in, and where."""
    parent: dict[int, View] = {}
    for view in problem.views:
        child, of = problem.buffers[view.inside], problem.buffers[view.of]
        if view.inside in parent:
            raise ValueError(f"{child.name} is a view of two buffers")
        if view.offset < 0 or view.offset + child.size > of.size:
            raise ValueError(
                f"{child.name} ({child.size} bytes) does not fit at {view.offset} within {of.name} ({of.size} bytes)"
            )
        if child.start < child.end and not of.start <= child.start <= child.end <= of.end:
            raise ValueError(
                f"{child.name} (calls {child.start}..{child.end}) is alive when {of.name}, in which it lies, is not "
                f"(calls {of.start}..{of.end})"
            )
        parent[view.inside] = view
    places: list[tuple[int, int]] = []
    for index in range(len(problem.buffers)):
        root, within = index, 0
        for _ in range(len(parent) + 1):
            if root not in parent:
                break
            root, within = parent[root].of, within + parent[root].offset
        if root in parent:
            raise ValueError(f"{problem.buffers[index].name} lies within itself")
        places.append((root, within))
    return places


def _meet(a: tuple[int, int], b: tuple[int, int], who: Buffer, root: Buffer) -> tuple[int, int]:
    """(modulus, residue) of the offsets that satisfy both congruences."""
    (m, r), (n, s) = a, b
    common = math.gcd(m, n)
    if (s - r) % common:
        raise ValueError(f"{who.name} cannot be aligned to {n} bytes at its place within {root.name}")
    step = n // common
    lift = (s - r) // common * pow(m // common, -1, step) % step if step > 1 else 0
    modulus = m * step
    return modulus, (r + m * lift) % modulus


def _distances(problem: Problem) -> dict[tuple[int, int], int]:
    """The least distance of every ordered pair of placed buffers that may overlap.

    An overlap of a view speaks for its parent if the view fills the parent wholly, dies with it and is alive whenever
    the parent meets the other buffer; otherwise other bytes than the view's are at stake and it is of no use.
    """
    buffers = problem.buffers
    up = {view.inside: view for view in problem.views}
    distances: dict[tuple[int, int], int] = {}
    for overlap in problem.overlaps:
        low, high = overlap.low, overlap.high
        low_root, high_root = _stand_in(buffers, up, low), _stand_in(buffers, up, high)
        if low_root in up or high_root in up or low_root == high_root:
            continue
        together = max(buffers[low_root].start, buffers[high_root].start)
        if max(buffers[low].start, buffers[high].start) > together:
            continue
        pair = (low_root, high_root)
        distances[pair] = min(overlap.distance, distances.get(pair, overlap.distance))
    return distances


def _stand_in(buffers: tuple[Buffer, ...], up: dict[int, View], index: int) -> int:
    while index in up:
        view = up[index]
        if view.offset or buffers[index].size != buffers[view.of].size or buffers[index].end != buffers[view.of].end:
            break
        index = view.of
    return index


def _neighbours(blocks: tuple[Block, ...], gaps: dict[tuple[int, int], int]) -> tuple[tuple[Neighbour, ...], ...]:
    found: list[list[Neighbour]] = [[] for _ in blocks]
    alive: list[int] = []
    for index in sorted(range(len(blocks)), key=lambda i: (blocks[i].start, i)):
        block = blocks[index]
        if block.is_empty:
            continue
        alive = [other for other in alive if blocks[other].end > block.start]
        for other in alive:
            over = min(block.size, gaps.get((index, other), block.size))
            under = min(blocks[other].size, gaps.get((other, index), blocks[other].size))
            found[index].append(Neighbour(other, over, under))
            found[other].append(Neighbour(index, under, over))
        alive.append(index)
    return tuple(tuple(sorted(neighbours)) for neighbours in found)
