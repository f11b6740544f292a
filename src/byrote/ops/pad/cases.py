"""Random PAD operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Height and width, and any other axes, in tensors of rank 1 to 4."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    rank = int(rng.choice([1, 2, 3, 4, 4, 4]))
    shape, quant = random_shape(rng, rank), random_quant(rng)
    padding = rng.integers(0, 4, (rank, 2)) * (rng.random((rank, 2)) < 0.6)
    if rank == 4 and rng.random() < 0.6:
        padding[[0, 3]] = 0
    target = tuple(int(n + a + b) for n, (a, b) in zip(shape, padding, strict=True))
    amounts = constant(padding.astype(np.int32))
    if rng.random() < 0.3:
        value = constant(np.asarray([rng.integers(-128, 128)], np.int8), quant)
        return case("PADV2", (tensor(shape, quant), amounts, value), (tensor(target, quant),))
    return case("PAD", (tensor(shape, quant), amounts), (tensor(target, quant),))
