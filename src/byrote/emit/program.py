"""All files of a compiled model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.emit.calls import Addressing, KernelCall
from byrote.emit.example import example
from byrote.emit.functions import collect
from byrote.emit.header import header
from byrote.emit.headers import needed_headers
from byrote.emit.interface import interface
from byrote.emit.selftest import selftest
from byrote.emit.source import source
from byrote.emit.statements import Printer
from byrote.emit.weights import weights_header, weights_source
from byrote.ir import Array, Graph
from byrote.kernel import Selection
from byrote.liveness import Homes
from byrote.plan import Arena
from byrote.schedule import Schedule


@dataclass(frozen=True)
class EmitOptions:
    """`own_arena`: define <name>_arena.  `trace`: call this function with every completed tensor (for verification)."""

    own_arena: bool = True
    keep_input: bool = False
    push_input: bool = False
    trace: str | None = None


@dataclass(frozen=True)
class File:
    """A generated file."""

    name: str
    text: str


@dataclass(frozen=True)
class Program:
    """Generated files: `sources` must be compiled, the others are headers, a test and an example.

    `weight_bytes`: constants in flash.  `arena_sizes`: bytes that the caller provides, per arena.
    """

    name: str
    files: tuple[File, ...]
    sources: tuple[str, ...]
    weight_bytes: int
    arena_sizes: tuple[int, ...]

    @property
    def arena_size(self) -> int:
        """Bytes of all arenas."""
        return sum(self.arena_sizes)


def emit(
    name: str,
    graph: Graph,
    selection: Selection,
    schedule: Schedule,
    homes: Homes,
    offsets: Sequence[int],
    arenas: Sequence[Arena],
    options: EmitOptions,
    golden: Sequence[Array],
) -> Program:
    """The C program of a placed schedule.  `golden`: the right outputs for `golden_inputs`.

    `offsets` lie on the line that `arenas` divide.
    """
    stretches = Addressing(graph, selection, homes, offsets).stretches(schedule)
    calls = [call for s in stretches for step in s.steps for call in step if isinstance(call, KernelCall)]
    functions = collect(name, calls, selection)
    addresses = homes.addresses(offsets)
    api = interface(graph, name, addresses, arenas, keep_input=options.keep_input, push_input=options.push_input)
    printer = Printer(graph, selection, functions, tuple(arenas), options.trace)
    files = [
        File(f"{name}.h", header(api, own_arena=options.own_arena)),
        File(f"{name}.c", source(api, printer, stretches, options.own_arena)),
        File(f"{name}_weights.h", weights_header(name, functions.arrays)),
        File(f"{name}_weights.c", weights_source(name, functions.arrays, graph)),
    ]
    files += [File(f"{name}_test.c", selftest(api, golden)), File(f"{name}_example.c", example(api))]
    headers = needed_headers(
        ["runtime/push.h" if options.push_input else "runtime/move.h", *(f.header for f in functions.functions)]
    )
    files += [File(header_name, text) for header_name, text in headers.items()]
    weight_bytes = sum(table.size for table in functions.arrays.tables.values())
    sizes = tuple(arena.size for arena in api.arenas)
    return Program(name, tuple(files), (f"{name}.c", f"{name}_weights.c"), weight_bytes, sizes)
