"""The operands of a Thumb instruction, read from the decoder's text."""

from __future__ import annotations

import re
from dataclasses import dataclass

REGISTERS = {f"r{number}": number for number in range(16)} | {
    "sb": 9,
    "sl": 10,
    "fp": 11,
    "ip": 12,
    "sp": 13,
    "lr": 14,
    "pc": 15,
}
STACK, LINK, PROGRAM = 13, 14, 15
NZ, CARRY = 16, 17
_SPLIT = re.compile(r",\s*(?![^\[{]*[\]}])")
_NUMBER = re.compile(r"#(-?)(0x[0-9a-f]+|[0-9]+)$")
_SHIFT = re.compile(r"(lsl|lsr|asr|ror) (\S+)$|rrx$")


@dataclass(frozen=True)
class Operand:
    """One operand: a register (perhaps shifted), a number, an address in brackets, or a list of registers.

    `shift` is the amount of a constant left shift; any other shift leaves it None and sets `shifted`.
    `extra` is a second register that it depends on: the amount of a shift, or the carry.
    `inside` are the parts of an address or a list.  `update` is set if the base register of an address is written back
    ("!"), or a register before a list.
    """

    text: str
    register: int | None = None
    number: int = 0
    shifted: bool = False
    shift: int | None = None
    extra: int | None = None
    inside: tuple[Operand, ...] = ()
    is_memory: bool = False
    is_list: bool = False
    update: bool = False

    @property
    def is_number(self) -> bool:
        return self.text.startswith("#")

    @property
    def all_registers(self) -> tuple[int, ...]:
        """Every register that occurs in the operand."""
        own = tuple(number for number in (self.register, self.extra) if number is not None)
        return own + tuple(register for item in self.inside for register in item.all_registers)


def operands(text: str) -> tuple[Operand, ...] | None:
    """The operands of an instruction; None if one of them is of an unknown form."""
    found: list[Operand] = []
    for part in _SPLIT.split(text) if text else ():
        shift = _SHIFT.fullmatch(part)
        operand = _shifted(found.pop(), shift) if shift and found else _operand(part)
        if operand is None:
            return None
        found.append(operand)
    return tuple(found)


def _shifted(operand: Operand, shift: re.Match[str]) -> Operand | None:
    if operand.register is None:
        return None
    if shift[0] == "rrx":
        return Operand(operand.text, operand.register, shifted=True, extra=CARRY)
    amount = _operand(shift[2])
    if amount is None:
        return None
    constant = amount.number if shift[1] == "lsl" and amount.register is None else None
    return Operand(operand.text, operand.register, shifted=True, shift=constant, extra=amount.register)


def _operand(part: str) -> Operand | None:
    bare = part.removesuffix("!")
    number = _NUMBER.fullmatch(part)
    if number:
        return Operand(part, number=int(number[2], 0) * (-1 if number[1] else 1))
    if bare in REGISTERS:
        return Operand(part, REGISTERS[bare], update=bare != part)
    if bare[0] in "[{" and bare[-1] in "]}":
        inside = operands(bare[1:-1])
        if inside is None:
            return None
        return Operand(part, inside=inside, is_memory=bare[0] == "[", is_list=bare[0] == "{", update=bare != part)
    return Operand(part) if re.fullmatch(r"[a-z_]+", part) else None
