"""Which C functions a model needs: one specialised copy of a kernel per distinct layer shape.

Nodes with the same kernel and constants share a function; what differs between them (tables) becomes an argument.  The
rows and borders that most calls have are compiled in; the calls at ragged ends share one copy that takes them as
arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from byrote.emit.calls import KernelCall, Window
from byrote.kernel import FieldValue, Lowered, Selection, Table
from byrote.schedule import Phase

SUFFIX = {Phase.BEGIN: "_begin", Phase.RUN: "", Phase.FINISH: "_finish"}


@dataclass(frozen=True)
class Shape:
    """What one specialised function has in common: kernel, constants and the kinds of its tables."""

    function: str
    phase: Phase
    struct: str
    fields: tuple[tuple[str, FieldValue], ...]
    tables: tuple[tuple[str, str, int], ...]
    sources: int
    outputs: int
    scratch: bool


@dataclass(frozen=True)
class Variant:
    """Compiled-in windows and rows, or None for the copy that takes them as arguments."""

    windows: tuple[Window, ...]
    rows: int


@dataclass(frozen=True)
class Function:
    """A C function to be printed.  `tables[i]` is the array's name where all callers share it, else None (argument)."""

    name: str
    shape: Shape
    variant: Variant | None
    tables: tuple[str | None, ...]
    header: str
    nodes: tuple[int, ...]


@dataclass
class Arrays:
    """Constant arrays of the model, equal ones once."""

    prefix: str
    names: dict[tuple[str, int, bytes], str] = field(default_factory=dict[tuple[str, int, bytes], str])
    tables: dict[str, Table] = field(default_factory=dict[str, Table])
    users: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def name(self, table: Table, node: int) -> str:
        """The array that holds a table."""
        key = (table.dtype.value, table.align, table.values.tobytes())
        if key not in self.names:
            self.names[key] = f"{self.prefix}_{table.name}_{node}"
            self.tables[self.names[key]] = table
        found = self.names[key]
        if node not in self.users.setdefault(found, []):
            self.users[found].append(node)
        return found


def shape_of(call: KernelCall, lowered: Lowered, function: str) -> Shape:
    """What the call's function is specialised for."""
    return Shape(
        function,
        call.phase,
        lowered.struct,
        lowered.fields,
        tuple((t.name, t.dtype.ctype, t.values.size) for t in lowered.tables),
        len(call.sources),
        len(call.outputs),
        call.scratch is not None,
    )


def variant_of(call: KernelCall) -> Variant:
    """The call's rows and borders."""
    return Variant(tuple(source.window for source in call.sources), call.rows if call.phase is Phase.RUN else 0)


@dataclass(frozen=True)
class Functions:
    """The functions of a model and which call uses which."""

    functions: tuple[Function, ...]
    index: dict[tuple[Shape, Variant | None], Function]
    table_names: dict[int, tuple[str, ...]]
    arrays: Arrays

    def of(self, call: KernelCall, selection: Selection) -> Function:
        choice = selection.choice(call.node)
        shape = shape_of(call, choice.lowered, choice.kernel.function)
        exact = self.index.get((shape, variant_of(call)))
        return exact if exact is not None else self.index[shape, None]


def collect(prefix: str, calls: Iterable[KernelCall], selection: Selection) -> Functions:
    """Choose the functions for all calls of a model, executed in this order."""
    arrays = Arrays(prefix)
    table_names: dict[int, tuple[str, ...]] = {}
    uses: dict[Shape, Counter[Variant]] = {}
    nodes: dict[Shape, dict[int, None]] = {}
    headers: dict[Shape, str] = {}
    unrolled: set[Shape] = set()
    for call in calls:
        choice = selection.choice(call.node)
        if call.node not in table_names:
            table_names[call.node] = tuple(arrays.name(table, call.node) for table in choice.lowered.tables)
        shape = shape_of(call, choice.lowered, choice.kernel.function)
        uses.setdefault(shape, Counter())[variant_of(call)] += 1
        nodes.setdefault(shape, {})[call.node] = None
        headers[shape] = choice.kernel.header
        if choice.kernel.unrolled:
            unrolled.add(shape)
    index: dict[tuple[Shape, Variant | None], Function] = {}
    for shape, counter in uses.items():
        members = tuple(nodes[shape])
        shared = _shared_tables([table_names[node] for node in members])
        name = f"{prefix}_{shape.function}{SUFFIX[shape.phase]}_{members[0]}"
        usual, *others = (variant for variant, _ in counter.most_common())
        index[shape, usual] = Function(name, shape, usual, shared, headers[shape], members)
        if shape in unrolled:
            for number, variant in enumerate(others):
                copy = Function(f"{name}_border_{number}", shape, variant, shared, headers[shape], members)
                index[shape, variant] = copy
        elif others:
            index[shape, None] = Function(f"{name}_ragged", shape, None, shared, headers[shape], members)
    return Functions(tuple(index.values()), index, table_names, arrays)


def _shared_tables(rows: Sequence[tuple[str, ...]]) -> tuple[str | None, ...]:
    return tuple(column[0] if len(set(column)) == 1 else None for column in zip(*rows, strict=True))
