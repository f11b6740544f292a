"""Random SLICE operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Boxes anywhere in tensors of rank 1 to 4."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape, quant = random_shape(rng, int(rng.integers(1, 5))), random_quant(rng)
    begin = [int(rng.integers(0, n)) if rng.random() < 0.6 else 0 for n in shape]
    size = [int(rng.integers(1, n - b + 1)) for n, b in zip(shape, begin, strict=True)]
    asked = [-1 if b + s == n and rng.random() < 0.5 else s for b, s, n in zip(begin, size, shape, strict=True)]
    where, much = constant(np.asarray(begin, np.int32)), constant(np.asarray(asked, np.int32))
    return case("SLICE", (tensor(shape, quant), where, much), (tensor(size, quant),))
