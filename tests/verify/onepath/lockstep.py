"""Runs of a function on an emulated core, recorded wherever the analysis has a state, to compare one with the other."""

from __future__ import annotations

from dataclasses import dataclass

import unicorn
from unicorn import arm_const, riscv_const
from unicorn.unicorn_py3 import unicorn as binding

from byrote.targets import Architecture
from byrote.verify.elf import Elf
from tests.verify.onepath.single_step import DATA, RETURN, TOP, load

RECORDS = 400
_SKIPPED = 16
"""The emulator is silent about skipped instructions of an IT block, so a little further is no jump."""

_STATUS = {16: 0xC0000000, 17: 1 << 29, 18: 1 << 28, 19: 1 << 27}


@dataclass(frozen=True)
class Record:
    """Registers by the decoder's numbers (flags in place, without the lanes' flags), and the stack below entry."""

    address: int
    registers: tuple[int, ...]
    stack: bytes

    def word(self, distance: int) -> int:
        """The word at a distance from the stack pointer at entry."""
        start = len(self.stack) + distance
        return int.from_bytes(self.stack[start : start + 4], "little")


def record(elf: Elf, entry: str, data: bytes, watched: frozenset[int]) -> tuple[Record, ...]:
    """The first arrivals at watched addresses by a jump; the function gets two pointers into the data."""
    thumb = elf.architecture is Architecture.THUMB
    machine = load(elf)
    machine.mem_write(DATA, data)
    if thumb:
        names = [f"UC_ARM_REG_R{number}" for number in range(13)] + ["UC_ARM_REG_SP", "UC_ARM_REG_LR"]
        numbers = [int(getattr(arm_const, name)) for name in names]
        pointer, link, arguments = numbers[13], numbers[14], numbers[:2]
    else:
        numbers = [int(getattr(riscv_const, f"UC_RISCV_REG_X{number}")) for number in range(32)]
        pointer, link, arguments = numbers[2], numbers[1], numbers[10:12]
    machine.reg_write(pointer, TOP)
    machine.reg_write(link, RETURN | thumb)
    for register, argument in zip(arguments, (DATA, DATA + len(data) // 2), strict=True):
        machine.reg_write(register, argument)
    records: list[Record] = []
    following = 0

    def before(_machine: binding.Uc, address: int, size: int, _user: object) -> None:
        nonlocal following
        came_by_jump = not 0 <= address - following <= _SKIPPED
        following = address + size
        if address not in watched or not came_by_jump:
            return
        values = [int(machine.reg_read(register)) for register in numbers]
        if thumb:
            status = int(machine.reg_read(arm_const.UC_ARM_REG_APSR))
            values += [0, *(status & bits for bits in _STATUS.values())]
        records.append(Record(address, tuple(values), bytes(machine.mem_read(TOP - 512, 512))))
        if len(records) == RECORDS:
            machine.emu_stop()

    machine.hook_add(unicorn.UC_HOOK_CODE, before)
    machine.emu_start(elf.symbol(entry).address | thumb, RETURN, count=1 << 20)
    return tuple(records)
