"""Random SOFTMAX operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, options, per_tensor, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Vectors of 1 to 200 elements in tensors of rank 1 to 4; scales from tiny to huge."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = (*random_shape(rng, int(rng.integers(1, 5)), 4)[:-1], int(rng.choice([1, 2, 3, 10, 12, 200])))
    x, out = tensor(shape, random_quant(rng, 0.0005, 3)), tensor(shape, per_tensor(1 / 256, -128))
    return case("SOFTMAX", (x,), (out,), options(Beta=float(rng.choice([1.0, 1.0, 0.5, 2.0]))))
