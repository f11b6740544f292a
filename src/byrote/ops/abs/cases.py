"""Random ABS operators."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from byrote.ops.case import case, per_tensor, random_quant, random_shape, random_zero, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any quantisations; one scale for both tensors; quotients of scales that meet halves, all but for rounding."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape, quant, out = random_shape(rng, int(rng.integers(1, 5))), random_quant(rng, 0.01, 0.1), random_quant(rng)
    kind = int(rng.integers(0, 3))
    if kind == 1:
        out = replace(quant, zero_points=(random_zero(rng),))
    if kind == 2:
        out = per_tensor(quant.scale * 2 * int(rng.integers(1, 256)) / (2 * int(rng.integers(0, 120)) + 1), -128)
        quant = replace(quant, zero_points=(-128,))
    return case("ABS", (tensor(shape, quant),), (tensor(shape, out),))
