"""Random RESIZE_BILINEAR operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Larger, equal and smaller, all three conventions."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape, quant = random_shape(rng, 4), random_quant(rng)
    size = tuple(int(n) for n in rng.integers(1, 15, 2))
    if rng.random() < 0.3:
        size = (2 * shape[1], 2 * shape[2])
    kind = int(rng.integers(0, 3))
    given = options(AlignCorners=int(kind == 1), HalfPixelCenters=int(kind == 2))
    inputs = (tensor(shape, quant), constant(np.asarray(size, np.int32)))
    return case("RESIZE_BILINEAR", inputs, (tensor((1, *size, shape[3]), quant),), given)
