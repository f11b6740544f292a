"""Random SHAPE operators."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.ops.case import case, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Of tensors of rank 1 to 4."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = random_shape(rng, int(rng.integers(1, 5)))
    out = tensor((len(shape),), None, DType.INT32)
    return case("SHAPE", (tensor(shape, random_quant(rng)),), (out,), options(OutType=2))
