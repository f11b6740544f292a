"""A program on an emulated core: write its memory, call its functions, count and watch.

    machine = Machine(load_elf(path), target)
    arena = machine.allocate(size)
    machine.write(arena, data)
    run = machine.call("net_run", arena)            counts only: 100 M instructions a second
    seen = machine.observe("net_run", arena, stores=((arena, arena + size),))    every load and store, too
    seen = machine.examine("net_run", arena, stores=((arena, arena + size),))    both, and they must agree

Both work on the same memory.  RAM that the program does not initialise is filled with a pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from mmap import mmap

import numpy as np

from byrote.targets import Architecture, MemoryKind, Target
from byrote.verify.elf import Elf, Segment
from byrote.verify.engine import PAGE, EmulationError, Engine, Mapping
from byrote.verify.hooks import RANGES, BlockCounter, Range
from byrote.verify.native_hooks import native_hooks
from byrote.verify.observation import Access, Observation, Run, Unaligned
from byrote.verify.profile import UNKNOWN, Decoder

PAINT = 0xA5
"""What uninitialised RAM is filled with."""

BLOCK_LIMIT = 2_000_000_000
"""Blocks after which a call is given up."""


class Machine:
    """A core with one program; memory persists from call to call."""

    def __init__(self, elf: Elf, target: Target, *, native: bool = True) -> None:
        """Load the program.  `native=False` uses callbacks in Python: the same results, forty times slower.

        Raises ValueError if a segment lies outside the memories of the target.
        """
        self.elf = elf
        self.target = target
        self._memories = tuple((memory, mmap(-1, _pages(memory.size))) for memory in target.memories)
        self._mappings = tuple(
            Mapping(memory.origin, content, memory.kind is MemoryKind.RAM) for memory, content in self._memories
        )
        for memory, content in self._memories:
            if memory.kind is MemoryKind.RAM:
                content[:] = bytes([PAINT]) * len(content)
        for segment in elf.segments:
            self._load(segment)
        ram = target.memory(MemoryKind.RAM)
        assert ram is not None, f"{target.name} cannot be emulated"
        self.stack_top = ram.end & ~15
        self._ram = ram.name
        self._free = {
            memory.name: max(
                (s.end for s in elf.sections if s.allocated and memory.origin <= s.address < memory.end),
                default=memory.origin,
            )
            for memory in target.ram_memories
        }
        base, code = _code(elf)
        self._decoder = Decoder(elf, base, code)
        self._base = base
        self._length = len(code) // 2
        self._predicated = _it_instructions(code) if elf.architecture is Architecture.THUMB else None
        self._hooks = native_hooks() if native else None
        self._counting: Engine | None = None
        self._watching: Engine | None = None

    @property
    def native(self) -> bool:
        """Whether the callbacks are machine code."""
        return self._hooks is not None

    def address(self, symbol: str) -> int:
        """Address of a symbol.  Raises KeyError."""
        return self.elf.symbol(symbol).address

    def allocate(self, size: int, align: int = 16, memory: str | None = None) -> int:
        """Address of free bytes behind the program's variables in a RAM memory, the first by default.

        What is left of the first is for the stack.  Raises MemoryError, KeyError.
        """
        name = self._ram if memory is None else memory
        start = -(-self._free[name] // align) * align
        end = next(memory.end for memory in self.target.ram_memories if memory.name == name)
        if start + size > (self.stack_top if name == self._ram else end):
            raise MemoryError(f"{self.target.name}: {size} bytes do not fit in {name} behind {start:#x}")
        self._free[name] = start + size
        return start

    @property
    def stack_range(self) -> Range:
        """Bytes of the first RAM that nothing else owns."""
        return (self._free[self._ram], self.stack_top)

    def write(self, address: int, data: bytes) -> None:
        """Write memory, flash too.  Raises ValueError outside the memories."""
        content, start = self._locate(address, len(data))
        content[start : start + len(data)] = data

    def read(self, address: int, size: int) -> bytes:
        """Read memory.  Raises ValueError outside the memories."""
        content, start = self._locate(address, size)
        return content[start : start + size]

    def snapshot(self) -> tuple[bytes, ...]:
        """The contents of all memories, for `restore`."""
        return tuple(bytes(content) for _, content in self._memories)

    def restore(self, snapshot: tuple[bytes, ...]) -> None:
        """Back to the contents that `snapshot` returned."""
        for (_, content), data in zip(self._memories, snapshot, strict=True):
            content[:] = data

    def call(self, symbol: str, *arguments: int, limit: int = BLOCK_LIMIT) -> Run:
        """Call a function with 32-bit integers and count what it executes.

        Raises EmulationError for a fault or after `limit` blocks.
        """
        if self._counting is None:
            self._counting = self._engine(watch=False)
        result = self._run(self._counting, symbol, arguments, limit)
        return Run(result, self._decoder.profile(self._counting.blocks))

    def observe(
        self,
        symbol: str,
        *arguments: int,
        stores: Sequence[Range] | None = None,
        loads: Sequence[Range] | None = None,
        stack: int | None = None,
        limit: int = BLOCK_LIMIT,
    ) -> Observation:
        """Call a function and watch its memory, too.

        `stores`: where it may write besides its stack; None allows all RAM.  `loads`: where it may read besides its
        stack and the program's own constants and variables; None allows everything.  `stack`: bytes it may use; by
        default all free RAM.  Raises as call does.
        """
        if self._watching is None:
            self._watching = self._engine(watch=True)
        watcher = self._watching.memory
        assert watcher is not None
        low = self._free[self._ram] if stack is None else self.stack_top - stack
        everything = tuple((mapping.address, mapping.end) for mapping in self._mappings)
        image = tuple((section.address, section.end) for section in self.elf.sections if section.allocated)
        may_store = everything if stores is None else _joined(stores)
        may_load = everything if loads is None else _joined((*loads, *image, (low, self.stack_top)))
        watcher.reset((low, self.stack_top), may_store, may_load)
        result = self._run(self._watching, symbol, arguments, limit)
        state = watcher.state
        if state.unaligned_outside:
            raise EmulationError("unaligned access by code outside the program", 0)
        records = [state.record[index] for index in range(state.records)]
        return Observation(
            result=result,
            profile=self._decoder.profile(self._watching.blocks),
            stack=self.stack_top - state.lowest,
            loads=state.loads,
            stores=state.stores,
            stray_loads=state.stray_loads,
            stray_stores=state.stray_stores,
            stray=tuple(Access(r.address, r.size, r.pc, self._function(r.pc), bool(r.store)) for r in records),
            unaligned=self._unaligned(self._watching),
        )

    def examine(
        self,
        symbol: str,
        *arguments: int,
        stores: Sequence[Range] | None = None,
        loads: Sequence[Range] | None = None,
        stack: int | None = None,
    ) -> Observation:
        """`call`, and from the same memory `observe`, which must agree in every count, the result and all memory.

        Memory callbacks interfere with the emulator more than block callbacks do; this is the check that they do not
        change what runs.  Raises EmulationError if they do, and as `call` and `observe` do.
        """
        before = self.snapshot()
        run = self.call(symbol, *arguments)
        after = self.snapshot()
        self.restore(before)
        seen = self.observe(symbol, *arguments, stores=stores, loads=loads, stack=stack)
        if seen.result != run.result or not seen.profile.same_as(run.profile) or self.snapshot() != after:
            raise EmulationError(f"{symbol}: watching its memory changed what it does", self.address(symbol))
        return seen

    def _engine(self, *, watch: bool) -> Engine:
        blocks = BlockCounter(self._base, self._length, self._predicated)
        return Engine(self.target, self._mappings, blocks, watch=watch, native=self._hooks)

    def _run(self, engine: Engine, symbol: str, arguments: Sequence[int], limit: int) -> int:
        engine.blocks.reset(limit)
        try:
            return engine.call(self.address(symbol), arguments, self.stack_top)
        except EmulationError as error:
            raise EmulationError(f"{symbol}: {error.what} in {self._function(error.pc)}", error.pc) from error

    def _function(self, pc: int) -> str:
        function = self.elf.function_at(pc)
        return function.name if function else UNKNOWN

    def _unaligned(self, engine: Engine) -> tuple[Unaligned, ...]:
        assert engine.memory is not None
        halfword, word, odd = engine.memory.unaligned
        found: list[Unaligned] = []
        for index in np.flatnonzero(halfword + word + odd):
            pc = self._base + 2 * int(index)
            counts = (int(halfword[index]), int(word[index]), int(odd[index]))
            forbidden = "unaligned" not in self.target.features or _must_align(self.read(pc, 2))
            found.append(Unaligned(pc, self._function(pc), *counts, forbidden))
        return tuple(found)

    def _locate(self, address: int, size: int) -> tuple[mmap, int]:
        for memory, content in self._memories:
            if memory.origin <= address and address + size <= memory.end:
                return content, address - memory.origin
        raise ValueError(f"{self.target.name}: no memory holds {size} bytes at {address:#x}")

    def _load(self, segment: Segment) -> None:
        """Copy a segment to where the program sees it, as start-up code would, and zero the rest of it."""
        self.write(segment.address, segment.data.ljust(segment.memory_size, b"\0"))


def _pages(size: int) -> int:
    return -(-size // PAGE) * PAGE


def _code(elf: Elf) -> tuple[int, bytes]:
    """The address range of all executable sections and its bytes."""
    sections = [section for section in elf.sections if section.executable and section.size]
    if not sections:
        raise ValueError(f"{elf.path.name} holds no code")
    base = min(section.address for section in sections)
    code = bytearray(max(section.end for section in sections) - base + 1 & ~1)
    for section in sections:
        code[section.address - base : section.end - base] = section.data
    return base, bytes(code)


def _must_align(first: bytes) -> bool:
    """Whether a Thumb instruction with this first halfword faults on unaligned memory whatever the core allows.

    Multiple, double, exclusive and coprocessor transfers do: encodings 0xE8.., 0xE9.., 0xEC.., 0xED.., and the 16-bit
    forms 0xC... (LDM, STM), 0xB4.., 0xB5.., 0xBC.., 0xBD.. (PUSH, POP).
    """
    half = int.from_bytes(first, "little")
    return half & 0xFA00 == 0xE800 or half & 0xF000 == 0xC000 or half & 0xF600 == 0xB400


def _it_instructions(code: bytes) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Number of halfwords before each that look like IT (the second half of a long instruction may, too)."""
    halves = np.frombuffer(code, "<u2")
    looks = ((halves & 0xFF00) == 0xBF00) & ((halves & 0xF) != 0)
    return np.concatenate([np.zeros(1, np.uint32), np.cumsum(looks, dtype=np.uint32)]).astype(np.uint32)


def _joined(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Overlapping and touching ranges made one.  Raises ValueError if too many remain."""
    joined: list[Range] = []
    for low, high in sorted(item for item in ranges if item[0] < item[1]):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
            continue
        joined.append((low, high))
    if len(joined) > RANGES:
        raise ValueError(f"at most {RANGES} separate ranges can be watched, not {len(joined)}")
    return tuple(joined)
