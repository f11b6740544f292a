"""What the analysis of one entry function collects on its way."""

from __future__ import annotations

from dataclasses import dataclass, field

from byrote.verify.onepath.effect import Instruction
from byrote.verify.onepath.program import Program
from byrote.verify.onepath.report import Fault, Site, Violation


@dataclass(frozen=True)
class Options:
    """`parameters`: how many parameters of the entry function are set by the caller, all of them independent of data.

    `slow_multiply`: the time of long multiplications depends on their operands.  `constant_loads`: addresses of loads
    that were seen to read nothing but read-only memory in a complete run.  While everything clean is the same in all
    runs, such a load at a clean address reads what it read in that run, so what it yields is clean as well.
    """

    parameters: int = 2
    slow_multiply: bool = False
    constant_loads: frozenset[int] = frozenset()


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
