"""Random TRANSPOSE operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, random_quant, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any permutation of 2 to 5 axes."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    rank, quant = int(rng.integers(2, 6)), random_quant(rng)
    shape = tuple(int(n) for n in rng.integers(1, 6, rank))
    permutation = rng.permutation(rank)
    target = tuple(shape[int(axis)] for axis in permutation)
    order = constant(permutation.astype(np.int32))
    return case("TRANSPOSE", (tensor(shape, quant), order), (tensor(target, quant),))
