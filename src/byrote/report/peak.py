"""When a memory is fullest: what runs then, and what lies in it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from byrote.liveness.clock import Kind, clocks
from byrote.plan import Arena, Problem, fullest
from byrote.result import Result


@dataclass(frozen=True)
class PeakBuffer:
    """A buffer that is alive at the call with the most bytes; overlapping ones count for more than they take.

    `layer`: the node that writes it, or calculates in it; null for an input of the model.  `memory`: where it lies.
    """

    name: str
    role: str
    size: int
    layer: int | None
    op: str
    memory: str

    def __str__(self) -> str:
        """`activation_2/Relu of 3 ADD (kept rows) 2,048`."""
        by = f" of {self.layer} {self.op}" if self.layer is not None else ""
        return f"{plain_name(self.name)}{by} ({self.role}) {self.size:,}"


@dataclass(frozen=True)
class Peak:
    """`at`: the layer that runs, or what moves; "" if nothing is called.  The largest buffers come first.

    `call`: when, on the clock of the plan.
    """

    at: str
    buffers: tuple[PeakBuffer, ...]
    call: int


def peak_of(result: Result, arena: Arena | None = None) -> Peak:
    """Of all memory, or of one arena."""
    buffers, offsets = result.problem.buffers, result.plan.offsets
    low, high = (arena.start, arena.end) if arena is not None else (0, result.plan.height)
    here = [i for i, at in enumerate(offsets) if low <= at and at + buffers[i].size <= high]
    part = Problem(tuple(buffers[i] for i in here))
    call, found = fullest(part, replace(result.plan, offsets=tuple(offsets[i] for i in here)))
    layers = writers(result)
    peak: list[PeakBuffer] = []
    for index in (here[i] for i in found):
        buffer, layer = buffers[index], layers.get(index)
        op = result.graph.nodes[layer].op.name if layer is not None else ""
        memory = next((a.memory.name for a in result.arenas if a.start <= offsets[index] < a.end), "")
        peak.append(PeakBuffer(buffer.name, buffer.role.value, buffer.size, layer, op, memory))
    return Peak(moments(result).get(call, ""), tuple(peak), call)


def writers(result: Result) -> dict[int, int]:
    """Buffer -> the node that writes it or uses it as scratch."""
    homes = result.homes
    found = {buffer: node for table in (homes.scratch, homes.accumulator) for node, buffer in table.items()}
    producer = result.graph.producer
    for table in (homes.kept, homes.fresh, homes.whole):
        for tensor, buffer in table.items():
            if tensor in producer and not result.graph.nodes[producer[tensor]].op.is_view:
                found.setdefault(buffer, producer[tensor])
    return found


def moments(result: Result) -> dict[int, str]:
    """What happens at each call of the plan's clock, as the end of a sentence that begins with "when"."""
    found: dict[int, str] = {}
    for clock in clocks(result.schedule):
        for (item, kind), time in clock.times.items():
            if kind is Kind.RECEIVE:
                found[time] = "rows of the input arrive"
            elif kind is Kind.SLIDE:
                found[time] = f"rows of {plain_name(result.graph.tensors[item].origin.name)} are kept"
            else:
                found[time] = f"layer {item} {result.graph.nodes[item].op.name} runs"
    return found


def plain_name(name: str) -> str:
    """The telling end of a converter's name: `a/b/Relu;a/c/d kept` becomes `b/Relu`."""
    first = name.split(";", maxsplit=1)[0]
    for kind in (" kept", " fresh", " scratch", " sums"):
        first = first.removesuffix(kind)
    short = "/".join(first.split("/")[-2:])
    printable = "".join(c if c.isprintable() else "." for c in short)
    return printable if len(printable) <= 32 else printable[:31] + "…"
