"""Random GATHER operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any axis, a vector of indices, often evenly spaced."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape, quant = random_shape(rng, int(rng.integers(1, 5))), random_quant(rng)
    axis = int(rng.integers(0, len(shape)))
    indices = rng.integers(0, shape[axis], int(rng.integers(1, 6))).astype(np.int32)
    if rng.random() < 0.7:
        indices = np.sort(rng.permutation(shape[axis]))[:: int(rng.integers(1, 3))].astype(np.int32)
    target = (*shape[:axis], len(indices), *shape[axis + 1 :])
    inputs = (tensor(shape, quant), constant(indices))
    return case("GATHER", inputs, (tensor(target, quant),), options(Axis=axis))
