"""What the generated header promises about inputs and outputs."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.emit.names import identifier, unique_macros
from byrote.ir import Graph, Port, TensorId


@dataclass(frozen=True)
class PortAddress:
    """One input or output in the arena; `label` is the macro part made of its name, if it gives one."""

    kind: str
    index: int
    port: Port
    offset: int
    label: str | None

    @property
    def function(self) -> str:
        """Name of the accessor, without the model's prefix."""
        return f"{self.kind}_{self.index}"


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

    @property
    def ports(self) -> tuple[PortAddress, ...]:
        return self.inputs + self.outputs

    @property
    def macro(self) -> str:
        return self.name.upper()


def interface(
    graph: Graph, name: str, addresses: dict[TensorId, int], arena_size: int, align: int, keep_input: bool
) -> Interface:
    """The interface of a graph whose tensors lie at `addresses`."""
    ports = [("input", i, port) for i, port in enumerate(graph.inputs)]
    ports += [("output", i, port) for i, port in enumerate(graph.outputs)]
    labels = unique_macros(identifier(port.name, "") for _, _, port in ports)
    found = tuple(
        PortAddress(kind, i, port, addresses[port.tensor], label)
        for (kind, i, port), label in zip(ports, labels, strict=True)
    )
    count = len(graph.inputs)
    return Interface(name, graph.name, max(arena_size, 1), align, found[:count], found[count:], keep_input)
