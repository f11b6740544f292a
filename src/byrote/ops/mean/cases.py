"""Random MEAN operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Height and width, and any other axes, in tensors of rank 1 to 4."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    rank = int(rng.choice([1, 2, 3, 4, 4, 4]))
    shape = random_shape(rng, rank, 9)
    chosen = (1, 2) if rank == 4 and rng.random() < 0.6 else tuple(a for a in range(rank) if rng.random() < 0.5)
    axes = chosen or (rank - 1,)
    keep = bool(rng.random() < 0.5)
    left = tuple(1 if a in axes else n for a, n in enumerate(shape) if keep or a not in axes)
    quant = random_quant(rng, 0.01, 0.1)
    out = quant if rng.random() < 0.3 else random_quant(rng, 0.001, 0.1)
    given = np.asarray([a - rank if rng.random() < 0.2 else a for a in axes], np.int32)
    x = tensor(shape, quant)
    return case("MEAN", (x, constant(given)), (tensor(left, out),), options(KeepDims=int(keep)))
