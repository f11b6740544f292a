"""Random SPLIT, SPLIT_V and UNPACK operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any axis of tensors of rank 1 to 4."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    name = str(rng.choice(["SPLIT", "SPLIT_V", "UNPACK"]))
    quant = random_quant(rng)
    parts = int(rng.integers(1, 5))
    shape = list(random_shape(rng, int(rng.integers(2, 5))))
    axis = int(rng.integers(0, len(shape)))
    sizes = [int(n) for n in rng.integers(1, 4, parts)]
    if name == "SPLIT":
        sizes = [sizes[0]] * parts
    if name == "UNPACK":
        sizes = [1] * parts
    shape[axis] = sum(sizes)
    x = tensor(shape, quant)
    shapes = [[n for a, n in enumerate(shape) if a != axis] for _ in sizes]
    if name != "UNPACK":
        shapes = [[size if a == axis else n for a, n in enumerate(shape)] for size in sizes]
    outputs = [tensor(left, quant) for left in shapes]
    if name == "UNPACK":
        return case(name, (x,), outputs, options(Num=parts, Axis=axis))
    where = constant(np.asarray(axis if name == "SPLIT" else axis - len(shape), np.int32))
    if name == "SPLIT":
        return case(name, (where, x), outputs, options(NumSplits=parts))
    return case(name, (x, constant(np.asarray(sizes, np.int32)), where), outputs, options(NumSplits=parts))
