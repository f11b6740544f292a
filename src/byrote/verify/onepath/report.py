"""What the one-path proof says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

ASSUMPTIONS = (
    "a store through a pointer that does not come from the stack pointer does not change the stack",
    "a store through a pointer into the stack does not change a saved return address",
    "memcpy, memmove and memset read and write nothing but the bytes they are asked to",
    "the program does not use stack memory before it has written it as an address",
    "read-only sections are not changed",
    "interrupts give back every register and change nothing at or above the stack pointer",
)
"""What the proof takes for granted; the emulator's write hook checks the stores of a run."""


class Fault(Enum):
    """Why a path is not proven."""

    BRANCH = "a branch depends on data"
    PREDICATED = "a conditional instruction depends on data"
    JUMP = "a jump target depends on data"
    UNKNOWN_JUMP = "a jump target is not known"
    UNKNOWN_INSTRUCTION = "an instruction is not known"
    STACK_POINTER = "the stack pointer is not known"
    STACK_STORE = "a store at a data-dependent address may change the stack"
    SCATTERED = "a store at a data-dependent address may change what loads were seen to read"
    ESCAPE = "an address of the stack is stored outside the stack"
    RECURSION = "a function calls itself"


@dataclass(frozen=True, order=True)
class Site:
    """One instruction and the function it belongs to."""

    address: int
    text: str
    function: str

    def __str__(self) -> str:
        return f"{self.address:#010x} {self.function}: {self.text}"


@dataclass(frozen=True)
class Violation:
    """An instruction at which the proof fails."""

    fault: Fault
    site: Site

    def __str__(self) -> str:
        return f"{self.site}: {self.fault.value}"


@dataclass(frozen=True)
class PathReport:
    """The sequence of executed instructions is the same for all inputs, or why that is not proven.

    `timing`: divisions, and long multiplications on cores where their time varies, with operands that depend on data.
    `lookups` and `scattered`: loads and stores at data-dependent addresses; they do not change the sequence.
    `functions`: the functions that the entry reaches; `instructions`: how many instructions of them.
    """

    entry: str
    proven: bool
    violations: tuple[Violation, ...]
    timing: tuple[Site, ...]
    lookups: tuple[Site, ...]
    scattered: tuple[Site, ...]
    functions: tuple[str, ...]
    instructions: int
    assumptions: tuple[str, ...] = ASSUMPTIONS
