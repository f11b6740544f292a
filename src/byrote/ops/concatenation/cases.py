"""Random CONCATENATION and PACK operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Two to eight inputs, any axis."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape, quant = list(random_shape(rng, int(rng.integers(1, 5)))), random_quant(rng)
    parts = int(rng.choice([2, 2, 3, 4, 8]))
    if rng.random() < 0.2:
        axis = int(rng.integers(0, min(len(shape) + 1, 4)))
        target = [*shape[:axis], parts, *shape[axis:]]
        inputs = [tensor(shape, quant) for _ in range(parts)]
        return case("PACK", inputs, (tensor(target, quant),), options(ValuesCount=parts, Axis=axis))
    axis = int(rng.integers(0, len(shape)))
    sizes = [int(n) for n in rng.integers(1, 5, parts)]
    inputs = [tensor([n if a == axis else m for a, m in enumerate(shape)], quant) for n in sizes]
    target = [sum(sizes) if a == axis else m for a, m in enumerate(shape)]
    where = axis - len(shape) if rng.random() < 0.5 else axis
    return case("CONCATENATION", inputs, (tensor(target, quant),), options(Axis=where))
