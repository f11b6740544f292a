"""What is recorded while a program runs on the emulator, and the Python twins of native/hooks.c."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NOWHERE = 2**64 - 1
WRITE = 17
"""The emulator's word for a store."""

RANGES = 16
RECORDS = 32
IT_REACH = 7
_IT_BITS = 0x0600FC00

Counts = npt.NDArray[np.uint64]
Range = tuple[int, int]
"""Half-open interval of addresses."""

_u64 = ctypes.c_uint64


class Blocks(ctypes.Structure):
    """Mirror of struct blocks."""

    base: int
    length: int
    last_end: int
    count: int
    limit: int
    outside: int
    in_predicated: int
    _fields_ = (
        ("base", _u64),
        ("length", _u64),
        ("entered", ctypes.c_void_p),
        ("left", ctypes.c_void_p),
        ("jumped_to", ctypes.c_void_p),
        ("jumped_from", ctypes.c_void_p),
        ("last_end", _u64),
        ("count", _u64),
        ("limit", _u64),
        ("outside", _u64),
        ("stop", ctypes.c_void_p),
        ("predicated", ctypes.c_void_p),
        ("in_predicated", _u64),
    )


class Record(ctypes.Structure):
    """Mirror of struct access."""

    address: int
    pc: int
    size: int
    store: int
    _fields_ = (("address", _u64), ("pc", _u64), ("size", _u64), ("store", _u64))


class Memory(ctypes.Structure):
    """Mirror of struct memory."""

    base: int
    length: int
    stack_low: int
    stack_high: int
    lowest: int
    store_ranges: int
    store_low: ctypes.Array[ctypes.c_uint64]
    store_high: ctypes.Array[ctypes.c_uint64]
    load_ranges: int
    load_low: ctypes.Array[ctypes.c_uint64]
    load_high: ctypes.Array[ctypes.c_uint64]
    stores: int
    loads: int
    stray_stores: int
    stray_loads: int
    unaligned_outside: int
    records: int
    record: ctypes.Array[Record]
    pc: int
    status: int
    _fields_ = (
        ("base", _u64),
        ("length", _u64),
        ("stack_low", _u64),
        ("stack_high", _u64),
        ("lowest", _u64),
        ("store_ranges", _u64),
        ("store_low", _u64 * RANGES),
        ("store_high", _u64 * RANGES),
        ("load_ranges", _u64),
        ("load_low", _u64 * RANGES),
        ("load_high", _u64 * RANGES),
        ("stores", _u64),
        ("loads", _u64),
        ("stray_stores", _u64),
        ("stray_loads", _u64),
        ("unaligned", ctypes.c_void_p * 3),
        ("unaligned_outside", _u64),
        ("records", _u64),
        ("record", Record * RECORDS),
        ("read_register", ctypes.c_void_p),
        ("write_register", ctypes.c_void_p),
        ("pc", ctypes.c_int32),
        ("status", ctypes.c_int32),
        ("blocks", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Registers:
    """How a callback reaches the engine: read and write a register by its number, stop."""

    read: Callable[[int], int]
    write: Callable[[int, int], object]
    stop: Callable[[], object]


class BlockCounter:
    """Counts of a run, one entry per halfword of code: see struct blocks."""

    def __init__(self, base: int, length: int, predicated: npt.NDArray[np.uint32] | None) -> None:
        """Watch `length` halfwords of code from `base`; `predicated[i]` is the number of IT instructions before i."""
        self.entered: Counts = np.zeros(length + 1, np.uint64)
        self.left: Counts = np.zeros(length + 1, np.uint64)
        self.jumped_to: Counts = np.zeros(length + 1, np.uint64)
        self.jumped_from: Counts = np.zeros(length + 1, np.uint64)
        self.predicated = predicated
        self.state = Blocks(base=base, length=length)
        self.state.entered = self.entered.ctypes.data
        self.state.left = self.left.ctypes.data
        self.state.jumped_to = self.jumped_to.ctypes.data
        self.state.jumped_from = self.jumped_from.ctypes.data
        if predicated is not None:
            self.state.predicated = predicated.ctypes.data
        self.reset(0)

    def reset(self, limit: int) -> None:
        """Forget everything; the next run gives up after `limit` blocks."""
        for counts in (self.entered, self.left, self.jumped_to, self.jumped_from):
            counts[:] = 0
        self.state.last_end = self.state.outside = NOWHERE
        self.state.count = 0
        self.state.limit = limit

    def on_block(self, registers: Registers, address: int, size: int) -> None:
        """Twin of on_block in native/hooks.c."""
        state = self.state
        start = (address - state.base) >> 1
        end = start + (size >> 1)
        state.count += 1
        if state.count > state.limit:
            registers.stop()
        if start < 0 or end > state.length:
            if state.outside == NOWHERE:
                state.outside = address
            return
        if state.last_end != address:
            self.jumped_to[start] += 1
            if state.last_end != NOWHERE:
                self.jumped_from[(state.last_end - state.base) >> 1] += 1
        self.entered[start] += 1
        self.left[end] += 1
        state.last_end = address + size
        if self.predicated is not None:
            state.in_predicated = int(self.predicated[end]) - int(self.predicated[max(start - IT_REACH, 0)])


class MemoryWatcher:
    """Loads and stores of a run: see struct memory."""

    def __init__(self, blocks: BlockCounter, pc: int, status: int) -> None:
        """`pc` and `status` are the emulator's numbers of the registers."""
        self.blocks = blocks
        length = blocks.state.length
        self.unaligned: tuple[Counts, Counts, Counts] = (
            np.zeros(length, np.uint64),
            np.zeros(length, np.uint64),
            np.zeros(length, np.uint64),
        )
        self.state = Memory(base=blocks.state.base, length=length, pc=pc, status=status)
        for index, counts in enumerate(self.unaligned):
            self.state.unaligned[index] = counts.ctypes.data
        self.state.blocks = ctypes.addressof(blocks.state)

    def reset(self, stack: Range, stores: Sequence[Range], loads: Sequence[Range]) -> None:
        """Forget everything; the next run may store to the stack and `stores`, and load from `loads`."""
        for counts in self.unaligned:
            counts[:] = 0
        state = self.state
        state.stack_low, state.stack_high = stack
        state.lowest = stack[1]
        state.store_ranges, state.load_ranges = len(stores), len(loads)
        for index, (low, high) in enumerate(stores):
            state.store_low[index], state.store_high[index] = low, high
        for index, (low, high) in enumerate(loads):
            state.load_low[index], state.load_high[index] = low, high
        state.stores = state.loads = state.stray_stores = state.stray_loads = 0
        state.unaligned_outside = state.records = 0

    def on_access(self, registers: Registers, kind: int, address: int, size: int) -> None:
        """Twin of on_access in native/hooks.c."""
        state = self.state
        end = address + size
        if self.blocks.state.in_predicated:
            status = registers.read(state.status)
            if status & _IT_BITS:
                registers.write(state.status, status & ~_IT_BITS)
        if address & (min(size, 4) - 1):
            self._unaligned(registers, address, size)
        if kind != WRITE:
            state.loads += 1
            if not _inside(state.load_ranges, state.load_low, state.load_high, address, end):
                state.stray_loads += 1
                self._stray(registers, address, size, 0)
            return
        state.stores += 1
        if address >= state.stack_low and end <= state.stack_high:
            state.lowest = min(state.lowest, address)
            return
        if not _inside(state.store_ranges, state.store_low, state.store_high, address, end):
            state.stray_stores += 1
            self._stray(registers, address, size, 1)

    def _unaligned(self, registers: Registers, address: int, size: int) -> None:
        index = ((registers.read(self.state.pc) & ~1) - self.state.base) >> 1
        if not 0 <= index < self.state.length:
            self.state.unaligned_outside += 1
            return
        kind = 0 if size == 2 else 2 if address & 1 else 1
        self.unaligned[kind][index] += 1

    def _stray(self, registers: Registers, address: int, size: int, store: int) -> None:
        if self.state.records == RECORDS:
            return
        self.state.record[self.state.records] = Record(address, registers.read(self.state.pc) & ~1, size, store)
        self.state.records += 1


def _inside(
    count: int,
    low: ctypes.Array[ctypes.c_uint64],
    high: ctypes.Array[ctypes.c_uint64],
    start: int,
    end: int,
) -> bool:
    return any(start >= low[index] and end <= high[index] for index in range(count))
