"""How often each instruction ran, and the same by function."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from byrote.targets import Architecture
from byrote.verify.elf import Elf
from byrote.verify.hooks import BlockCounter, Counts

UNKNOWN = "?"
"""The function of instructions that no symbol owns."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Exact counts of one run; every array has one entry per halfword of code from `base`.

    `executed[i]`: times the instruction that begins at i ran (one that an IT block skips counts, as it takes its turn);
    0 where none begins.  `jumped_to[i]`: how many of those arrived by a jump.  `jumped_from[i]`: how many times the
    instruction that *ends* at i went elsewhere.
    """

    elf: Elf = field(repr=False)
    base: int
    executed: Counts = field(repr=False)
    jumped_to: Counts = field(repr=False)
    jumped_from: Counts = field(repr=False)

    @property
    def instructions(self) -> int:
        return int(self.executed.sum())

    def same_as(self, other: Profile) -> bool:
        """Whether both runs executed every instruction and took every jump equally often."""
        return (
            self.base == other.base
            and np.array_equal(self.executed, other.executed)
            and np.array_equal(self.jumped_to, other.jumped_to)
            and np.array_equal(self.jumped_from, other.jumped_from)
        )

    def count(self, address: int) -> int:
        """Times the instruction at this address ran."""
        return int(self.executed[(address - self.base) >> 1])

    def addresses(self) -> Iterator[int]:
        """Addresses of the instructions that ran, ascending."""
        for index in np.flatnonzero(self.executed):
            yield self.base + 2 * int(index)

    def per_function(self) -> tuple[tuple[str, int], ...]:
        """(function, instructions), most first."""
        return self.by_function(self.executed)

    def by_function(self, counts: Counts | npt.NDArray[np.int64]) -> tuple[tuple[str, int], ...]:
        """Sum any per-halfword counts by function, most first; functions with nothing are left out."""
        totals: dict[str, int] = {}
        rest = int(counts.sum())
        for function in self.elf.functions:
            start, end = (function.address - self.base) >> 1, (function.end - self.base + 1) >> 1
            total = int(counts[max(start, 0) : max(end, 0)].sum())
            rest -= total
            if total:
                totals[function.name] = totals.get(function.name, 0) + total
        if rest:
            totals[UNKNOWN] = rest
        return tuple(sorted(totals.items(), key=lambda item: (-item[1], item[0])))


class Decoder:
    """Finds where instructions begin: only their lengths matter, and those follow from the first halfword."""

    def __init__(self, elf: Elf, base: int, code: bytes) -> None:
        """`code` are the bytes of the program from `base` on."""
        self._elf = elf
        self._base = base
        halves = np.frombuffer(code, "<u2")
        if elf.architecture is Architecture.THUMB:
            self._long = (halves >> 11) >= 0b11101
        else:
            self._long = (halves & 3) == 3
        self._begins = np.zeros(len(halves) + 1, bool)

    def profile(self, blocks: BlockCounter) -> Profile:
        """The counts of a finished run."""
        covered = np.cumsum(blocks.entered - blocks.left, dtype=np.uint64)
        for start in np.flatnonzero(blocks.entered):
            self._walk(int(start), covered)
        executed = np.where(self._begins, covered, np.uint64(0))
        jumped_to = np.array(blocks.jumped_to, np.uint64)
        jumped_from = np.array(blocks.jumped_from, np.uint64)
        return Profile(self._elf, self._base, executed, jumped_to, jumped_from)

    def _walk(self, index: int, covered: Counts) -> None:
        """Mark instructions from one that is known to begin here up to code that did not run or is marked already."""
        while covered[index] and not self._begins[index]:
            self._begins[index] = True
            index += 2 if self._long[index] else 1
