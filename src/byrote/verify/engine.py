"""One instance of the emulator with a program loaded: memory, registers, one call, callbacks.

Memory is owned by the caller, so that several engines can look at the same bytes.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from mmap import mmap

import unicorn
from unicorn import arm_const, riscv_const
from unicorn.unicorn_py3 import unicorn as binding

from byrote.targets import Architecture, Target
from byrote.verify.hooks import BlockCounter, MemoryWatcher, Registers

PAGE = 4096
_NAMES = {
    unicorn.UC_MEM_READ_UNMAPPED: "load from",
    unicorn.UC_MEM_WRITE_UNMAPPED: "store to",
    unicorn.UC_MEM_FETCH_UNMAPPED: "jump to",
    unicorn.UC_MEM_WRITE_PROT: "store to read-only",
    unicorn.UC_MEM_READ_PROT: "load from protected",
    unicorn.UC_MEM_FETCH_PROT: "jump to protected",
}
_INVALID = unicorn.UC_HOOK_MEM_UNMAPPED | unicorn.UC_HOOK_MEM_PROT


UNSET = 0xA5A5A5A5
"""What registers hold at a call: the same every time, for what a function saves is part of what it does."""


class EmulationError(RuntimeError):
    """The program did something that no program may: what, at which address."""

    def __init__(self, what: str, pc: int) -> None:
        super().__init__(f"{what} (pc {pc:#010x})")
        self.what = what
        self.pc = pc


@dataclass(frozen=True)
class Mapping:
    """Host memory that the program sees at `address`; whole pages."""

    address: int
    content: mmap
    writable: bool

    @property
    def end(self) -> int:
        return self.address + len(self.content)


@dataclass(frozen=True)
class _Convention:
    """Registers of the calling convention, by the emulator's numbers; `general` are all that hold ordinary values."""

    general: tuple[int, ...]
    arguments: tuple[int, ...]
    result: int
    stack: int
    link: int
    pc: int
    status: int
    thumb: int


_ARM = _Convention(
    general=tuple(range(arm_const.UC_ARM_REG_R0, arm_const.UC_ARM_REG_R0 + 13)),
    arguments=(arm_const.UC_ARM_REG_R0, arm_const.UC_ARM_REG_R1, arm_const.UC_ARM_REG_R2, arm_const.UC_ARM_REG_R3),
    result=arm_const.UC_ARM_REG_R0,
    stack=arm_const.UC_ARM_REG_SP,
    link=arm_const.UC_ARM_REG_LR,
    pc=arm_const.UC_ARM_REG_PC,
    status=arm_const.UC_ARM_REG_EPSR,
    thumb=1,
)
_RISCV = _Convention(
    general=tuple(range(riscv_const.UC_RISCV_REG_X5, riscv_const.UC_RISCV_REG_X5 + 27)),
    arguments=tuple(range(riscv_const.UC_RISCV_REG_A0, riscv_const.UC_RISCV_REG_A0 + 8)),
    result=riscv_const.UC_RISCV_REG_A0,
    stack=riscv_const.UC_RISCV_REG_SP,
    link=riscv_const.UC_RISCV_REG_RA,
    pc=riscv_const.UC_RISCV_REG_PC,
    status=0,
    thumb=0,
)


class Engine:
    """An emulated core; callbacks are fixed when it is made, because translated code is kept."""

    def __init__(
        self,
        target: Target,
        mappings: Sequence[Mapping],
        blocks: BlockCounter,
        *,
        watch: bool = False,
        native: ctypes.CDLL | None = None,
    ) -> None:
        """Map the memories and install the callbacks: `native` ones, or the Python twins if that is None."""
        thumb = target.architecture is Architecture.THUMB
        self._convention = _ARM if thumb else _RISCV
        self._uc = _core(target)
        self._fault = ""
        self._keep: list[object] = []
        for mapping in mappings:
            access = unicorn.UC_PROT_READ | (unicorn.UC_PROT_WRITE if mapping.writable else unicorn.UC_PROT_EXEC)
            self._uc.mem_map_ptr(mapping.address, len(mapping.content), access, _address(mapping.content))
        self.blocks = blocks
        self._return = _free_page(mappings)
        self._uc.mem_map(self._return, PAGE, unicorn.UC_PROT_READ | unicorn.UC_PROT_EXEC)
        self.memory = MemoryWatcher(blocks, self._convention.pc, self._convention.status) if watch else None
        self._uc.hook_add(_INVALID, self._on_invalid)
        if native is None:
            self._install_python()
        else:
            self._install_native(native)

    def call(self, address: int, arguments: Sequence[int], stack: int) -> int:
        """Call a function with 32-bit integers and run until it returns; the result register.

        Raises EmulationError for a fault, for code outside the program and at the limit of blocks.
        """
        convention, uc = self._convention, self._uc
        spilled = arguments[len(convention.arguments) :]
        top = stack - (4 * len(spilled) + 15) // 16 * 16
        for index, value in enumerate(spilled):
            uc.mem_write(top + 4 * index, struct.pack("<I", value & 0xFFFFFFFF))
        for register in convention.general:
            uc.reg_write(register, UNSET)
        for register, value in zip(convention.arguments, arguments, strict=False):
            uc.reg_write(register, value & 0xFFFFFFFF)
        uc.reg_write(convention.stack, top)
        uc.reg_write(convention.link, self._return | convention.thumb)
        self._fault = ""
        try:
            uc.emu_start(address | convention.thumb, self._return)
        except binding.UcError as error:
            raise EmulationError(self._fault or str(error), self._pc()) from error
        state = self.blocks.state
        if state.count > state.limit:
            raise EmulationError(f"no end after {state.limit} blocks", self._pc())
        if state.outside != 2**64 - 1:
            raise EmulationError(f"ran code outside the program at {state.outside:#010x}", state.outside)
        self.blocks.jumped_from[(state.last_end - state.base) >> 1] += 1
        return int(uc.reg_read(convention.result))

    def _pc(self) -> int:
        return int(self._uc.reg_read(self._convention.pc)) & ~1

    def _on_invalid(self, _uc: object, kind: int, address: int, size: int, _value: int, _data: object) -> bool:
        self._fault = f"{_NAMES.get(kind, 'access to')} unmapped memory: {size} bytes at {address:#010x}"
        if kind in (unicorn.UC_MEM_WRITE_PROT, unicorn.UC_MEM_READ_PROT, unicorn.UC_MEM_FETCH_PROT):
            self._fault = f"{_NAMES[kind]} memory: {size} bytes at {address:#010x}"
        return False

    def _install_python(self) -> None:
        uc = self._uc
        blocks, memory = self.blocks, self.memory

        def write(register: int, value: int) -> None:
            uc.reg_write(register, value)

        registers = Registers(read=uc.reg_read, write=write, stop=uc.emu_stop)

        def on_block(_uc: object, address: int, size: int, _data: object) -> None:
            blocks.on_block(registers, address, size)

        uc.hook_add(unicorn.UC_HOOK_BLOCK, on_block)
        if memory is None:
            return
        watcher = memory

        def on_access(_uc: object, kind: int, address: int, size: int, _value: int, _data: object) -> None:
            watcher.on_access(registers, kind, address, size)

        uc.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, on_access)

    def _install_native(self, native: ctypes.CDLL) -> None:
        library = binding.uclib
        self.blocks.state.stop = _function(library, "uc_emu_stop")
        self._hook(unicorn.UC_HOOK_BLOCK, _function(native, "on_block"), ctypes.addressof(self.blocks.state))
        if self.memory is None:
            return
        state = self.memory.state
        state.read_register = _function(library, "uc_reg_read")
        state.write_register = _function(library, "uc_reg_write")
        kinds = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
        self._hook(kinds, _function(native, "on_access"), ctypes.addressof(state))

    def _hook(self, kind: int, function: int, data: int) -> None:
        handle = ctypes.c_size_t()
        self._keep.append(handle)
        everywhere = (ctypes.c_uint64(1), ctypes.c_uint64(0))
        engine = vars(self._uc)["_uch"]
        status = binding.uclib.uc_hook_add(
            engine,
            ctypes.byref(handle),
            ctypes.c_int(kind),
            ctypes.c_void_p(function),
            ctypes.c_void_p(data),
            *everywhere,
        )
        if status:
            raise RuntimeError(f"the emulator refused a callback: error {status}")


def _core(target: Target) -> binding.Uc:
    emulator = target.emulator
    assert emulator is not None, f"{target.name} cannot be emulated"
    if target.architecture is Architecture.RV32:
        return binding.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
    core = binding.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS)
    core.ctl_set_cpu_model(int(vars(arm_const)[f"UC_CPU_ARM_{emulator.cpu}"]))
    return core


def _address(content: mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(content))


def _function(library: ctypes.CDLL, name: str) -> int:
    """Address of a C function."""
    pointer = ctypes.cast(library[name], ctypes.c_void_p).value
    assert pointer is not None
    return pointer


def _free_page(mappings: Sequence[Mapping]) -> int:
    """A page that no memory covers, in the part of the address space where every core may execute."""
    for page in range(0x01000000, 0x20000000, 0x01000000):
        if all(page + PAGE <= mapping.address or page >= mapping.end for mapping in mappings):
            return page
    raise ValueError("the memories of the target leave no room for a return address")
