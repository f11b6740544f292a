"""The code and the constant data of a linked program, decoded once."""

from __future__ import annotations

from bisect import bisect_right

from byrote.verify.elf import Elf
from byrote.verify.onepath.effect import UNKNOWN, Flow, Instruction, Machine
from byrote.verify.onepath.value import CLEAN, Value, constant


class Program:
    """Basic blocks by address, and what the read-only sections hold."""

    def __init__(self, elf: Elf, machine: Machine) -> None:
        self._elf = elf
        self._machine = machine
        self._instructions: dict[int, Instruction] = {}
        self._decoded: set[int] = set()
        self._starts = [start for start, _ in elf.code]
        self._blocks: dict[int, tuple[Instruction, ...]] = {}
        self._constants = tuple(
            (section.address, section.end, section.data)
            for section in elf.sections
            if section.allocated and not section.writable and section.data
        )

    @property
    def global_pointer(self) -> Value:
        """What the start-up code puts into the global pointer of RISC-V; a program that relaxes nothing needs none."""
        found = [item.address for item in self._elf.symbols if item.name == "__global_pointer$"]
        return constant(found[0]) if found else CLEAN

    def function(self, address: int) -> str:
        """The name of the function that owns an instruction."""
        symbol = self._elf.function_at(address)
        return symbol.name if symbol else f"{address:#x}"

    def inside_function(self, address: int) -> bool:
        """Whether an address lies in a function, but is not where it begins."""
        symbol = self._elf.function_at(address)
        return symbol is not None and symbol.address != address

    def instruction(self, address: int) -> Instruction:
        """The instruction at an address; an unknown one where there is no code."""
        found = self._instructions.get(address)
        if found is None:
            self._decode_around(address)
            found = self._instructions.get(address)
        return found or Instruction(address, 2, "no instruction here", UNKNOWN)

    def block(self, address: int) -> tuple[Instruction, ...]:
        """The instructions from an address to the first that does not simply continue."""
        found = self._blocks.get(address)
        if found is not None:
            return found
        collected = [self.instruction(address)]
        while collected[-1].effect.flow is Flow.NEXT:
            collected.append(self.instruction(collected[-1].end))
        self._blocks[address] = tuple(collected)
        return self._blocks[address]

    def constant_load(self, address: int, size: int, signed: bool) -> Value | None:
        """The value of read-only memory at an address; None if not all of it is read-only."""
        for start, end, data in self._constants:
            if start <= address and address + size <= end:
                raw = data[address - start : address - start + size]
                return constant(int.from_bytes(raw, "little", signed=signed))
        return None

    def _decode_around(self, address: int) -> None:
        index = bisect_right(self._starts, address) - 1
        if index < 0 or index in self._decoded or address >= self._elf.code[index][1]:
            return
        self._decoded.add(index)
        start, end = self._elf.code[index]
        section = next(item for item in self._elf.sections if item.executable and item.address <= start < item.end)
        code = section.data[start - section.address : end - section.address]
        self._instructions.update((item.address, item) for item in self._machine.decode(code, start))
