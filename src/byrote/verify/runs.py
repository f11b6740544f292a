"""Runs of a model's firmware: every input counted, one input with all loads and stores watched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from byrote.emit.interface import Interface
from byrote.result import Result
from byrote.targets import Target
from byrote.verify.elf import Elf
from byrote.verify.emulator import Machine
from byrote.verify.host import interface_of
from byrote.verify.inputs import Inputs
from byrote.verify.observation import Observation, Run
from byrote.verify.outcome import Check

GUARD = 256
"""Bytes on both sides of the arena that nothing may touch."""

STACK_ROOM = 4096
"""Bytes below the stack's bound in which a use of too much stack is told from a stray store."""

PAINT = 0xA5


@dataclass
class Firmware:
    """A loaded program with its arenas, each in its memory."""

    result: Result
    elf: Elf
    target: Target
    entry: str
    machine: Machine = field(init=False)
    api: Interface = field(init=False)
    arenas: tuple[int, ...] = field(init=False)
    """Address of each arena."""
    source: int | None = field(init=False, default=None)
    """Where the input of a model that takes it row by row lies: not in an arena."""

    def __post_init__(self) -> None:
        self.machine = Machine(self.elf, self.target)
        self.api = interface_of(self.result)
        self.arenas = tuple(
            self._allocate(part.size, arena.memory.name)
            for part, arena in zip(self.api.arenas, self.result.arenas, strict=True)
        )
        if self.api.pushed is not None:
            self.source = self.machine.allocate(self.api.inputs[0].port.type.size, 16)

    def _allocate(self, size: int, memory: str) -> int:
        """An arena between two guards."""
        self.machine.allocate(GUARD, 16, memory)
        arena = self.machine.allocate(size, 16, memory)
        self.machine.allocate(GUARD, 16, memory)
        return arena

    @property
    def arguments(self) -> tuple[int, ...]:
        """Of the entry function."""
        return self.arenas if self.source is None else (*self.arenas, self.source)

    def writable(self) -> tuple[tuple[int, int], ...]:
        """Where the program may write: the arenas."""
        sizes = (part.size for part in self.api.arenas)
        return tuple((arena, arena + size) for arena, size in zip(self.arenas, sizes, strict=True))

    def readable(self) -> tuple[tuple[int, int], ...]:
        """Where the program may read: the arenas, and an input outside them."""
        if self.source is None:
            return self.writable()
        return (*self.writable(), (self.source, self.source + self.api.inputs[0].port.type.size))

    def prepare(self, given: Inputs) -> None:
        """Poison the arenas and write the inputs."""
        for low, high in self.writable():
            self.machine.write(low, bytes([PAINT]) * (high - low))
        for address, value in zip(self.api.inputs, given, strict=True):
            place = self.source if address.offset is None else self.arenas[address.arena] + address.offset
            assert place is not None
            self.machine.write(place, np.ascontiguousarray(value).tobytes())

    def wrong(self, expected: Inputs) -> int:
        """Bytes of the outputs that are not as expected."""
        count = 0
        for address, value in zip(self.api.outputs, expected, strict=True):
            found = np.frombuffer(
                self.machine.read(self.arenas[address.arena] + (address.offset or 0), address.port.type.size), np.uint8
            )
            count += int(np.count_nonzero(found != np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)))
        return count


@dataclass(frozen=True)
class Runs:
    """One run per set of inputs; `wrong` bytes in all, the first of them in run `first_wrong`."""

    runs: tuple[Run, ...]
    wrong: int
    first_wrong: int

    def check(self, core: str) -> Check:
        return Check(f"C on the emulated {core}", not self.wrong, f"{len(self.runs)} inputs, {self.wrong} bytes differ")


def run_inputs(
    firmware: Firmware, inputs: Sequence[Inputs], expected: Sequence[Inputs], say: Callable[[str], None]
) -> Runs:
    """Run every set of inputs on a poisoned arena.  Raises EmulationError where the core would fault."""
    runs: list[Run] = []
    wrong: list[int] = []
    for index, (given, outputs) in enumerate(zip(inputs, expected[: len(inputs)], strict=True)):
        say(f"running on the emulated {firmware.target.name}, input {index + 1} of {len(inputs)}")
        firmware.prepare(given)
        runs.append(firmware.machine.call(firmware.entry, *firmware.arguments))
        wrong.append(firmware.wrong(outputs))
    first = next((index for index, count in enumerate(wrong) if count), 0)
    return Runs(tuple(runs), sum(wrong), first)


def watch(firmware: Firmware, given: Inputs, bound: int | None) -> Observation:
    """One run with all loads and stores seen, and the same again without watching.  `bound`: of the stack."""
    firmware.prepare(given)
    low, high = firmware.machine.stack_range
    stack = high - low if bound is None else min(bound + STACK_ROOM, high - low)
    stores, loads = firmware.writable(), firmware.readable()
    return firmware.machine.examine(firmware.entry, *firmware.arguments, stores=stores, loads=loads, stack=stack)


def watch_checks(seen: Observation, target: Target) -> tuple[Check, ...]:
    """What the watched run showed."""
    forbidden = sum(access.count for access in seen.forbidden)
    unaligned = sum(access.count for access in seen.unaligned)
    culprits = ", ".join(sorted({access.function for access in seen.forbidden})[:3])
    detail = f"{forbidden:,} in {culprits}" if forbidden else f"{unaligned:,} unaligned accesses, all allowed"
    return (
        Check(
            "stores only in arena and stack",
            not seen.stray_stores,
            _strays(seen, f"{seen.stores:,} stores, {seen.stray_stores:,} stray", store=True),
        ),
        Check(
            "loads only of arena, stack and constants",
            not seen.stray_loads,
            _strays(seen, f"{seen.loads:,} loads, {seen.stray_loads:,} stray", store=False),
        ),
        Check(
            f"no unaligned access that {target.name} forbids",
            not forbidden,
            detail if unaligned else "every access is aligned",
        ),
    )


def _strays(seen: Observation, detail: str, *, store: bool) -> str:
    first = next((access for access in seen.stray if access.store == store), None)
    return f"{detail}; first: {first}" if first else detail
