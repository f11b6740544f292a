"""Describing single operators as a file would, for the generators of random cases in each operator's `cases.py`.

A case is an `OperatorView`: reading it gives the Op, its input types and constants, so that one generator serves the
tests of reading, of references against other engines, and of kernels against references.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from byrote.ir import DType, Quant, TensorType
from byrote.ir.op import Array
from byrote.ops.reading import OperatorView, Profile, TensorView

OptionValue = int | float | tuple[int, ...]


@dataclass(frozen=True)
class GivenOptions:
    """Options as pairs; implements the protocol `Options`."""

    entries: tuple[tuple[str, OptionValue], ...] = ()

    def _find(self, name: str) -> OptionValue | None:
        return next((value for key, value in self.entries if key == name), None)

    def integer(self, name: str, default: int = 0) -> int:
        value = self._find(name)
        return int(value) if isinstance(value, int | float) else default

    def real(self, name: str, default: float = 0.0) -> float:
        value = self._find(name)
        return float(value) if isinstance(value, int | float) else default

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self.integer(name, int(default)))

    def integers(self, name: str) -> tuple[int, ...]:
        value = self._find(name)
        return value if isinstance(value, tuple) else ()


def options(**entries: OptionValue) -> GivenOptions:
    """Options by the names of the schema's fields."""
    return GivenOptions(tuple(entries.items()))


def case(
    name: str,
    inputs: Sequence[TensorView | None],
    outputs: Sequence[TensorView],
    given: GivenOptions | None = None,
    profile: Profile = Profile.TFLM,
) -> OperatorView:
    """An operator with its tensors numbered anew, inputs first."""
    numbered = [None if t is None else TensorView(i, f"input{i}", t.type, t.data) for i, t in enumerate(inputs)]
    results = tuple(TensorView(len(inputs) + i, f"output{i}", t.type) for i, t in enumerate(outputs))
    return OperatorView(name, tuple(numbered), results, given or GivenOptions(), profile)


def tensor(shape: Sequence[int], quant: Quant | None = None, dtype: DType = DType.INT8) -> TensorView:
    """A computed tensor."""
    return TensorView(0, "", TensorType(dtype, tuple(shape), quant))


def constant(data: Array, quant: Quant | None = None) -> TensorView:
    """A constant tensor."""
    return TensorView(0, "", TensorType(DType(str(data.dtype)), tuple(data.shape), quant), data)


def per_tensor(scale: float, zero_point: int = 0) -> Quant:
    """Quantisation with the scale rounded to float32, as files store it."""
    return Quant((float(np.float32(scale)),), (int(zero_point),))


def random_scale(rng: np.random.Generator, low: float = 0.002, high: float = 0.5) -> float:
    """A float32 scale, log-uniform; now and then a small fraction, so that quotients of scales meet ties."""
    scale = np.exp(rng.uniform(np.log(low), np.log(high)))
    if rng.random() < 0.3:
        unit = 2.0 ** (np.floor(np.log2(scale)) - int(rng.integers(2, 6)))
        scale = max(1, round(scale / unit)) * unit
    return float(np.float32(scale))


def random_zero(rng: np.random.Generator) -> int:
    """A zero point: extreme, zero or anything."""
    return int(rng.choice([-128, 127, 0, int(rng.integers(-128, 128)), int(rng.integers(-128, 128))]))


def random_quant(rng: np.random.Generator, low: float = 0.002, high: float = 0.5) -> Quant:
    """A random scale with a random zero point."""
    return per_tensor(random_scale(rng, low, high), random_zero(rng))


def random_shape(rng: np.random.Generator, rank: int, largest: int = 7) -> tuple[int, ...]:
    """Small sizes, the first 1."""
    return (1, *(int(n) for n in rng.integers(1, largest + 1, rank - 1))) if rank > 1 else (int(rng.integers(1, 20)),)


def random_int8(rng: np.random.Generator, shape: Sequence[int]) -> Array:
    """Uniform over all values."""
    return rng.integers(-128, 128, tuple(shape)).astype(np.int8)
