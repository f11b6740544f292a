"""Every buffer of the plan as people see it: where it lies, how long it lives, what it is for."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.plan import Arena, Role
from byrote.report.peak import moments, plain_name, writers
from byrote.result import Result


@dataclass(frozen=True)
class PlacedBuffer:
    """`size` bytes at `offset` of an arena, alive during the calls start <= t < end of the plan's clock.

    `made_by`: the layer that writes it or calculates in it; "" for inputs.  `first`, `last`: what happens at its first
    and at its last call.
    """

    name: str
    role: Role
    made_by: str
    offset: int
    size: int
    start: int
    end: int
    first: str
    last: str

    @property
    def text(self) -> str:
        """All of it."""
        of = f", of layer {self.made_by}" if self.made_by else ""
        life = f"alive from when {self.first}" if self.first else "alive"
        life += f" until {self.last}" if self.last != self.first else ""
        place = f"{self.size:,} bytes at {self.offset:,} to {self.offset + self.size:,}"
        return f"{self.name}: {self.role.value}{of}; {place}; {life} (calls {self.start} to {self.end - 1})"


def placed_buffers(result: Result, arena: Arena) -> tuple[PlacedBuffer, ...]:
    """Those that lie in `arena`, in the order of their lives; buffers without bytes are left out."""
    happens, layers = moments(result), writers(result)
    found: list[PlacedBuffer] = []
    for index, (buffer, offset) in enumerate(zip(result.problem.buffers, result.plan.offsets, strict=True)):
        if not buffer.size or not arena.start <= offset < arena.end:
            continue
        layer = layers.get(index)
        found.append(
            PlacedBuffer(
                plain_name(buffer.name),
                buffer.role,
                f"{layer} {result.graph.nodes[layer].op.name}" if layer is not None else "",
                offset - arena.start,
                buffer.size,
                buffer.start,
                buffer.end,
                happens.get(buffer.start, ""),
                happens.get(buffer.end - 1, ""),
            )
        )
    return tuple(sorted(found, key=lambda b: (b.start, b.end, b.offset, b.name)))
