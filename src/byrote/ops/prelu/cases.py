"""Random PRELU operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, per_tensor, random_int8, random_quant, random_shape, random_zero, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Slopes per channel, per pixel and per element, constant and computed."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = random_shape(rng, 4)
    other = (shape[-1:], (1, 1, shape[-1]), shape, shape[1:])[int(rng.integers(0, 4))]
    qx, qa = random_quant(rng, 0.01, 0.1), random_quant(rng, 0.001, 0.02)
    out = per_tensor(qx.scale * float(np.exp(rng.uniform(-1, 0.5))), random_zero(rng))
    alpha = tensor(other, qa) if rng.random() < 0.2 else constant(random_int8(rng, other), qa)
    return case("PRELU", (tensor(shape, qx), alpha), (tensor(shape, out),))
