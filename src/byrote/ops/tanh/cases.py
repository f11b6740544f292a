"""Random TANH operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, per_tensor, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Input scales from tiny to huge."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = (*random_shape(rng, int(rng.integers(1, 4))), int(rng.integers(1, 60)))
    return case("TANH", (tensor(shape, random_quant(rng, 0.0005, 1)),), (tensor(shape, per_tensor(1 / 128, 0)),))
