"""Runs C kernels on the host: many operators in one program, called whole and in pieces, under sanitizers if wanted."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

import byrote
from byrote.ir import Access, Graph, Node, Origin, Tensor, TensorType
from byrote.kernel import PLAIN, InPlace, Kernel, Lowered, NodeView
from byrote.ops.reading import Reading

Array = npt.NDArray[np.generic]

PACKAGE = Path(byrote.__file__).parent
HARNESS = Path(__file__).parent / "harness.c"
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
RUN, BEGIN, FINISH = 0, 1, 2


@dataclass(frozen=True)
class Job:
    """One operator run by one kernel."""

    view: NodeView
    kernel: Kernel
    lowered: Lowered


def node_view(reading: Reading) -> NodeView:
    """A graph of this one operator."""
    types = [t.type for t in reading.inputs]
    tensors = [Tensor(t.type, Origin(i, f"in{i}"), t.data) for i, t in enumerate(reading.inputs)]
    outputs = reading.op.infer(types)
    tensors += [Tensor(t, Origin(len(tensors) + i, f"out{i}")) for i, t in enumerate(outputs)]
    inputs = tuple(range(len(types)))
    node = Node(reading.op, inputs, tuple(range(len(types), len(tensors))), Origin(0, reading.op.name))
    graph = Graph("single", (node,), tuple(tensors), (), ())
    return NodeView(graph, node, (PLAIN,) * len(types), (PLAIN,) * len(outputs))


def jobs(readings: Sequence[Reading], kernels: Sequence[Kernel]) -> tuple[Job, ...]:
    """Every operator with every kernel that takes it; one that none takes is an error."""
    found: list[Job] = []
    for reading in readings:
        view = node_view(reading)
        able = [kernel for kernel in kernels if isinstance(reading.op, kernel.op) and kernel.rejects(view) is None]
        assert able, f"no kernel runs {reading.op}: {[kernel.rejects(view) for kernel in kernels]}"
        found.extend(Job(view, kernel, kernel.lower(view)) for kernel in able)
    return tuple(found)


class Program:
    """A compiled program that can run each of `jobs`."""

    def __init__(self, jobs: Sequence[Job], folder: Path, compiler: str, flags: Sequence[str]) -> None:
        cplusplus = compiler.endswith("++")
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / ("cases.cc" if cplusplus else "cases.c")
        source.write_text(_source(jobs))
        harness = folder / ("harness.cc" if cplusplus else "harness.c")
        shutil.copy(HARNESS, harness)
        self.jobs, self.program = tuple(jobs), folder / "run"
        headers = {str(PACKAGE / "runtime"), *(str((PACKAGE / job.kernel.header).parent) for job in jobs)}
        include = [f"-I{path}" for path in sorted(headers)]
        command = [compiler, *flags, *include, str(source), str(harness), "-o", str(self.program)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.returncode, done.stderr[:4000]

    def run(self, calls: Sequence[Call]) -> tuple[bytes, ...]:
        """Bytes written by each of `calls`."""
        done = subprocess.run(
            [str(self.program)], input=b"".join(call.data for call in calls), capture_output=True, check=False
        )
        assert not done.returncode, done.stderr.decode(errors="replace")[:4000]
        results: list[bytes] = []
        position = 0
        for call in calls:
            results.append(done.stdout[position : position + call.size])
            position += call.size
        assert position == len(done.stdout)
        return tuple(results)


@dataclass(frozen=True)
class Overlap:
    """An operand in the same memory, `distance` bytes above the output."""

    operand: int
    distance: int


@dataclass(frozen=True)
class Call:
    """A complete execution of a job: bytes for the program, and how many it answers."""

    data: bytes
    size: int


def whole(index: int, job: Job, arrays: Sequence[Array], shift: int = 0, overlap: Overlap | None = None) -> Call:
    """All rows at once."""
    out = job.view.output_type()
    if job.kernel.accumulates:
        return pieces(index, job, arrays, (job.view.input_type(job.lowered.operands[0]).rows,), shift)
    inputs = [_whole_rows(job, k, array) for k, array in enumerate(arrays)]
    size = job.view.outputs[0].size(out)
    call = _call(RUN, out.rows, size, inputs, overlap)
    return Call(_head(index, 1, job, shift) + call, size)


def pieces(index: int, job: Job, arrays: Sequence[Array], sizes: Sequence[int], shift: int = 0) -> Call:
    """The same in several calls of `sizes` rows, as in a streamed segment: old rows kept, new ones fresh."""
    if job.kernel.accumulates:
        return _accumulated(index, job, arrays, sizes, shift)
    out = job.view.output_type()
    calls: list[bytes] = []
    done = 0
    for rows in sizes:
        inputs = [_streamed_rows(job, k, array, done, rows) for k, array in enumerate(arrays)]
        calls.append(_call(RUN, rows, rows * out.row_size, inputs))
        done += rows
    assert done == out.rows
    return Call(_head(index, len(calls), job, shift) + b"".join(calls), out.size)


def _accumulated(index: int, job: Job, arrays: Sequence[Array], sizes: Sequence[int], shift: int) -> Call:
    out, x = job.view.output_type(), job.view.input_type(job.lowered.operands[0])
    data = _padded(job, arrays[0])
    calls = [_call(BEGIN, 0, 0, [])]
    done = 0
    for rows in sizes:
        fresh = data[done * x.row_size : (done + rows) * x.row_size + job.lowered.overread]
        calls.append(_call(RUN, rows, 0, [_rows(0, 0, 0, rows, b"", fresh)]))
        done += rows
    assert done == x.rows
    calls.append(_call(FINISH, 0, out.size, []))
    return Call(_head(index, len(calls), job, shift) + b"".join(calls), out.size)


def _head(index: int, calls: int, job: Job, shift: int) -> bytes:
    return struct.pack("=5i", index, calls, job.lowered.scratch, job.lowered.state, shift)


def _call(phase: int, rows: int, size: int, inputs: Sequence[bytes], overlap: Overlap | None = None) -> bytes:
    shared, distance = (overlap.operand, overlap.distance) if overlap else (-1, 0)
    return struct.pack("=6i", phase, rows, size, shared, distance, len(inputs)) + b"".join(inputs)


def _rows(held: int, top: int, first: int, end: int, kept: bytes, fresh: bytes) -> bytes:
    return struct.pack("=6i", held, top, first, end, len(kept), len(fresh)) + kept + fresh


def _padded(job: Job, array: Array) -> bytes:
    return array.tobytes() + bytes(job.lowered.overread)


def _access(job: Job, operand: int) -> tuple[Access, TensorType]:
    """Access and type of a kernel's k-th operand."""
    view, index = job.view, job.lowered.operands[operand]
    ids = view.graph
    access = view.op.access(ids.types(view.node.inputs), ids.types(view.node.outputs))[0][index]
    assert access is not None
    return access, view.input_type(index)


def _whole_rows(job: Job, operand: int, array: Array) -> bytes:
    access, x = _access(job, operand)
    return _rows(0, access.start[0], 0, x.rows, b"", _padded(job, array))


def _streamed_rows(job: Job, operand: int, array: Array, done: int, rows: int) -> bytes:
    """Rows that output rows done..done+rows need: those that the rows before needed as well are kept."""
    access, x = _access(job, operand)
    data = _padded(job, array)
    begin, end = access.first[done], max(access.end[done : done + rows])
    kept = max(begin, access.end[done - 1] if done else begin)
    kept = min(kept, end)
    return _rows(
        kept - begin,
        access.start[done] - begin,
        0,
        end - begin,
        data[begin * x.row_size : kept * x.row_size + job.lowered.overread],
        data[kept * x.row_size : end * x.row_size + job.lowered.overread],
    )


def splits(rows: int, rng: np.random.Generator) -> tuple[int, ...]:
    """A random partition of `rows`."""
    cuts = sorted({0, rows, *(int(c) for c in rng.integers(0, rows + 1, 3))})
    return tuple(b - a for a, b in pairwise(cuts)) or (rows,)


def overlaps(job: Job) -> tuple[Overlap, ...]:
    """How the kernel's promise lets its output share memory with one operand: the smallest distances."""
    if job.kernel.in_place is InPlace.NEVER or job.kernel.accumulates:
        return ()
    return tuple(Overlap(k, _distance(job, k)) for k in range(len(job.lowered.operands)))


def _distance(job: Job, operand: int) -> int:
    """Bytes that the operand has to lie above the output, from the access table."""
    access, x = _access(job, operand)
    out = job.view.output_type()
    same = access.channels is None and (x.elements, x.rows) == (out.elements, out.rows)
    if job.kernel.in_place is InPlace.ELEMENTS and same and access.first == tuple(range(out.rows)):
        return max(0, out.size - x.size)
    block = job.kernel.block
    starts = range(0, out.rows, block)
    least = max(0, *(min(r + block, out.rows) * out.row_size - access.first[r] * x.row_size for r in starts))
    return -(-least // x.dtype.size) * x.dtype.size


def _source(jobs: Sequence[Job]) -> str:
    """Struct literals, tables and the dispatch over cases."""
    lines = ["#include <stdint.h>", "#define KERNEL static __attribute__((unused))", '#include "rows.h"']
    lines += sorted({f'#include "{Path(job.kernel.header).name}"' for job in jobs})
    lines.append("void run_case(int32_t, int32_t, const struct rows *, uint8_t *, uint8_t *, uint8_t *, int32_t);")
    for index, job in enumerate(jobs):
        for table in job.lowered.tables:
            values = ",".join(_literal(v) for v in table.values.reshape(-1).tolist()) or "0"
            lines.append(f"static const {table.dtype.ctype} {table.name}_{index}[] = {{{values}}};")
        fields = ", ".join(_field(value) for _, value in job.lowered.fields)
        lines.append(f"static const struct {job.lowered.struct} s_{index} = {{{fields}}};")
    lines.append("void run_case(int32_t index, int32_t phase, const struct rows *in, uint8_t *out, uint8_t *scratch,")
    lines.append("              uint8_t *state, int32_t rows)\n{")
    lines.append("    (void)phase, (void)in, (void)scratch, (void)state, (void)rows;\n    switch (index) {")
    for index, job in enumerate(jobs):
        lines += [f"    case {index}:", *_calls(index, job), "        break;"]
    lines.append("    default: break;\n    }\n}\n")
    return "\n".join(lines)


def _calls(index: int, job: Job) -> list[str]:
    tables = "".join(f", {table.name}_{index}" for table in job.lowered.tables)
    inputs = "".join(f", in[{k}]" for k in range(len(job.lowered.operands)))
    scratch = ", scratch" if job.lowered.scratch else ""
    name, head = job.kernel.function, f"(&s_{index}{tables}"
    if not job.kernel.accumulates:
        return [f"        {name}{head}{inputs}, out{scratch}, rows);"]
    return [
        f"        if (phase == {BEGIN}) {name}_begin{head}, state);",
        f"        if (phase == {RUN}) {name}{head}{inputs}, state, rows);",
        f"        if (phase == {FINISH}) {name}_finish{head}, state, out);",
    ]


def _field(value: int | tuple[int, ...]) -> str:
    return "{" + ", ".join(map(_literal, value)) + "}" if isinstance(value, tuple) else _literal(value)


def _literal(value: float) -> str:
    if isinstance(value, float):
        return f"{value.hex()}f"
    return "(-2147483647 - 1)" if value == -(2**31) else str(value)
