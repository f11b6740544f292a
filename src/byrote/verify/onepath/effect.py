"""What one instruction does, in terms that all architectures share.

A decoder turns each instruction into an `Effect`; the engine knows no instruction set.  Registers are small numbers,
condition flags are further registers; a decoder that does not know an instruction returns `Flow.UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Flow(Enum):
    """Where the program goes after the instruction."""

    NEXT = "next"
    JUMP = "jump"
    CALL = "call"
    HALT = "halt"
    """A trap on purpose: the program does not go on."""

    TABLE = "table"
    """A jump through a table of distances that lies in the code."""

    UNKNOWN = "unknown"


class Timing(Enum):
    """Instructions whose time depends on their operands, on some cores."""

    CONSTANT = "constant"
    DIVIDE = "divide"
    LONG_MULTIPLY = "long multiply"


class Fold(Enum):
    """Results that are worth knowing exactly, because they become addresses."""

    ADD = "add"
    SUBTRACT = "subtract"
    SHIFT_LEFT = "shift left"
    AND = "and"
    TOP_HALF = "top half"
    """The constant is put into the upper 16 bits of `left`."""


@dataclass(frozen=True)
class Formula:
    """The first written register becomes `left <fold> (right << shift)`, or `left <fold> constant` without `right`.

    An absent `left` counts as 0.
    """

    fold: Fold
    left: int | None = None
    right: int | None = None
    constant: int = 0
    shift: int = 0


@dataclass(frozen=True)
class Access:
    """A load or store of `registers`, one after the other, `size` bytes each, at base + (index << shift) + offset.

    Without a base the offset is the address itself.  `update`: bytes added to the base register afterwards, None for
    no change.  `signed`: a narrow load extends the sign.
    """

    load: bool
    base: int | None
    offset: int
    registers: tuple[int, ...]
    size: int = 4
    index: int | None = None
    shift: int = 0
    update: int | None = None
    signed: bool = False


@dataclass(frozen=True)
class Effect:
    """One instruction.

    `reads` flow into every register of `writes`, `flags` and `loose`.  `writes` are general registers, `flags` are
    condition flags that get a new value, `loose` flags may also keep the old one.  `predicate`: what decides whether
    the instruction (or its branch) happens; `conditional` is true if it may not.  Instructions under the same number in
    `condition` happen together, those under a number that differs in the lowest bit happen otherwise; `branch` is that
    number for a branch that depends on flags.  A jump or call
    goes to `target` or to the address in register `through` plus `offset`; `link` receives the address of the
    instruction after it.
    """

    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    flags: tuple[int, ...] = ()
    loose: tuple[int, ...] = ()
    formula: Formula | None = None
    access: Access | None = None
    flow: Flow = Flow.NEXT
    target: int | None = None
    through: int | None = None
    link: int | None = None
    offset: int = 0
    predicate: tuple[int, ...] = ()
    conditional: bool = False
    condition: int | None = None
    branch: int | None = None
    timing: Timing = Timing.CONSTANT


UNKNOWN = Effect(flow=Flow.UNKNOWN)


@dataclass(frozen=True)
class Instruction:
    """One decoded instruction; the text is for reports only."""

    address: int
    size: int
    text: str
    effect: Effect

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(frozen=True)
class Machine:
    """An architecture as the engine sees it.

    `registers`: how many there are, flags included.  `decode(code, address)` decodes a range of code.  `arguments`:
    registers that hold the first parameters of a function.  `zero`: the register that is always 0.
    `code_mask` removes the bits of a code address that are no address.
    """

    registers: int
    stack_pointer: int
    return_register: int
    arguments: tuple[int, ...]
    decode: Callable[[bytes, int], tuple[Instruction, ...]]
    code_mask: int = 0xFFFFFFFF
    global_pointer: int | None = None
    zero: int | None = None
