"""Random RELU and RELU6 operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Equal quantisations, and for RELU others."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = random_shape(rng, int(rng.integers(1, 5)))
    name = str(rng.choice(["RELU", "RELU6"]))
    quant = random_quant(rng, 0.005, 0.1)
    other = random_quant(rng, 0.005, 0.1) if name == "RELU" and rng.random() < 0.7 else quant
    return case(name, (tensor(shape, quant),), (tensor(shape, other),))
