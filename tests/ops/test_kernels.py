"""Every kernel against the reference of its operator: whole, in pieces, in shared memory, by several compilers."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from byrote.ops import OPERATORS, Operator
from byrote.ops.reading import OperatorView, Reading, Unreadable
from tests.support.kernels import (
    SANITIZED,
    WARNINGS,
    Array,
    Call,
    Job,
    Program,
    jobs,
    overlaps,
    pieces,
    splits,
    whole,
)
from tests.support.single import random_constant

KERNELS = tuple(kernel for operator in OPERATORS for kernel in operator.kernels)
FOLDED = ("SHAPE", "GATHER")
"""Never called: what they read is constant."""

BUILDS = {
    "cc C99 -O2": ("cc", ("-std=c99", "-O2", *WARNINGS)),
    "cc C99 -O1, sanitizers": ("cc", ("-std=c99", "-O1", *WARNINGS, *SANITIZED)),
    "cc C99 -O0": ("cc", ("-std=c99", "-O0", *WARNINGS)),
    "cc C99 -O3": ("cc", ("-std=c99", "-O3", *WARNINGS)),
    "c++ C++11 -Os": ("c++", ("-std=c++11", "-Os", *WARNINGS)),
    "clang C99 -O2": ("clang", ("-std=c99", "-O2", *WARNINGS)),
    "clang++ C++11 -O1": ("clang++", ("-std=c++11", "-O1", *WARNINGS)),
}


def runs(reading: Reading) -> bool:
    """Whether there is anything to call: views have no kernels, and some operators are always folded."""
    return not reading.op.is_view and reading.op.name not in FOLDED


def read_all(operator: Operator, views: Sequence[OperatorView]) -> tuple[Reading, ...]:
    """One reading per output; cases that are refused for good reason, and views, are left out."""
    found: list[Reading] = []
    for view in views:
        try:
            first = operator.read(view)
        except Unreadable:
            continue
        found.extend(reading for reading in (first, *first.others) if runs(reading))
    return tuple(found)


def inputs_of(job: Job, rng: np.random.Generator, extreme: bool) -> list[Array]:
    """An array per input of the node."""
    view = job.view
    return [
        view.constant(i) if view.has_constant(i) else random_constant(view.input_type(i), rng, extreme)
        for i in range(len(view.node.inputs))
    ]


def check(program: Program, rng: np.random.Generator) -> None:
    """Runs each job in all ways that its kernel allows."""
    calls: list[Call] = []
    wanted: list[tuple[Job, str, bytes]] = []
    for index, job in enumerate(program.jobs):
        for extreme in (False, True):
            arrays = inputs_of(job, rng, extreme)
            expected = job.view.op.reference(arrays)[0].tobytes()
            ways = ways_to_run(index, job, [arrays[k] for k in job.lowered.operands], rng)
            calls += ways.values()
            wanted += [(job, how, expected) for how in ways]
    for (job, how, expected), result in zip(wanted, program.run(calls), strict=True):
        assert result == expected, f"{job.kernel.function} {how}: {job.view.op}"


def ways_to_run(index: int, job: Job, operands: Sequence[Array], rng: np.random.Generator) -> dict[str, Call]:
    rows = job.view.input_type(job.lowered.operands[0]).rows
    rows = rows if job.kernel.accumulates else job.view.output_type().rows
    bytes_only = all(operand.dtype.itemsize == 1 for operand in operands) and job.view.output_type().dtype.size == 1
    shift = int(rng.integers(1, 16)) if bytes_only else 4
    ways = {"whole": whole(index, job, operands), "shifted": whole(index, job, operands, shift=shift)}
    ways |= {f"{overlap}": whole(index, job, operands, overlap=overlap) for overlap in overlaps(job)}
    if job.kernel.streams:
        ways["pieces"] = pieces(index, job, operands, splits(rows, rng))
        ways["rows"] = pieces(index, job, operands, (1,) * rows)
    return ways


def runnable(build: str) -> tuple[str, tuple[str, ...]]:
    """(compiler, flags) of a build, or the test is skipped."""
    compiler, flags = BUILDS[build]
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    return compiler, flags


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.names[0])
def test_kernels_equal_the_reference(operator: Operator, tmp_path: Path) -> None:
    compiler, flags = runnable("cc C99 -O1, sanitizers")
    rng = np.random.default_rng(zlib.crc32(operator.names[0].encode()))
    readings = read_all(operator, operator.cases(rng, 40))
    if readings:
        check(Program(jobs(readings, KERNELS), tmp_path, compiler, flags), rng)


@pytest.mark.parametrize("build", BUILDS)
def test_kernels_with_other_compilers(build: str, tmp_path: Path) -> None:
    compiler, flags = runnable(build)
    rng = np.random.default_rng(zlib.crc32(build.encode()))
    work: list[Job] = []
    for operator in OPERATORS:
        work += jobs(read_all(operator, operator.cases(rng, 4)), KERNELS)
    check(Program(work, tmp_path, compiler, flags), rng)
