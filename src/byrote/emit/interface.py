"""What the generated header promises about inputs and outputs."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.emit.names import identifier, unique_macros
from byrote.ir import Graph, Port, TensorId

ALIGN = 4
"""Alignment of the arena that generated code needs: no access is wider than a word."""

STATE_SIZE = 12
"""Bytes of arena for the progress of an inference whose input is pushed."""


@dataclass(frozen=True)
class PortAddress:
    """One input or output in the arena; `label` is the macro part made of its name, if it gives one.

    A pushed input has no offset.
    """

    kind: str
    index: int
    port: Port
    offset: int | None
    label: str | None

    @property
    def function(self) -> str:
        """Name of the accessor, without the model's prefix."""
        return f"{self.kind}_{self.index}"


@dataclass(frozen=True)
class Pushed:
    """The first input arrives in `rows` rows of `row_size` bytes; progress is kept at `state_offset`."""

    rows: int
    row_size: int
    state_offset: int


@dataclass(frozen=True)
class Interface:
    """Sizes and addresses that the caller sees."""

    name: str
    model: str
    arena_size: int
    align: int
    inputs: tuple[PortAddress, ...]
    outputs: tuple[PortAddress, ...]
    keep_input: bool = False
    pushed: Pushed | None = None

    @property
    def ports(self) -> tuple[PortAddress, ...]:
        return self.inputs + self.outputs

    @property
    def macro(self) -> str:
        return self.name.upper()


def interface(
    graph: Graph, name: str, addresses: dict[TensorId, int], arena_size: int, *, keep_input: bool, push_input: bool
) -> Interface:
    """The interface of a graph whose tensors lie at `addresses`."""
    ports = [("input", i, port) for i, port in enumerate(graph.inputs)]
    ports += [("output", i, port) for i, port in enumerate(graph.outputs)]
    labels = unique_macros(identifier(port.name, "") for _, _, port in ports)
    found = tuple(
        PortAddress(kind, i, port, addresses.get(port.tensor), label)
        for (kind, i, port), label in zip(ports, labels, strict=True)
    )
    count = len(graph.inputs)
    pushed = None
    if push_input:
        kind = graph.tensors[graph.inputs[0].tensor].type
        pushed = Pushed(kind.rows, kind.row_size, -(-arena_size // ALIGN) * ALIGN)
        arena_size = pushed.state_offset + STATE_SIZE
    size = max(arena_size, 1)
    return Interface(name, graph.name, size, ALIGN, found[:count], found[count:], keep_input, pushed)
