"""Random DEQUANTIZE operators."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.ops.case import case, per_tensor, random_scale, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """From int8 and uint8."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = random_shape(rng, int(rng.integers(1, 5)))
    dtype = DType.INT8 if rng.random() < 0.6 else DType.UINT8
    quant = per_tensor(random_scale(rng, 1e-6, 10), int(rng.integers(dtype.limits[0], dtype.limits[1] + 1)))
    return case("DEQUANTIZE", (tensor(shape, quant, dtype),), (tensor(shape, None, DType.FLOAT32),))
