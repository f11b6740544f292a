"""Random FULLY_CONNECTED operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, options, tensor
from byrote.ops.reading import OperatorView
from byrote.ops.weighted_cases import random_input, random_output, random_weights


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Vectors, batches, maps of rank 3 and 4, kept axes; per-tensor and per-channel weights."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    depth, outputs, keep = int(rng.integers(1, 60)), int(rng.integers(1, 14)), False
    a, b = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    kind = int(rng.integers(0, 7))
    shapes: tuple[tuple[int, ...], ...] = ((1, depth), (a, depth), (1, a, b, depth), (1, a, b, depth), (1, a, depth))
    shape = (*shapes, (1, a, b, depth), (1, 3, 2, depth))[kind]
    inputs = depth * a * b if kind == 3 else 3 * depth if kind == 6 else depth
    if kind in (2, 4):
        keep = True
    x = random_input(rng, shape)
    weights, bias = random_weights(rng, x, (outputs, inputs), axis=0)
    given = options(FusedActivationFunction=int(rng.choice([0, 1, 3])), KeepNumDims=int(keep))
    out_shape = (*shape[:-1], outputs) if keep else (int(np.prod(shape)) // inputs, outputs)
    out = tensor(out_shape, random_output(rng, x, weights, inputs))
    return case("FULLY_CONNECTED", (x, weights, bias), (out,), given)
