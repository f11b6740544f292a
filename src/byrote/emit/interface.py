"""What the generated header promises about inputs and outputs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from byrote.emit.names import identifier, unique_macros
from byrote.ir import Graph, Port, TensorId
from byrote.plan import Arena, arena_at

ALIGN = 4
"""Alignment of the arena that generated code needs: no access is wider than a word."""

STATE_SIZE = 12
"""Bytes of arena for the progress of an inference whose input is pushed."""


@dataclass(frozen=True)
class ArenaPart:
    """`size` bytes that the caller provides in `memory`; "" if there is one arena, wherever the caller has it."""

    memory: str
    size: int

    @property
    def parameter(self) -> str:
        """Its name in C."""
        return f"arena_{self.memory}" if self.memory else "arena"

    @property
    def macro(self) -> str:
        """Its part of the names of macros."""
        return f"ARENA_{self.memory.upper()}" if self.memory else "ARENA"


@dataclass(frozen=True)
class PortAddress:
    """One input or output, `offset` bytes into an arena; `label` is the macro part made of its name, if it gives one.

    A pushed input has no offset.
    """

    kind: str
    index: int
    port: Port
    offset: int | None
    label: str | None
    arena: int = 0

    @property
    def function(self) -> str:
        """Name of the accessor, without the model's prefix."""
        return f"{self.kind}_{self.index}"


@dataclass(frozen=True)
class Pushed:
    """The first input arrives in `rows` rows of `row_size` bytes; progress is kept in the last arena."""

    rows: int
    row_size: int
    state_offset: int


@dataclass(frozen=True)
class Interface:
    """Sizes and addresses that the caller sees.  Every function takes all arenas, in the order of `arenas`."""

    name: str
    model: str
    arenas: tuple[ArenaPart, ...]
    align: int
    inputs: tuple[PortAddress, ...]
    outputs: tuple[PortAddress, ...]
    keep_input: bool = False
    pushed: Pushed | None = None

    @property
    def parameters(self) -> str:
        """All arenas as the first parameters of a C function."""
        return ", ".join(f"uint8_t *{arena.parameter}" for arena in self.arenas)

    @property
    def arguments(self) -> str:
        """All arenas, handed on by a C function."""
        return ", ".join(arena.parameter for arena in self.arenas)

    def unused(self, body: str, indent: str = "    ") -> str:
        """Statements that say so of the arenas that the text of a function does not name."""
        words = frozenset(re.findall(r"\w+", body))
        return "".join(f"{indent}(void){a.parameter};\n" for a in self.arenas if a.parameter not in words)

    @property
    def ports(self) -> tuple[PortAddress, ...]:
        return self.inputs + self.outputs

    @property
    def macro(self) -> str:
        return self.name.upper()


def interface(
    graph: Graph,
    name: str,
    addresses: Mapping[TensorId, int],
    arenas: Sequence[Arena],
    *,
    keep_input: bool,
    push_input: bool,
) -> Interface:
    """The interface of a graph whose tensors lie at `addresses` on the line of offsets that `arenas` divide."""
    ports = [("input", i, port) for i, port in enumerate(graph.inputs)]
    ports += [("output", i, port) for i, port in enumerate(graph.outputs)]
    labels = unique_macros(identifier(port.name, "") for _, _, port in ports)
    found = tuple(
        _located(PortAddress(kind, i, port, addresses.get(port.tensor), label), arenas)
        for (kind, i, port), label in zip(ports, labels, strict=True)
    )
    count = len(graph.inputs)
    sizes = [arena.size for arena in arenas]
    pushed = None
    if push_input:
        kind = graph.tensors[graph.inputs[0].tensor].type
        pushed = Pushed(kind.rows, kind.row_size, -(-sizes[-1] // ALIGN) * ALIGN)
        sizes[-1] = pushed.state_offset + STATE_SIZE
    names = arena_names(arenas)
    parts = tuple(ArenaPart(memory, max(size, 1)) for memory, size in zip(names, sizes, strict=True))
    return Interface(name, graph.name, parts, ALIGN, found[:count], found[count:], keep_input, pushed)


def arena_names(arenas: Sequence[Arena]) -> tuple[str, ...]:
    """Names of the memories, where there are several."""
    return tuple(arena.memory.name for arena in arenas) if len(arenas) > 1 else ("",)


def _located(address: PortAddress, arenas: Sequence[Arena]) -> PortAddress:
    if address.offset is None:
        return address
    index = arena_at(arenas, address.offset)
    return replace(address, arena=index, offset=address.offset - arenas[index].start)
