"""What a target file says, as frozen values.

A file is checked completely when it is read: an unknown key, a missing one or a value of another type is an error that
names the file and the place.  Nothing here knows a kernel or an operator: features are plain words that both sides use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import msgspec
import msgspec.toml

from byrote.ir import user_error

FOLDER = Path(__file__).parent

_SPACING = 1 << 20
"""Memories whose place is not known begin at multiples of this."""


class Architecture(Enum):
    """The instruction set family: what the decoder, the emulator and the linker must know."""

    HOST = "host"
    THUMB = "thumb"
    RV32 = "rv32"


class MemoryKind(Enum):
    """Whether a program may write it."""

    FLASH = "flash"
    RAM = "ram"


@dataclass(frozen=True)
class Memory:
    """One contiguous memory; sizes and addresses in bytes.

    `wait_states`: cycles added to each access; `fetch_width`: bytes of code that one access delivers.
    """

    name: str
    kind: MemoryKind
    origin: int
    size: int
    wait_states: int = 0
    fetch_width: int = 8

    @property
    def end(self) -> int:
        return self.origin + self.size


@dataclass(frozen=True)
class Power:
    """An estimate of the whole microcontroller's active power, and where the number comes from."""

    mw_per_mhz: float
    source: str


@dataclass(frozen=True)
class CompilerFlags:
    """How one compiler is told about the core.

    `flags` select the core and are needed for right code; `optimise` are those for which speed and proofs are claimed.
    `prefix` is put before the names of the tools (arm-none-eabi-).
    """

    flags: tuple[str, ...]
    optimise: tuple[str, ...]
    prefix: str = ""


@dataclass(frozen=True)
class Emulator:
    """The emulator's model of the core, and the table of its instruction timings ("" where there is none)."""

    cpu: str
    timing: str = ""


@dataclass(frozen=True)
class Target:
    """A core with default memories; the first memory of each kind is where code and data go unless told otherwise.

    RAM is listed from the fastest to the slowest memory; the stack lies at the end of the first.

    `similar`: the core whose measured costs serve where this one has none.  `instructions_per_mac`: what the best inner
    loop of its kernels would need if nothing else were to be done, the yardstick of `bench`.
    """

    name: str
    description: str
    architecture: Architecture
    features: frozenset[str]
    memories: tuple[Memory, ...]
    compilers: tuple[tuple[str, CompilerFlags], ...]
    clock_mhz: float | None = None
    power: Power | None = None
    emulator: Emulator | None = None
    similar: str = ""
    instructions_per_mac: float | None = None

    def flags(self, compiler: str) -> CompilerFlags | None:
        """Flags of "zig", "clang" or "gcc"; None if the target does not know that compiler."""
        return dict(self.compilers).get(compiler)

    def memory(self, kind: MemoryKind) -> Memory | None:
        """The first memory of this kind; the host has none."""
        return next((memory for memory in self.memories if memory.kind is kind), None)

    @property
    def flash(self) -> int | None:
        """Bytes of all flash memories together; None on the host."""
        return self._size(MemoryKind.FLASH)

    @property
    def ram(self) -> int | None:
        """Bytes of all RAM together; None on the host."""
        return self._size(MemoryKind.RAM)

    def resized(self, *, ram: int | None = None, flash: int | None = None) -> Target:
        """The same core with other sizes (bytes) of its first RAM and flash."""
        return self._with_size(MemoryKind.RAM, ram)._with_size(MemoryKind.FLASH, flash)

    @property
    def ram_memories(self) -> tuple[Memory, ...]:
        """All RAM, the fastest first."""
        return tuple(memory for memory in self.memories if memory.kind is MemoryKind.RAM)

    def with_ram(self, sizes: Sequence[tuple[str, int]]) -> Target:
        """The same core with just these RAM memories: (name, bytes), the fastest first.

        Those that it has by that name keep their place, as far as they do not run into each other; others are put
        behind all that is there.  The host, which has none, stays as it is.
        """
        known = {memory.name: memory for memory in self.ram_memories}
        if not known:
            return self
        model = self.ram_memories[0]
        fixed = tuple(memory for memory in self.memories if memory.kind is not MemoryKind.RAM)
        placed: list[Memory] = []
        for index, (name, size) in enumerate(sizes):
            memory = replace(known.get(name, model), name=name, size=size)
            taken = [*fixed, *placed, *(known[n] for n, _ in sizes[index + 1 :] if n in known)]
            if any(memory.origin < other.end and other.origin < memory.end for other in (*fixed, *placed)):
                memory = replace(memory, origin=-(-max(other.end for other in taken) // _SPACING) * _SPACING)
            placed.append(memory)
        return replace(self, memories=(*fixed, *placed))

    def _size(self, kind: MemoryKind) -> int | None:
        sizes = [memory.size for memory in self.memories if memory.kind is kind]
        return sum(sizes) if sizes else None

    def _with_size(self, kind: MemoryKind, size: int | None) -> Target:
        chosen = self.memory(kind)
        if size is None or chosen is None:
            return self
        memories = tuple(replace(memory, size=size) if memory is chosen else memory for memory in self.memories)
        return replace(self, memories=memories)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The layout of a target file."""

    description: str
    architecture: Architecture
    features: frozenset[str] = frozenset()
    memories: tuple[Memory, ...] = ()
    compilers: dict[str, CompilerFlags] = {}
    clock_mhz: float | None = None
    power: Power | None = None
    emulator: Emulator | None = None
    similar: str = ""
    instructions_per_mac: float | None = None


def target_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """Names of all targets, sorted: the stems of the files in the folder."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def load_target(name: str, folder: Path = FOLDER) -> Target:
    """The target of that name.  Raises UserError if there is none, or if its file says something wrong."""
    names = target_names(folder)
    if name not in names:
        raise user_error("", f"unknown target '{name}'", f"known targets: {', '.join(names)}")
    path = folder / f"{name}.toml"
    try:
        file = msgspec.toml.decode(path.read_bytes(), type=_File)
    except msgspec.DecodeError as error:
        raise user_error(path.name, str(error), "mend the target file") from error
    return Target(
        name=name,
        description=file.description,
        architecture=file.architecture,
        features=file.features,
        memories=file.memories,
        compilers=tuple(file.compilers.items()),
        clock_mhz=file.clock_mhz,
        power=file.power,
        emulator=file.emulator,
        similar=file.similar,
        instructions_per_mac=file.instructions_per_mac,
    )


def targets(folder: Path = FOLDER) -> tuple[Target, ...]:
    """All targets, sorted by name."""
    return tuple(load_target(name, folder) for name in target_names(folder))
