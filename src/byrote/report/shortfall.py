"""What does not fit: by how much, because of what, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.report.peak import PeakBuffer, peak_of, plain_name
from byrote.result import Result

_NAMED = 3
"""Buffers and layers that the sentence names."""


@dataclass(frozen=True)
class Remedy:
    """Bytes of RAM that are needed with other options, and how many of them would still be too many."""

    options: str
    needed: int
    excess: int

    def __str__(self) -> str:
        verdict = f"still {self.excess:,} too many" if self.excess else "it fits"
        preposition = "" if self.options.startswith("without") else "with "
        return f"{preposition}{self.options} {self.needed:,}: {verdict}"


@dataclass(frozen=True)
class WeightyLayer:
    """A layer and the bytes of its constants."""

    layer: int
    op: str
    name: str
    size: int

    def __str__(self) -> str:
        return f"{self.layer} {self.op} {plain_name(self.name)} {self.size:,}".replace("  ", " ")


@dataclass(frozen=True)
class Shortfall:
    """`memory`: "RAM", "flash", or the name of one of several memories.  Bytes; `excess` is needed - limit.

    `at` says what runs when the most bytes of `buffers` are alive.  `layers` are those with the largest constants, for
    flash.  `remedies`: plans with other options that need less RAM in all memories together, the least first.
    """

    memory: str
    needed: int
    limit: int
    excess: int
    at: str
    buffers: tuple[PeakBuffer, ...]
    layers: tuple[WeightyLayer, ...]
    remedies: tuple[Remedy, ...]
    text: str
    """All of it in a sentence or two."""


def shortfalls(result: Result, remedies: tuple[Remedy, ...] = ()) -> tuple[Shortfall, ...]:
    """One for each memory that is too small; none if everything fits."""
    found: list[Shortfall] = []
    for memory, used in zip(result.memories, result.in_memories, strict=True):
        if memory.capacity is None or not memory.excess(used):
            continue
        arena = next((arena for arena in result.arenas if arena.memory == memory), None)
        peak = peak_of(result, arena)
        name = memory.name if len(result.memories) > 1 else "RAM"
        text = _sentence(name, used, memory.capacity)
        if peak.buffers:
            text += f" When {peak.at}, these are alive: {_list(peak.buffers)}." if peak.at else ""
        text += f" {_help(result, remedies)}"
        found.append(
            Shortfall(name, used, memory.capacity, memory.excess(used), peak.at, peak.buffers, (), remedies, text)
        )
    limit = result.flash_limit
    if limit is not None and result.flash_excess:
        needed, layers = result.program.weight_bytes, _weights(result)
        text = f"{_sentence('flash', needed, limit)} The largest constants: {_list(layers)}."
        text += " The kernels with the smallest constants were taken already."
        found.append(Shortfall("flash", needed, limit, result.flash_excess, "", (), layers, (), text))
    return tuple(found)


def _sentence(memory: str, needed: int, limit: int) -> str:
    return f"{memory}: {needed:,} bytes are needed, {limit:,} are there: {needed - limit:,} too many."


def _list(items: Sequence[PeakBuffer | WeightyLayer]) -> str:
    rest = len(items) - _NAMED
    more = [f"{rest} more of {sum(item.size for item in items[_NAMED:]):,}"] if rest > 0 else []
    return ", ".join([*map(str, items[:_NAMED]), *more])


def _help(result: Result, remedies: tuple[Remedy, ...]) -> str:
    if not remedies:
        return "No other options need less RAM."
    together = " in all memories together" if len(result.memories) > 1 else ""
    return f"Bytes needed{together} {'; '.join(map(str, remedies))}."


def _weights(result: Result) -> tuple[WeightyLayer, ...]:
    """Layers by the size of their constants, the largest first."""
    found: list[WeightyLayer] = []
    for index, node in enumerate(result.graph.nodes):
        choice = result.selection.choices[index]
        size = sum(table.size for table in choice.lowered.tables) if choice is not None else 0
        if size:
            found.append(WeightyLayer(index, node.op.name, node.origin.name, size))
    return tuple(sorted(found, key=lambda layer: (-layer.size, layer.layer)))
