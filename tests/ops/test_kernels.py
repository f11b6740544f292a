"""Every kernel against the reference of its operator: whole, in pieces, in place, under sanitizers."""

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
    STRICT,
    Array,
    Call,
    Job,
    Program,
    jobs,
    may_be_in_place,
    pieces,
    splits,
    whole,
)
from tests.support.single import random_constant

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

KERNELS = tuple(kernel for operator in OPERATORS for kernel in operator.kernels)
RESHAPED = ("RESHAPE", "SHAPE", "GATHER")
"""Views, and what is always folded: without kernels."""

WITH_KERNELS = tuple(operator for operator in OPERATORS if operator.names[0] not in RESHAPED)


def read_all(operator: Operator, views: Sequence[OperatorView]) -> tuple[Reading, ...]:
    """One reading per output; cases that are refused for good reason are left out."""
    found: list[Reading] = []
    for view in views:
        try:
            first = operator.read(view)
        except Unreadable:
            continue
        found.extend(reading for reading in (first, *first.others) if not reading.op.is_view)
    return tuple(found)


def inputs_of(job: Job, rng: np.random.Generator, extreme: bool) -> list[Array]:
    """An array per input of the node."""
    view = job.view
    return [
        view.constant(i) if view.has_constant(i) else random_constant(view.input_type(i), rng, extreme)
        for i in range(len(view.node.inputs))
    ]


def check(program: Program, rng: np.random.Generator) -> None:
    calls: list[Call] = []
    wanted: list[tuple[Job, str, bytes]] = []
    for index, job in enumerate(program.jobs):
        for extreme in (False, True):
            arrays = inputs_of(job, rng, extreme)
            expected = job.view.op.reference(arrays)[0].tobytes()
            operands = [arrays[k] for k in job.lowered.operands]
            ways = {"whole": whole(index, job, operands), "shifted": whole(index, job, operands, shift=4)}
            ways |= {f"in place {k}": whole(index, job, operands, in_place=k) for k in may_be_in_place(job)}
            if job.kernel.streams:
                ways["pieces"] = pieces(index, job, operands, splits(rows_taken(job), rng))
                ways["rows"] = pieces(index, job, operands, (1,) * rows_taken(job))
            calls += ways.values()
            wanted += [(job, how, expected) for how in ways]
    for (job, how, expected), result in zip(wanted, program.run(calls), strict=True):
        assert result == expected, f"{job.kernel.function} {how}: {job.view.op}"


def rows_taken(job: Job) -> int:
    return job.view.input_type(job.lowered.operands[0]).rows if job.kernel.accumulates else job.view.output_type().rows


def seeded(operator: Operator, salt: int = 0) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(operator.names[0].encode()) + salt)


@pytest.mark.parametrize("operator", WITH_KERNELS, ids=lambda operator: operator.names[0])
def test_kernels_equal_the_reference(operator: Operator, tmp_path: Path) -> None:
    rng = seeded(operator)
    work = jobs(read_all(operator, operator.cases(rng, 60)), KERNELS)
    check(Program(work, tmp_path), rng)


@pytest.mark.parametrize("operator", WITH_KERNELS, ids=lambda operator: operator.names[0])
def test_kernels_under_sanitizers(operator: Operator, tmp_path: Path) -> None:
    rng = seeded(operator, 1)
    work = jobs(read_all(operator, operator.cases(rng, 40)), KERNELS)
    check(Program(work, tmp_path, (*STRICT, *SANITIZED)), rng)
