"""Executes single instructions on an emulated core, to compare what they do with what the decoder says."""

from __future__ import annotations

from dataclasses import dataclass, replace

import unicorn
from unicorn import arm_const, riscv_const
from unicorn.unicorn_py3 import unicorn as binding

CODE, DATA, SIZE = 0x10000000, 0x20000000, 0x10000
MIDDLE = DATA + SIZE // 2
_FLAG_BITS = {16: 0xC0000000, 17: 1 << 29, 18: 1 << 28, 19: 1 << 27, 20: 0xF0000}

_WRITE_STATUS = bytes.fromhex("80f3008c")
_READ_STATUS = bytes.fromhex("eff30080")
"""msr apsr_nzcvqg, r0 and mrs r0, apsr: the emulator's own access to the flags leaves some out."""


@dataclass(frozen=True)
class Registers:
    """Values by the decoder's numbers; flags hold their bits of the status register, in place."""

    values: tuple[int, ...]

    def with_value(self, number: int, value: int) -> Registers:
        return replace(self, values=(*self.values[:number], value, *self.values[number + 1 :]))


@dataclass(frozen=True)
class Outcome:
    registers: Registers
    memory: bytes
    next_address: int


class Bench:
    """One core, one page of code, and data memory with the same content before each step."""

    def __init__(self, thumb: bool, content: bytes) -> None:
        assert len(content) == SIZE
        self._thumb = thumb
        self._content = content
        if thumb:
            self._core = binding.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
            self._core.ctl_set_cpu_model(arm_const.UC_CPU_ARM_CORTEX_M33)
            names = [f"UC_ARM_REG_R{number}" for number in range(13)] + ["UC_ARM_REG_SP", "UC_ARM_REG_LR"]
            self._numbers = [int(getattr(arm_const, name)) for name in names]
            self._counter = arm_const.UC_ARM_REG_PC
        else:
            self._core = binding.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
            self._numbers = [int(getattr(riscv_const, f"UC_RISCV_REG_X{number}")) for number in range(32)]
            self._counter = riscv_const.UC_RISCV_REG_PC
        self._core.mem_map(CODE, 0x1000)
        self._core.mem_map(DATA, SIZE)

    def step(self, code: bytes, before: Registers) -> Outcome | None:
        """Execute one instruction; None if the core refuses it."""
        core = self._core
        core.ctl_remove_cache(CODE, CODE + 0x1000)
        core.mem_write(CODE, code.ljust(4, b"\0") + (_WRITE_STATUS + _READ_STATUS if self._thumb else b""))
        core.mem_write(DATA, self._content)
        if self._thumb:
            core.reg_write(self._numbers[0], sum(before.values[number] for number in _FLAG_BITS))
            core.emu_start(CODE + 4 | 1, CODE + 0x800, count=1)
        for number, register in enumerate(self._numbers):
            core.reg_write(register, before.values[number])
        try:
            core.emu_start(CODE | self._thumb, CODE + 0x800, count=1)
        except binding.UcError:
            return None
        values = [int(core.reg_read(register)) for register in self._numbers]
        next_address = int(core.reg_read(self._counter))
        if self._thumb:
            core.emu_start(CODE + 8 | 1, CODE + 0x800, count=1)
            status = int(core.reg_read(self._numbers[0]))
            values += [0, *(status & bits for bits in _FLAG_BITS.values())]
        return Outcome(Registers(tuple(values)), bytes(core.mem_read(DATA, SIZE)), next_address)


def flag_bits(number: int) -> int:
    """The bits of the status register that a flag of the decoder stands for; all bits for a register."""
    return _FLAG_BITS.get(number, 0xFFFFFFFF)
