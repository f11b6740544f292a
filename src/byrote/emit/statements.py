"""Calls as statements, and equal steps as loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from byrote.emit.calls import Call, Delivery, KernelCall, Move, Source, Stretch
from byrote.emit.functions import Function, Functions
from byrote.emit.interface import ArenaPart, arena_names
from byrote.emit.names import comment
from byrote.ir import Graph
from byrote.kernel import Selection
from byrote.plan import Arena, arena_at

_LONGEST_PERIOD = 64
"""Steps of a loop body: nodes of a strided network are called every 2, 4, ... steps."""


@dataclass(frozen=True)
class Place:
    """An address: so many bytes into an arena, which has this name in C."""

    arena: str
    offset: int


Argument = Place | str
"""An address, or C text."""


@dataclass(frozen=True)
class Statement:
    """`name(arguments)`; `note` explains it to the reader."""

    name: str
    arguments: tuple[Argument, ...]
    note: str

    def text(self, indent: str, advance: tuple[int, ...] | None = None) -> str:
        """C text; with `advance` every address moves by so many bytes per turn of the loop over t."""
        steps = advance or (0,) * len(self.arguments)
        parts = [a if isinstance(a, str) else address(a, step) for a, step in zip(self.arguments, steps, strict=True)]
        return f"{indent}/* {self.note} */\n{indent}{self.name}({', '.join(parts)});\n"


def address(base: Place, step: int) -> str:
    """C text of an address, in turn t of a loop."""
    if not step:
        return f"{base.arena} + {base.offset}"
    return f"{base.arena} + {base.offset} {'+' if step > 0 else '-'} t * {abs(step)}"


@dataclass(frozen=True)
class Block:
    """Statements that are executed `count` times; each turn moves their addresses by `advance`."""

    body: tuple[Statement, ...]
    advance: tuple[tuple[int, ...], ...]
    count: int

    def text(self, indent: str) -> str:
        """A loop, or just the statements."""
        if self.count < 2:
            return "".join(statement.text(indent) for statement in self.body)
        inner = "".join(s.text(indent + "    ", a) for s, a in zip(self.body, self.advance, strict=True))
        return f"{indent}for (int32_t t = 0; t < {self.count}; t++) {{\n{inner}{indent}}}\n"


def blocks(steps: Sequence[tuple[Statement, ...]]) -> tuple[Block, ...]:
    """Steps in order, runs of equal ones together."""
    found: list[Block] = []
    start = 0
    while start < len(steps):
        period, count, advance = _run(steps, start)
        body = tuple(statement for step in steps[start : start + period] for statement in step)
        still = tuple((0,) * len(statement.arguments) for statement in body)
        found.append(Block(body, advance if count > 1 else still, count))
        start += period * count
    return tuple(found)


@dataclass(frozen=True)
class Printer:
    """Turns calls into statements; their addresses are offsets on the line that `arenas` divide."""

    graph: Graph
    selection: Selection
    functions: Functions
    arenas: tuple[Arena, ...]
    trace: str | None = None

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(ArenaPart(memory, 0).parameter for memory in arena_names(self.arenas))

    def place(self, offset: int) -> Place:
        """Where an offset of the line lies."""
        index = arena_at(self.arenas, offset)
        return Place(self._names[index], offset - self.arenas[index].start)

    def stretch(self, stretch: Stretch) -> str:
        """The statements of a segment; runs of equal steps become loops."""
        steps = [tuple(s for call in step for s in self.statements(call)) for step in stretch.steps]
        return "".join(block.text("    ") for block in blocks(steps))

    def statements(self, call: Call) -> tuple[Statement, ...]:
        """One statement, and one per completed tensor when tracing."""
        if isinstance(call, Move):
            unit = "bytes" if (call.target | call.source | call.size) % 4 else "words"
            places = (self.place(call.target), self.place(call.source))
            return (Statement(f"move_{unit}", (*places, str(call.size)), "keep rows"),)
        assert not isinstance(call, Delivery), "rows that the caller delivers are no statements of the run function"
        statement = self.call(call)
        if self.trace is None:
            return (statement,)
        traces = tuple(
            Statement(self.trace, (str(tensor), str(first), str(rows), self.place(output)), "trace")
            for (tensor, first, rows), output in zip(call.written, call.outputs, strict=True)
        )
        return (statement, *traces)

    def call(self, call: KernelCall) -> Statement:
        function = self.functions.of(call, self.selection)
        node = self.graph.nodes[call.node]
        arguments: list[Argument] = [
            name
            for name, shared in zip(self.functions.table_names[call.node], function.tables, strict=True)
            if shared is None
        ]
        for source in call.sources:
            arguments += self._source(source, function)
        arguments += [self.place(output) for output in call.outputs]
        if call.accumulator is not None:
            arguments.append(self.place(call.accumulator))
        if call.scratch is not None:
            arguments.append(self.place(call.scratch))
        if function.variant is None:
            arguments.append(str(call.rows))
        note = f"{call.node} {comment(node.op.name)} {comment(node.origin.name)}".strip()
        return Statement(function.name, tuple(arguments), note)

    def _source(self, source: Source, function: Function) -> list[Argument]:
        window = source.window
        kept, fresh = self.place(source.kept), self.place(source.fresh)
        if function.variant is not None:
            return [kept, fresh] if window.held else [fresh]
        return [kept, fresh, *(str(value) for value in (window.held, window.top, window.first, window.end))]


def _run(steps: Sequence[tuple[Statement, ...]], start: int) -> tuple[int, int, tuple[tuple[int, ...], ...]]:
    """The period, count and advance of the loop that begins at `start` and saves most; a count of 1 is no loop."""
    best: tuple[int, int, tuple[tuple[int, ...], ...]] = (1, 1, ())
    for period in range(1, min(_LONGEST_PERIOD, (len(steps) - start) // 2) + 1):
        count, advance = _repeats(steps, start, period)
        if period * (count - 1) > best[0] * (best[1] - 1):
            best = period, count, advance
    return best


def _repeats(
    steps: Sequence[tuple[Statement, ...]], start: int, period: int
) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """How many blocks of `period` steps from `start` on differ only by a constant advance of their addresses."""
    advance: tuple[tuple[int, ...], ...] | None = None
    count = 1
    at = start
    while at + 2 * period <= len(steps):
        found: list[tuple[int, ...]] = []
        for offset in range(period):
            moved = _advance(steps[at + offset], steps[at + period + offset])
            if moved is None:
                return count, advance or ()
            found += moved
        if advance is not None and tuple(found) != advance:
            break
        advance = tuple(found)
        count += 1
        at += period
    return count, advance or ()


def _advance(a: tuple[Statement, ...], b: tuple[Statement, ...]) -> tuple[tuple[int, ...], ...] | None:
    if len(a) != len(b):
        return None
    result: list[tuple[int, ...]] = []
    for x, y in zip(a, b, strict=True):
        if x.name != y.name or len(x.arguments) != len(y.arguments):
            return None
        steps: list[int] = []
        for p, q in zip(x.arguments, y.arguments, strict=True):
            if isinstance(p, Place) and isinstance(q, Place) and p.arena == q.arena:
                steps.append(q.offset - p.offset)
            elif p == q:
                steps.append(0)
            else:
                return None
        result.append(tuple(steps))
    return tuple(result)
