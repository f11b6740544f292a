"""Random LEAKY_RELU operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any quantisations, inputs of both signs, slopes below and above 1."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = random_shape(rng, int(rng.integers(1, 5)))
    x, out = tensor(shape, random_quant(rng, 0.01, 0.1)), tensor(shape, random_quant(rng, 0.01, 0.1))
    alpha = float(np.float32(rng.choice([0.0, 0.1, 0.2, 0.3, 1.5])))
    return case("LEAKY_RELU", (x,), (out,), options(Alpha=alpha))
