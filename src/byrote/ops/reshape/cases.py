"""Random RESHAPE operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """A shape with factors moved between axes; given by a constant, by options, with -1, or by the output alone."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = random_shape(rng, int(rng.integers(1, 5)))
    quant = random_quant(rng)
    total = int(np.prod(shape))
    target = [(total,), (1, total), (1, 1, total), (1, *shape), (*shape, 1), tuple(reversed(shape))][
        int(rng.integers(0, 6))
    ]
    x, out = tensor(shape, quant), tensor(target, quant)
    asked = tuple(-1 if i == len(target) - 1 else n for i, n in enumerate(target))
    kind = int(rng.integers(0, 3))
    if kind == 0:
        return case("RESHAPE", (x,), (out,), options(NewShape=target))
    return case("RESHAPE", (x, constant(np.asarray(target if kind == 1 else asked, np.int32))), (out,))
