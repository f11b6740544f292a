"""requant.h, reciprocal.h and normalize.h against the definitions in Python: random and extreme arguments.

Compiled twice: as for cores with a long multiply, and as for the smallest Thumb cores, which have 16-bit pieces.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import byrote
from byrote.ir.fixedpoint import Requant, Rounding, doubling_high_mul, requantize, rounding_shift
from byrote.ops.gemmlowp import one_over_one_plus
from byrote.ops.reciprocal import reciprocal

RUNTIME = Path(byrote.__file__).parent / "runtime"
FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
SANITIZED = ("-fsanitize=undefined", "-fno-sanitize-recover=all")

SOURCE = """
#define KERNEL static __attribute__((unused))
#include "normalize.h"
#include "reciprocal.h"
#define EACH(name, expression) \\
    void name(int32_t n, const int32_t *a, const int32_t *b, const int32_t *c, const int32_t *d, int32_t *out); \\
    void name(int32_t n, const int32_t *a, const int32_t *b, const int32_t *c, const int32_t *d, int32_t *out) \\
    { \\
        (void)a, (void)b, (void)c, (void)d; \\
        for (int32_t i = 0; i < n; i++) out[i] = expression; \\
    }
EACH(f_high, doubling_high_mul(a[i], b[i]))
EACH(f_shift, rounding_shift(a[i], b[i]))
EACH(f_requant, requantize(a[i], b[i], c[i], d[i]))
EACH(f_clamp, clamp(a[i], b[i], c[i]))
EACH(f_larger, larger(a[i], b[i]))
EACH(f_smaller, smaller(a[i], b[i]))
EACH(f_zeros, (int32_t)leading_zeros((uint32_t)a[i]))
EACH(f_over, one_over_one_plus(a[i]))
EACH(f_quotient, rounded_quotient(a[i], b))
"""

Words = npt.NDArray[np.int32]


class Functions:
    """The compiled functions, each over arrays."""

    def __init__(self, folder: Path, flags: tuple[str, ...]) -> None:
        (folder / "f.c").write_text(SOURCE)
        command = ["cc", "-shared", "-fPIC", *FLAGS, *SANITIZED, *flags, f"-I{RUNTIME}"]
        subprocess.run([*command, str(folder / "f.c"), "-o", str(folder / "f.so")], check=True)
        self.library = ctypes.CDLL(str(folder / "f.so"))

    def __call__(self, name: str, *arguments: npt.ArrayLike) -> Words:
        arrays = [np.ascontiguousarray(a, np.int32) for a in arguments]
        arrays += [arrays[0]] * (4 - len(arrays))
        out = np.empty(arrays[0].shape, np.int32)
        self.library[f"f_{name}"](out.size, *(a.ctypes.data_as(ctypes.c_void_p) for a in (*arrays, out)))
        return out


@pytest.fixture(scope="module", params=[(), ("-D__thumb__",)], ids=["long multiply", "16-bit pieces"])
def functions(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Functions:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    flags: tuple[str, ...] = request.param
    return Functions(tmp_path_factory.mktemp("arithmetic"), flags)


def numbers(rng: np.random.Generator, low: int, high: int, count: int = 100_000) -> npt.NDArray[np.int64]:
    """In low..high: uniform, of all magnitudes, and the ends."""
    bits = rng.integers(0, 32, count)
    spread = rng.integers(-(2**31), 2**31, count) >> bits
    mixed = np.where(rng.random(count) < 0.3, rng.integers(low, high + 1, count), spread)
    mixed[:6] = (low, high, 0, 1, -1, low + 1)
    return np.clip(mixed, low, high)


def test_products(functions: Functions) -> None:
    rng = np.random.default_rng(1)
    a, b = numbers(rng, -(2**31), 2**31 - 1), numbers(rng, 0, 2**31 - 1)
    rng.shuffle(b)
    np.testing.assert_array_equal(functions("high", a, b), doubling_high_mul(a, b))


def test_shifts_round_halves_away_from_zero(functions: Functions) -> None:
    rng = np.random.default_rng(2)
    x, n = numbers(rng, -(2**31), 2**31 - 1), rng.integers(0, 32, 100_000)
    np.testing.assert_array_equal(functions("shift", x, n), rounding_shift(x, n))


@pytest.mark.parametrize("rounding", Rounding)
@pytest.mark.parametrize("shift", [-31, -30, -20, -9, -8, -7, -1, 0, 1, 5, 29])
def test_requantisation(functions: Functions, rounding: Rounding, shift: int) -> None:
    """All accumulators of the contract, |acc| << left < 2^30, ties included."""
    rng = np.random.default_rng(3)
    reach = (2**30 - 1) >> max(shift, 0)
    single = np.full(100_000, rounding is Rounding.SINGLE)
    for multiplier in (0, 1 << 30, (1 << 31) - 1, 0x55555555, int(rng.integers(1 << 30, 1 << 31))):
        acc = numbers(rng, -reach, reach)
        ties = (2 * rng.integers(-200, 200, 1000) + 1) << max(0, -shift)
        acc[100:1100] = np.clip(ties, -reach, reach)
        expected = requantize(acc, Requant((multiplier,), (shift,), rounding))
        ours = functions("requant", acc, np.full_like(acc, multiplier), np.full_like(acc, shift), single)
        np.testing.assert_array_equal(ours, expected, err_msg=f"{multiplier}")


def test_choices(functions: Functions) -> None:
    rng = np.random.default_rng(4)
    a, b = (numbers(rng, -(2**30) + 1, 2**30 - 1) for _ in range(2))
    rng.shuffle(b)
    np.testing.assert_array_equal(functions("larger", a, b), np.maximum(a, b))
    np.testing.assert_array_equal(functions("smaller", a, b), np.minimum(a, b))
    low = rng.integers(-(2**15), 2**15, a.size)
    high = np.maximum(low, rng.integers(-(2**15), 2**15, a.size))
    np.testing.assert_array_equal(functions("clamp", a, low, high), np.clip(a, low, high))


def test_leading_zeros(functions: Functions) -> None:
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.integers(1, 2**32, 10_000) >> s for s in range(32)] + [[1, 2**32 - 1, 2**31]])
    values = values[values > 0]
    expected = 32 - np.frexp(values.astype(np.float64))[1]
    np.testing.assert_array_equal(functions("zeros", values.astype(np.uint32).view(np.int32)), expected)


def test_one_over_one_plus(functions: Functions) -> None:
    x = numbers(np.random.default_rng(6), 0, 2**31 - 1)
    np.testing.assert_array_equal(functions("over", x), one_over_one_plus(x))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 9, 25, 49, 125, 500, 1023, 1024, 65537, 100_000])
def test_reciprocals(functions: Functions, count: int) -> None:
    """Every sum of int8 values, or many where there are too many; halves away from zero."""
    largest = 128 * count
    sums = np.arange(-largest, largest + 1) if count < 600 else numbers(np.random.default_rng(count), -largest, largest)
    quotient = (np.abs(sums) + count // 2) // count
    ours = functions("quotient", sums, np.asarray(reciprocal(count, 129 * count)))
    np.testing.assert_array_equal(ours, np.where(sums < 0, -quotient, quotient))
