"""First fit in a given order, and the orders worth trying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from byrote.plan.core import Core

UNPLACED = -1


def first_fit(core: Core, order: Iterable[int], limit: int | None = None) -> list[int] | None:
    """The offsets when every block in turn takes its lowest free place; None as soon as one reaches above `limit`.

    Linear in the number of conflicts, up to the sort of each block's placed neighbours.
    """
    blocks, neighbours = core.blocks, core.neighbours
    offsets = [UNPLACED] * len(blocks)
    for index in order:
        block = blocks[index]
        offset = block.residue
        forbidden = [
            (offsets[other] - over, offsets[other] + under)
            for other, over, under in neighbours[index]
            if offsets[other] >= 0
        ]
        forbidden.sort()
        for low, high in forbidden:
            if offset <= low:
                break
            if offset < high:
                offset = high + (block.residue - high) % block.align
        if limit is not None and offset + block.size > limit:
            return None
        offsets[index] = offset
    return offsets


def orders(core: Core) -> tuple[tuple[int, ...], ...]:
    """Orders that do well on one kind of problem or another, the best first on average."""
    blocks = core.blocks
    everything = range(len(blocks))
    weight = [sum(blocks[other].size for other, _, _ in core.neighbours[i]) + blocks[i].size for i in everything]
    found = (
        sorted(everything, key=lambda i: (-blocks[i].size, blocks[i].start, i)),
        sorted(everything, key=lambda i: (-blocks[i].size * (blocks[i].end - blocks[i].start), i)),
        sorted(everything, key=lambda i: (blocks[i].start, -blocks[i].size, i)),
        sorted(everything, key=lambda i: (-blocks[i].end, -blocks[i].size, i)),
        sorted(everything, key=lambda i: (blocks[i].start - blocks[i].end, -blocks[i].size, i)),
        sorted(everything, key=lambda i: (-weight[i], -blocks[i].size, i)),
    )
    return tuple(tuple(order) for order in found)


def greedy(core: Core, bound: int, attempts: int | None = None) -> tuple[tuple[int, ...], list[int]]:
    """The best order of the first `attempts` of `orders`, and its offsets; stops at `bound`."""
    best_order: Sequence[int] = range(len(core.blocks))
    best = first_fit(core, best_order)
    assert best is not None
    height = core.height(best)
    for order in orders(core)[:attempts]:
        if height <= bound:
            break
        offsets = first_fit(core, order, height - 1)
        if offsets is not None:
            best_order, best, height = order, offsets, core.height(offsets)
    return tuple(best_order), best
