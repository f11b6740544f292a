"""ADD and SUB by one line: constants found for ordinary layers, refused where no line is exact, every pair right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from byrote.ir import Quant, Requant
from byrote.kernel import Lowered
from byrote.ops.add.op import Add
from byrote.ops.elementwise.sum_dsp import Line, Signs, find_line
from byrote.ops.elementwise.sums import LEFT, Sum
from byrote.ops.sub.op import Sub
from tests.planes.harness import BUILDS, Host, KernelSource, Slots, emulate, needs

SUM = KernelSource("sum_dsp.h", "sum_dsp", "sum_dsp(&s, in[0], in[1], out, rows)")
SIGNS = tuple(Signs(*signs) for signs in product((False, True), repeat=3))


def operator(
    kind: type[Sum],
    scales: tuple[float, float, float],
    zeros: tuple[int, int, int],
    clamp: tuple[int, int] = (-128, 127),
) -> Sum:
    common = 2 * max(scales[:2])
    return kind(
        output=Quant((scales[2],), (zeros[2],)),
        clamp=clamp,
        zeros=zeros[:2],
        requants=(Requant.of([scales[0] / common]), Requant.of([scales[1] / common])),
        result=Requant.of([common / ((1 << LEFT) * scales[2])]),
    )


RELU = operator(Add, (0.052, 0.099, 0.049), (-128, 3, -128))
OPEN = operator(Add, (0.0373, 0.0291, 0.0511), (4, -11, 7))
MINUS = operator(Sub, (0.0373, 0.0291, 0.0511), (4, -11, 7))
TIES = operator(Add, (0.05, 0.05, 0.1), (0, 0, 0))
"""Half of all sums lie on an exact tie, and halves go away from zero: a line a trifle too steep."""
NARROW = operator(Add, (0.0373, 0.0291, 0.0511), (4, -11, 7), (-100, 90))


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    kernel = Host(SUM, tmp_path_factory.mktemp("sums"))
    yield kernel
    kernel.close()


def lowered(line: Line, signs: Signs, row_size: int) -> Lowered:
    fields = (line.factor_a, line.factor_b, line.offset, line.shift, int(signs.a), int(signs.b), int(signs.out))
    return Lowered("sum_dsp", (("row_size", row_size), *((f"f{i}", v) for i, v in enumerate(fields))), ())


def pairs(op: Sum, signs: Signs) -> tuple[bytes, bytes, bytes]:
    """All pairs as stored, and their results."""
    grid = np.meshgrid(np.arange(-128, 128), np.arange(-128, 128))
    a, b = (g.reshape(-1).astype(np.int8) for g in grid)
    out = op.reference([a, b])[0].astype(np.int8)
    return stored(a, signs.a), stored(b, signs.b), stored(out, signs.out)


def stored(values: npt.NDArray[np.int8], signed: bool) -> bytes:
    return ((values.astype(np.int64) + (0 if signed else 128)) & 0xFF).astype(np.uint8).tobytes()


@pytest.mark.parametrize("op", [RELU, OPEN, MINUS, TIES])
@pytest.mark.parametrize("signs", SIGNS)
def test_all_pairs(host: Host, op: Sum, signs: Signs) -> None:
    line = find_line(op, signs)
    assert line is not None
    a, b, out = pairs(op, signs)
    for size, held in ((2**16, 0), (2**14, 3), (2**16 // 257, 100)):
        count = len(a) // size
        inputs = [Slots(v[: held * size], v[held * size :], held, 0, 0, count) for v in (a, b)]
        assert host.run(lowered(line, signs, size), inputs, count * size, count) == out[: count * size]


@pytest.mark.parametrize(("compiler", "optimise"), BUILDS)
def test_on_cortex_m4(tmp_path: Path, compiler: str, optimise: tuple[str, ...] | None) -> None:
    needs(compiler)
    signs = Signs(False, True, True)
    line = find_line(OPEN, signs)
    assert line is not None
    a, b, out = (v[4000:6000] for v in pairs(OPEN, signs))
    inputs = [Slots(b"", v, 0, 0, 0, 2) for v in (a, b)]
    done = emulate(SUM, lowered(line, signs, 1000), inputs, 2000, 2, tmp_path, compiler, optimise)
    assert done.output == out


def test_refused_where_no_line_is_exact() -> None:
    assert find_line(NARROW, SIGNS[0]) is None, "a clamp inside the range of the type"
    unlucky = operator(Add, (0.0469, 0.032, 0.056), (101, 75, 24))
    assert find_line(unlucky, SIGNS[0]) is None, "the three roundings of the reference bend too much"
