"""A linked program as plain values: symbols, sections, loadable segments, and which bytes are code."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import NoteSection, SymbolTableSection
from elftools.elf.sections import Section as RawSection

from byrote.targets import Architecture

_FLAG_WRITE, _FLAG_ALLOC, _FLAG_EXECUTE = 1, 2, 4
_MACHINES = {"EM_ARM": Architecture.THUMB, "EM_RISCV": Architecture.RV32}


class SymbolKind(Enum):
    """What a symbol names."""

    FUNCTION = "function"
    OBJECT = "object"
    OTHER = "other"


@dataclass(frozen=True)
class Symbol:
    """A name and its address, without the Thumb bit.  Hand-written assembly may state a size of 0."""

    name: str
    address: int
    size: int
    kind: SymbolKind
    local: bool = False

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(frozen=True)
class ElfSection:
    """A section; `data` is empty for one that occupies no space in the file (.bss), and for debug information."""

    name: str
    address: int
    size: int
    allocated: bool
    writable: bool
    executable: bool
    data: bytes = field(repr=False, default=b"")

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(frozen=True)
class Segment:
    """Bytes to load: `address` where the program sees them, `load_address` where they are stored (flash for .data)."""

    address: int
    load_address: int
    memory_size: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Elf:
    """A linked ELF file.

    `functions` are sorted by address; a function without a size reaches to the next one or the end of its section.
    `code` are the half-open address ranges of instructions inside executable sections, sorted; the rest of such a
    section is literal pools, tables and padding (mapping symbols of the Arm ELF supplement say so).
    `undefined` are names that the program uses and nobody defines (weak references).
    """

    path: Path
    architecture: Architecture
    entry: int
    symbols: tuple[Symbol, ...]
    functions: tuple[Symbol, ...]
    sections: tuple[ElfSection, ...]
    segments: tuple[Segment, ...]
    code: tuple[tuple[int, int], ...]
    undefined: tuple[str, ...] = ()

    def symbol(self, name: str) -> Symbol:
        """The symbol of that name, a global one first.  Raises KeyError with the name."""
        found = sorted((item for item in self.symbols if item.name == name), key=lambda item: item.local)
        if not found:
            raise KeyError(name)
        return found[0]

    def section(self, name: str) -> ElfSection | None:
        return next((section for section in self.sections if section.name == name), None)

    def function_at(self, address: int) -> Symbol | None:
        """The function that owns the instruction at this address."""
        index = bisect_right([function.address for function in self.functions], address) - 1
        if index < 0 or address >= self.functions[index].end:
            return None
        return self.functions[index]

    def read(self, address: int, size: int) -> bytes:
        """Initial bytes at a program address (zeros where a segment is longer in memory than in the file).

        Raises ValueError if they are not inside one segment.
        """
        for segment in self.segments:
            start = address - segment.address
            if start >= 0 and start + size <= segment.memory_size:
                return segment.data[start : start + size].ljust(size, b"\0")
        raise ValueError(f"{self.path.name}: no segment holds {size} bytes at {address:#x}")

    @property
    def flash_size(self) -> int:
        """Bytes stored in the image: code, constants and the initial values of variables."""
        return sum(len(segment.data) for segment in self.segments)

    @property
    def static_ram(self) -> int:
        """Bytes of variables, initialised or not."""
        return sum(section.size for section in self.sections if section.allocated and section.writable)


def load_elf(path: Path) -> Elf:
    """Read a linked program.  Raises ValueError for a machine that is neither Thumb nor RV32."""
    with path.open("rb") as stream:
        file = ELFFile(stream)
        machine = str(file.header["e_machine"])
        if machine not in _MACHINES:
            raise ValueError(f"{path.name}: machine {machine} is not supported")
        architecture = _MACHINES[machine]
        sections = tuple(_section(raw) for raw in file.iter_sections() if not isinstance(raw, NoteSection))
        table = file.get_section_by_name(".symtab")
        entries = _entries(table) if isinstance(table, SymbolTableSection) else []
        holders = {index for index, raw in enumerate(file.iter_sections()) if int(raw["sh_flags"]) & _FLAG_EXECUTE}
        segments = tuple(
            Segment(int(raw["p_vaddr"]), int(raw["p_paddr"]), int(raw["p_memsz"]), bytes(raw.data()))
            for raw in file.iter_segments()
            if raw["p_type"] == "PT_LOAD" and raw["p_memsz"]
        )
        entry = int(file.header["e_entry"])
    thumb = architecture is Architecture.THUMB
    symbols = tuple(_symbol(item, thumb) for item in entries if item.defined and not _is_mapping(item.name))
    executable = tuple(section for section in sections if section.executable)
    return Elf(
        path=path,
        architecture=architecture,
        entry=entry & ~1 if thumb else entry,
        symbols=symbols,
        functions=_functions(symbols, executable),
        sections=sections,
        segments=segments,
        code=_code(executable, [item for item in entries if item.section in holders and _is_mapping(item.name)]),
        undefined=tuple(sorted({item.name for item in entries if not item.defined and item.name})),
    )


@dataclass(frozen=True)
class _Entry:
    name: str
    value: int
    size: int
    kind: str
    local: bool
    section: int | None

    @property
    def defined(self) -> bool:
        return self.section is not None


def _entries(table: SymbolTableSection) -> list[_Entry]:
    return [
        _Entry(
            name=str(raw.name),
            value=int(raw["st_value"]),
            size=int(raw["st_size"]),
            kind=str(raw["st_info"]["type"]),
            local=raw["st_info"]["bind"] == "STB_LOCAL",
            section=_section_index(raw["st_shndx"]),
        )
        for raw in table.iter_symbols()
        if raw["st_info"]["type"] not in {"STT_FILE", "STT_SECTION"}
    ]


def _section_index(raw: int | str) -> int | None:
    """The number of a symbol's section, -1 for one in no section (an absolute value), None for an undefined symbol."""
    if isinstance(raw, int):
        return raw
    return None if raw == "SHN_UNDEF" else -1


def _section(raw: RawSection) -> ElfSection:
    flags = int(raw["sh_flags"])
    return ElfSection(
        name=str(raw.name),
        address=int(raw["sh_addr"]),
        size=int(raw["sh_size"]),
        allocated=bool(flags & _FLAG_ALLOC),
        writable=bool(flags & _FLAG_WRITE),
        executable=bool(flags & _FLAG_EXECUTE),
        data=b"" if raw["sh_type"] == "SHT_NOBITS" or raw.name.startswith(".debug") else bytes(raw.data()),
    )


def _symbol(item: _Entry, thumb: bool) -> Symbol:
    kind = {"STT_FUNC": SymbolKind.FUNCTION, "STT_OBJECT": SymbolKind.OBJECT}.get(item.kind, SymbolKind.OTHER)
    address = item.value & ~1 if thumb and kind is SymbolKind.FUNCTION else item.value
    return Symbol(item.name, address, item.size, kind, item.local)


def _functions(symbols: tuple[Symbol, ...], executable: tuple[ElfSection, ...]) -> tuple[Symbol, ...]:
    """Functions by address, aliases removed (the first global name wins), sizes filled in."""
    named = sorted(
        (item for item in symbols if item.kind is SymbolKind.FUNCTION),
        key=lambda item: (item.address, -item.size, item.local, item.name),
    )
    unique = [item for index, item in enumerate(named) if index == 0 or named[index - 1].address != item.address]
    complete: list[Symbol] = []
    for index, item in enumerate(unique):
        end = next((section.end for section in executable if section.address <= item.address < section.end), item.end)
        if index + 1 < len(unique):
            end = min(end, unique[index + 1].address)
        size = item.size or end - item.address
        complete.append(Symbol(item.name, item.address, size, item.kind, item.local))
    return tuple(complete)


def _is_mapping(name: str) -> bool:
    """Mapping symbols: $t and $x begin instructions, $d begins data; a suffix may follow after a dot."""
    return name.startswith(("$t", "$d", "$x"))


def _code(executable: tuple[ElfSection, ...], marks: list[_Entry]) -> tuple[tuple[int, int], ...]:
    """Half-open ranges of instructions.  A section without marks is all code; so is what lies before its first mark."""
    ranges: list[tuple[int, int]] = []
    for section in executable:
        own = (mark for mark in marks if section.address <= mark.value < section.end)
        inside = sorted((mark.value, mark.name[1] != "d") for mark in own)
        points = [(section.address, True), *inside, (section.end, False)]
        for (start, is_code), (end, _) in pairwise(points):
            if not is_code or start == end:
                continue
            if ranges and ranges[-1][1] == start:
                ranges[-1] = (ranges[-1][0], end)
                continue
            ranges.append((start, end))
    return tuple(ranges)
