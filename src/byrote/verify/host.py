"""The generated C on this computer: built as a shared library, called through ctypes."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from byrote.emit import EmitOptions, Program, emit
from byrote.emit.interface import Interface, Pushed, interface
from byrote.ir import Array, Port, TensorId, user_error
from byrote.result import Result
from byrote.verify.toolchain import build_host_library

TRACE = "byrote_trace"


@dataclass(frozen=True)
class Trace:
    """Every row that calls completed: tensor -> its stored bytes."""

    tensors: dict[TensorId, bytearray]


class HostModel:
    """A loaded model.  The arena is `align` bytes away from a multiple of 64, poisoned before the first call."""

    def __init__(
        self, result: Result, folder: Path, *, traced: bool = False, optimise: Sequence[str] = ("-O2",)
    ) -> None:
        self.result = result
        program = traced_program(result) if traced else result.program
        for file in program.files:
            (folder / file.name).write_text(file.text, encoding="utf-8", newline="\n")
        sources = [folder / name for name in program.sources]
        if traced:
            sources.append(folder / "trace.c")
            sources[-1].write_text(_TRACE_SOURCE, encoding="utf-8")
        library = build_host_library(sources, folder, optimise=optimise, name="traced" if traced else "model")
        self.library = ctypes.CDLL(str(library.path))
        self.api = interface_of(result)

    def arena(self, shift: int = 0, poison: int = 0xA5) -> Arena:
        """New memory; the base of each arena is `shift` bytes (a multiple of the alignment) past a multiple of 64."""
        return Arena([part.size for part in self.api.arenas], shift, poison)

    def run(self, arena: Arena, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """One inference in an arena."""
        if self.api.pushed is not None:
            self._push(arena, np.ascontiguousarray(inputs[0]).tobytes(), self.api.pushed)
        else:
            for address, value in zip(self.api.inputs, inputs, strict=True):
                arena.write(address.arena, address.offset or 0, np.ascontiguousarray(value).tobytes())
            getattr(self.library, f"{self.result.name}_run")(*arena.pointers)
        return tuple(from_bytes(a.port, arena.read(a.arena, a.offset or 0, a.port.type.size)) for a in self.api.outputs)

    def _push(self, arena: Arena, data: bytes, pushed: Pushed) -> None:
        """Deliver the input row by row; only the last call may say that the outputs are ready."""
        push = getattr(self.library, f"{self.result.name}_push_row")
        push.restype = ctypes.c_bool
        getattr(self.library, f"{self.result.name}_push_reset")(*arena.pointers)
        for row in range(pushed.rows):
            part = data[row * pushed.row_size : (row + 1) * pushed.row_size]
            ready = push(*arena.pointers, part)
            if ready != (row == pushed.rows - 1):
                raise RuntimeError(f"{self.result.name}_push_row returned {ready} for row {row} of {pushed.rows}")

    def trace(self, arena: Arena, inputs: Sequence[Array]) -> Trace:
        """One inference of a traced model, with every completed row of every tensor."""
        graph, storages = self.result.graph, self.result.selection.storages
        sizes = {i: storages[i].size(tensor.type) for i, tensor in enumerate(graph.tensors)}
        trace = Trace({i: bytearray(size) for i, size in sizes.items()})

        def record(tensor: int, first: int, rows: int, data: int) -> None:
            row = storages[tensor].row_size(graph.tensors[tensor].type)
            trace.tensors[tensor][first * row : (first + rows) * row] = ctypes.string_at(data, rows * row)

        kind = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)
        callback = kind(record)
        hook = ctypes.c_void_p.in_dll(self.library, "byrote_trace_hook")
        hook.value = ctypes.cast(callback, ctypes.c_void_p).value
        self.run(arena, inputs)
        hook.value = None
        return trace


class Arena:
    """The memory of a model, one block per arena, with canaries on both sides of each."""

    MARGIN = 256

    def __init__(self, sizes: Sequence[int], shift: int, poison: int) -> None:
        self.sizes = tuple(sizes)
        self._memory = [
            ctypes.create_string_buffer(bytes([poison]) * (size + 2 * self.MARGIN + 128)) for size in self.sizes
        ]
        bases = [ctypes.addressof(memory) for memory in self._memory]
        self.addresses = tuple((base + self.MARGIN + 63) // 64 * 64 + shift for base in bases)
        self._poison = poison

    @property
    def pointers(self) -> tuple[ctypes.c_void_p, ...]:
        """The first arguments of the model's functions."""
        return tuple(ctypes.c_void_p(address) for address in self.addresses)

    def write(self, arena: int, offset: int, data: bytes) -> None:
        ctypes.memmove(self.addresses[arena] + offset, data, len(data))

    def read(self, arena: int, offset: int, size: int) -> bytes:
        return ctypes.string_at(self.addresses[arena] + offset, size)

    @property
    def intact(self) -> bool:
        """Nothing was written just outside."""
        canary = bytes([self._poison]) * 64
        edges = [(index, edge) for index, size in enumerate(self.sizes) for edge in (-64, size)]
        return all(self.read(index, edge, 64) == canary for index, edge in edges)


def from_bytes(port: Port, data: bytes) -> Array:
    """A port's array."""
    return np.frombuffer(data, port.type.dtype.value).reshape(port.type.shape)


def traced_program(result: Result) -> Program:
    """The same calls, with a call of the trace function after each; all other files are those of the result."""
    options = EmitOptions(own_arena=False, keep_input=result.options.keep_input, trace=TRACE)
    offsets, arenas = result.plan.offsets, result.arenas
    golden = tuple(np.zeros(port.type.shape, port.type.dtype.value) for port in result.graph.outputs)
    traced = emit(
        result.name, result.graph, result.selection, result.schedule, result.homes, offsets, arenas, options, golden
    )
    own = {file.name: file for file in result.program.files if file.name != f"{result.name}.c"}
    return replace(traced, files=tuple(own.get(file.name, file) for file in traced.files))


def interface_of(result: Result) -> Interface:
    """Where the inputs and outputs of the generated code lie."""
    addresses = result.homes.addresses(result.plan.offsets)
    options = result.options
    return interface(
        result.graph,
        result.name,
        addresses,
        result.arenas,
        keep_input=options.keep_input,
        push_input=options.push_input,
    )


def check_inputs(result: Result, inputs: Sequence[Array]) -> None:
    """UserError unless the arrays are what the model takes."""
    ports = result.graph.inputs
    if len(inputs) != len(ports):
        raise user_error("inputs", f"{len(inputs)} arrays were given, the model has {len(ports)} inputs")
    for port, value in zip(ports, inputs, strict=True):
        if value.dtype.name != port.type.dtype.value or value.size != port.type.elements:
            raise user_error(f"input {port.name!r}", f"{value.dtype.name}{list(value.shape)} is not {port.type}")


def run_on_host(result: Result, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Build, load and run once."""
    check_inputs(result, inputs)
    with tempfile.TemporaryDirectory(prefix="byrote-") as folder:
        model = HostModel(result, Path(folder))
        return model.run(model.arena(), inputs)


_TRACE_SOURCE = """#include <stdint.h>
typedef void hook(int32_t tensor, int32_t first, int32_t rows, const uint8_t *data);
hook *byrote_trace_hook;
void byrote_trace(int32_t tensor, int32_t first, int32_t rows, const uint8_t *data);
void byrote_trace(int32_t tensor, int32_t first, int32_t rows, const uint8_t *data)
{
    if (byrote_trace_hook) byrote_trace_hook(tensor, first, rows, data);
}
"""
