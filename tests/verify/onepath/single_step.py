"""A slow and simple emulation, independent of the one that the package has: one callback per instruction and load."""

from __future__ import annotations

from dataclasses import dataclass

import unicorn
from unicorn.arm_const import UC_ARM_REG_LR, UC_ARM_REG_R0, UC_ARM_REG_R1, UC_ARM_REG_SP
from unicorn.riscv_const import UC_RISCV_REG_A0, UC_RISCV_REG_A1, UC_RISCV_REG_RA, UC_RISCV_REG_SP
from unicorn.unicorn_py3 import unicorn as binding

from byrote.targets import Architecture
from byrote.verify.elf import Elf

DATA, TOP, RETURN = 0x60000000, 0x60010000, 0x70000000


@dataclass(frozen=True)
class Steps:
    """`stack`: bytes from the stack pointer at entry to its lowest value before any instruction.

    `sources`: load instructions -> the store instructions that had last written what they read; loads that read
    anything that the run did not write, but for the program's own segments, are left out.
    """

    stack: int
    sources: dict[int, frozenset[int]]


def load(elf: Elf) -> binding.Uc:
    """A core with the program, data memory with the stack at its end, and a page to return to."""
    thumb = elf.architecture is Architecture.THUMB
    if thumb:
        machine = binding.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
    else:
        machine = binding.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    pages = {
        address & ~0xFFF
        for segment in elf.segments
        for address in (
            *range(segment.address, segment.address + segment.memory_size, 0x1000),
            segment.address + segment.memory_size - 1,
        )
    }
    for page in sorted(pages):
        machine.mem_map(page, 0x1000)
    for segment in elf.segments:
        machine.mem_write(segment.address, segment.data)
    machine.mem_map(DATA, TOP - DATA)
    machine.mem_map(RETURN, 0x1000)
    return machine


def single_step(elf: Elf, entry: str, *arguments: int) -> Steps:
    """Call a function with up to two arguments."""
    thumb = elf.architecture is Architecture.THUMB
    machine = load(elf)
    pointer = UC_ARM_REG_SP if thumb else UC_RISCV_REG_SP
    machine.reg_write(pointer, TOP)
    machine.reg_write(UC_ARM_REG_LR if thumb else UC_RISCV_REG_RA, RETURN | thumb)
    registers = (UC_ARM_REG_R0, UC_ARM_REG_R1) if thumb else (UC_RISCV_REG_A0, UC_RISCV_REG_A1)
    for register, argument in zip(registers, arguments, strict=False):
        machine.reg_write(register, argument)
    lowest = TOP
    current = 0
    writer: dict[int, int] = {}
    sources: dict[int, set[int]] = {}
    inputs: set[int] = set()

    def before(_machine: binding.Uc, address: int, _size: int, _user: object) -> None:
        nonlocal lowest, current
        lowest = min(lowest, int(machine.reg_read(pointer)))
        current = address

    def loaded(_machine: binding.Uc, _kind: int, address: int, size: int, _value: int, _user: object) -> None:
        found = sources.setdefault(current, set())
        for byte in range(address, address + size):
            if byte in writer:
                found.add(writer[byte])
            elif DATA <= byte < TOP:
                inputs.add(current)

    def stored(_machine: binding.Uc, _kind: int, address: int, size: int, _value: int, _user: object) -> None:
        writer.update(dict.fromkeys(range(address, address + size), current))

    machine.hook_add(unicorn.UC_HOOK_CODE, before)
    machine.hook_add(unicorn.UC_HOOK_MEM_READ, loaded)
    machine.hook_add(unicorn.UC_HOOK_MEM_WRITE, stored)
    machine.emu_start(elf.symbol(entry).address | thumb, RETURN, count=1 << 20)
    shown = {load: frozenset(stores) for load, stores in sources.items() if load not in inputs}
    return Steps(TOP - lowest, shown)
