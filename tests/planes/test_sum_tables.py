"""ADD and SUB by tables: every pair right in both forms, also where no line is exact and where outputs are clamped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from byrote.ir import Requant, Rounding
from byrote.ops.add.op import Add
from byrote.ops.elementwise.sum_dsp import Signs, find_line
from byrote.ops.elementwise.sum_tables import Tables, lowered, rounded, tables_of
from byrote.ops.elementwise.sums import Sum
from byrote.ops.sub.op import Sub
from tests.planes.harness import BUILDS, Host, KernelSource, Slots, emulate, needs
from tests.planes.test_sums import MINUS, NARROW, SIGNS, TIES, operator, pairs

TABLES = KernelSource(
    "sum_tables_dsp.h",
    "sum_tables_dsp",
    "sum_tables_dsp(&s, (const int32_t *)t[0], (const int32_t *)t[1], in[0], in[1], out, rows)",
)
BENT = operator(Add, (0.0469, 0.032, 0.056), (101, 75, 24))
"""No line is exact."""
STEEP = operator(Sub, (0.0469, 0.032, 0.0009), (-128, 127, 24), (-128, 20))
OPERATORS = (BENT, MINUS, TIES, NARROW, STEEP)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    kernel = Host(TABLES, tmp_path_factory.mktemp("sum_tables"))
    yield kernel
    kernel.close()


def forms(op: Sum, signs: Signs) -> tuple[Tables, ...]:
    """What is chosen, and the rounding form."""
    chosen = tables_of(op, signs)
    assert isinstance(chosen, Tables), chosen
    return chosen, rounded(op, signs)


@pytest.mark.parametrize("op", OPERATORS)
def test_all_pairs(host: Host, op: Sum) -> None:
    for index, signs in enumerate(SIGNS):
        a, b, out = pairs(op, signs)
        size, held = ((2**16, 0), (2**14, 3), (2**16 // 257, 100))[index % 3]
        count = len(a) // size
        inputs = [Slots(v[: held * size], v[held * size :], held, 0, 0, count) for v in (a, b)]
        for tables in forms(op, signs):
            assert host.run(lowered(op, signs, tables, size), inputs, count * size, count) == out[: count * size]


@pytest.mark.parametrize(("compiler", "optimise"), BUILDS)
def test_on_cortex_m4(tmp_path: Path, compiler: str, optimise: tuple[str, ...] | None) -> None:
    needs(compiler)
    signs = Signs(False, True, True)
    for op in (BENT, NARROW):
        a, b, out = (v[4000:6000] for v in pairs(op, signs))
        inputs = [Slots(b"", v, 0, 0, 0, 2) for v in (a, b)]
        for index, tables in enumerate(forms(op, signs)):
            call, folder = lowered(op, signs, tables, 1000), tmp_path / f"{op.clamp[1]}_{index}"
            done = emulate(TABLES, call, inputs, 2000, 2, folder, compiler, optimise)
            assert done.output == out


def test_the_shift_alone_is_exact_where_a_line_is_not() -> None:
    assert find_line(BENT, SIGNS[0]) is None
    found = tables_of(BENT, SIGNS[0])
    assert isinstance(found, Tables)
    assert found.multiplier == 0


def test_refused() -> None:
    once = Requant(BENT.result.multipliers, BENT.result.shifts, Rounding.SINGLE)
    assert tables_of(replace(BENT, result=once), SIGNS[0]) == "a sum that is rounded once"
    enlarged = Requant(BENT.result.multipliers, (0,))
    assert isinstance(tables_of(replace(BENT, result=enlarged), SIGNS[0]), str)
