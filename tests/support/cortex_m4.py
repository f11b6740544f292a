"""A Cortex-M4 for tests of single kernels: compile C text, run functions, count instructions and cycles.

The cycle model is Arm's published Cortex-M4 timing at zero wait states: loads 2 cycles, 1 right after another single
load; stores 1; multiple loads and stores 1 + registers; a taken branch 2 more; everything else 1.  `strict` adds one
cycle to a load whose address was loaded just before, and the extra transfers of unaligned accesses.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from capstone import CS_ARCH_ARM, CS_MODE_MCLASS, CS_MODE_THUMB, Cs
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from unicorn import UC_ARCH_ARM, UC_HOOK_CODE, UC_HOOK_MEM_READ, UC_HOOK_MEM_WRITE, UC_MODE_MCLASS, UC_MODE_THUMB
from unicorn import arm_const as arm
from unicorn.unicorn import Uc

RUNTIME = Path(__file__).parents[2] / "src/byrote/runtime"
OPS = Path(__file__).parents[2] / "src/byrote/ops"
INCLUDES = tuple(f"-I{path}" for path in (RUNTIME, *sorted(OPS.glob("*/kernels"))))
FLASH, RAM, STACK, RETURN = 0x00010000, 0x20000000, 0x20700000, 0x00700000
SIZE = 8 << 20
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")

GCC = ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft")
GCC_FAST = (*GCC, "-O2", "-fno-schedule-insns")
CLANG = ("clang", "--target=thumbv7em-none-eabi", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft", "-ffreestanding")
CLANG_FAST = (*CLANG, "-O2", "-fomit-frame-pointer", "-fno-unroll-loops")

_SCRIPT = f"""
MEMORY {{ FLASH (rx): ORIGIN = {FLASH}, LENGTH = 4M  RAM (rwx): ORIGIN = {RAM}, LENGTH = 4M }}
SECTIONS {{
  .text : {{ *(.text*) *(.rodata*) . = ALIGN(16); }} > FLASH
  .ARM.exidx : {{ *(.ARM.exidx*) }} > FLASH
  .data : {{ *(.data*) *(.bss*) *(COMMON) . = ALIGN(16); }} > RAM
}}
"""
_SINGLE_LOADS = {"ldr", "ldrb", "ldrh", "ldrsb", "ldrsh"}
_MULTIPLE = {"ldm", "pop", "ldmdb", "ldrd", "ldmia", "stm", "push", "stmdb", "strd", "stmia"}
_NUMBERS = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 13, "lr": 14, "pc": 15}


def available(*compiler: str) -> bool:
    """Whether the compiler and the linker are there."""
    return shutil.which(compiler[0]) is not None and shutil.which("arm-none-eabi-ld") is not None


def build(source: str, folder: Path, compiler: tuple[str, ...] = GCC_FAST) -> Path:
    """Compile and link C text whose exported functions are kept."""
    text, object_file, script, elf = (folder / name for name in ("k.c", "k.o", "k.ld", "k.elf"))
    text.write_text(source)
    script.write_text(_SCRIPT)
    subprocess.run([*compiler, "-std=c99", *WARNINGS, *INCLUDES, "-c", str(text), "-o", str(object_file)], check=True)
    library = subprocess.run(
        [*GCC, "-print-libgcc-file-name"], check=True, capture_output=True, text=True
    ).stdout.strip()
    link = ["arm-none-eabi-ld", "-T", str(script), "--no-warn-rwx-segments", "-e", "0", str(object_file), library]
    subprocess.run([*link, "-o", str(elf)], check=True)
    return elf


@dataclass(frozen=True)
class _Instruction:
    kind: str
    registers: int
    target: str
    address: frozenset[str]


class CortexM4:
    """One loaded program.  `instructions`, `cycles`, `strict` and `stack` describe the last call."""

    def __init__(self, elf: Path) -> None:
        self._uc = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS)
        self._uc.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M4)
        self._uc.mem_map(0, SIZE)
        self._uc.mem_map(RAM, SIZE)
        with elf.open("rb") as file:
            parsed = ELFFile(file)
            for segment in parsed.iter_segments():
                if segment["p_type"] == "PT_LOAD" and segment["p_filesz"]:
                    self._uc.mem_write(segment["p_vaddr"], segment.data())
            table = parsed.get_section_by_name(".symtab")
            assert isinstance(table, SymbolTableSection)
            self.symbols = {s.name: int(s["st_value"]) for s in table.iter_symbols() if s.name}
            self.sizes = {s.name: int(s["st_size"]) for s in table.iter_symbols() if s.name}
        self._decoder = Cs(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS)
        self._known: dict[int, _Instruction] = {}
        self.instructions = self.cycles = self.extra = self.stack = 0
        self._fallthrough = 0
        self._previous = _Instruction("other", 0, "", frozenset())

    @property
    def strict(self) -> int:
        return self.cycles + self.extra

    def write(self, address: int, data: npt.NDArray[np.generic]) -> None:
        self._uc.mem_write(address, np.ascontiguousarray(data).tobytes())

    def read(self, address: int, size: int) -> npt.NDArray[np.uint8]:
        return np.frombuffer(bytes(self._uc.mem_read(address, size)), np.uint8)

    def call(self, function: str, *arguments: int, count: bool = False) -> int:
        """Run a function of at most four integer arguments; with `count` also fill the counters (slow)."""
        painted = b"\xa5" * 0x4000
        self._uc.mem_write(STACK - len(painted), painted)
        hook = self._uc.hook_add(UC_HOOK_CODE, self._step) if count else None
        self.instructions = self.cycles = self.extra = self._fallthrough = 0
        result = self._run(function, arguments)
        used = np.nonzero(self.read(STACK - len(painted), len(painted)) != 0xA5)[0]
        self.stack = len(painted) - int(used[0]) if used.size else 0
        if hook is not None:
            self._uc.hook_del(hook)
        return result

    def count_unaligned(self, function: str, *arguments: int) -> None:
        """Run again and add the cost of unaligned accesses to `extra` (a second run: the two hooks do not mix)."""
        hook = self._uc.hook_add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, self._access)
        self._run(function, arguments)
        self._uc.hook_del(hook)

    def _run(self, function: str, arguments: tuple[int, ...]) -> int:
        registers = (arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R1, arm.UC_ARM_REG_R2, arm.UC_ARM_REG_R3)
        for register, value in zip(registers, arguments, strict=False):
            self._uc.reg_write(register, value & 0xFFFFFFFF)
        self._uc.reg_write(arm.UC_ARM_REG_SP, STACK)
        self._uc.reg_write(arm.UC_ARM_REG_LR, RETURN | 1)
        self._uc.emu_start(self.symbols[function] | 1, RETURN)
        return int(self._uc.reg_read(arm.UC_ARM_REG_R0))

    def _access(self, _uc: Uc, _kind: int, address: int, size: int, _value: int, _data: object) -> None:
        if size == 4 and address & 3:
            self.extra += 2 if address & 1 else 1
        elif size == 2 and address & 1:
            self.extra += 1

    def _step(self, uc: Uc, address: int, size: int, _data: object) -> None:
        found = self._known.get(address)
        if found is None:
            found = self._known[address] = self._decode(bytes(uc.mem_read(address, 4)), address)
        self.instructions += 1
        if self._fallthrough not in (0, address):
            self.cycles += 2
        self._fallthrough = address + size if found.kind == "branch" else 0
        after_load = self._previous.kind == "load"
        if found.kind == "load":
            self.cycles += 1 if after_load else 2
            self.extra += after_load and self._previous.target in found.address
        else:
            self.cycles += 1 + found.registers
        self._previous = found

    def _decode(self, code: bytes, address: int) -> _Instruction:
        decoded = next(iter(self._decoder.disasm(code, address, 1)))
        name, operands = decoded.mnemonic.split(".")[0], decoded.op_str
        if name in _SINGLE_LOADS:
            base = operands[operands.find("[") :]
            registers = frozenset(re.findall(r"\b(?:r\d+|sb|sl|fp|ip|sp|lr)\b", base))
            return _Instruction("load", 0, operands.split(",")[0].strip(), registers)
        if name in _MULTIPLE:
            return _Instruction("multiple", 2 if name.endswith("rd") else _registers(operands), "", frozenset())
        branch = name in ("cbz", "cbnz", "bx", "blx") or (name[0] == "b" and name not in ("bic", "bfi", "bfc", "bics"))
        return _Instruction("branch" if branch else "other", 0, "", frozenset())


def _registers(operands: str) -> int:
    """Number of registers in the list of a multiple load or store."""
    inside = operands[operands.find("{") + 1 :].rstrip("}")
    return sum(_span(part.strip()) for part in inside.split(","))


def _span(part: str) -> int:
    first, _, last = part.partition("-")
    numbers = [_NUMBERS[r] if r in _NUMBERS else int(r[1:]) for r in (first, last or first)]
    return numbers[1] - numbers[0] + 1
