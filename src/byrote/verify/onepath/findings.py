"""What the analysis of one entry function collects on its way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from byrote.verify.onepath.effect import Instruction
from byrote.verify.onepath.program import Program
from byrote.verify.onepath.report import Fault, Site, Violation


@dataclass(frozen=True)
class Options:
    """`parameters`: how many parameters of the entry function are set by the caller, all of them independent of data.

    `slow_multiply`: the time of long multiplications depends on their operands.

    `sources` is what one complete run has shown about loads: the address of a load instruction -> the addresses of the
    store instructions that had last written the bytes it read (none for bytes of read-only memory).  A load that ever
    read a byte that the run had not written, and that is not read-only, must be left out.  While everything clean is
    the same in all runs, loads and stores at clean addresses meet as they did in that run, so that what such a load
    yields is as clean as what those stores store.  A store at a data-dependent address spoils this and is a fault then.
    """

    parameters: int = 2
    slow_multiply: bool = False
    sources: Mapping[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])


def _sites() -> set[Site]:
    return set()


def _violations() -> set[Violation]:
    return set()


@dataclass
class Findings:
    """Sets of instructions, each named with its function.

    `written`: the lowest distance from the stack pointer at entry of all stores to a known place of the stack.
    """

    program: Program
    options: Options
    violations: set[Violation] = field(default_factory=_violations)
    timing: set[Site] = field(default_factory=_sites)
    lookups: set[Site] = field(default_factory=_sites)
    scattered: set[Site] = field(default_factory=_sites)
    written: int = 0

    def site(self, instruction: Instruction) -> Site:
        return Site(instruction.address, instruction.text, self.program.function(instruction.address))

    def violation(self, fault: Fault, instruction: Instruction) -> None:
        self.violations.add(Violation(fault, self.site(instruction)))
