"""Random HARD_SWISH operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any quantisations."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = (*random_shape(rng, int(rng.integers(1, 4))), int(rng.integers(1, 60)))
    x, out = tensor(shape, random_quant(rng, 0.003, 0.3)), tensor(shape, random_quant(rng, 0.01, 0.3))
    return case("HARD_SWISH", (x,), (out,))
