"""Random operators of two operands."""

from __future__ import annotations

import numpy as np

from byrote.ir import Quant
from byrote.ops.case import (
    GivenOptions,
    case,
    constant,
    options,
    per_tensor,
    random_int8,
    random_quant,
    random_shape,
    random_zero,
    tensor,
)
from byrote.ops.reading import OperatorView


def random_shapes(rng: np.random.Generator) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Shapes of two operands: equal, one of lower rank, or axes of size 1 here and there."""
    shape = random_shape(rng, int(rng.integers(1, 5)))
    kind = int(rng.integers(0, 6))
    if kind < 2:
        return shape, shape
    other = shape[int(rng.integers(0, len(shape))) :]
    if kind == 3:
        other = tuple(1 if rng.random() < 0.5 else n for n in other)
    if kind == 4:
        other = shape[-1:]
    if kind == 5:
        other = tuple(1 if rng.random() < 0.3 else n for n in shape)
        shape = tuple(1 if rng.random() < 0.3 else n for n in shape)
    return (other, shape) if rng.random() < 0.3 else (shape, other)


def random_pair(rng: np.random.Generator, name: str) -> OperatorView:
    """ADD, SUB, MUL: any quantisations, now and then a constant operand, fused activations."""
    first, second = random_shapes(rng)
    qa, qb = random_quant(rng, 0.002, 0.3), random_quant(rng, 0.002, 0.3)
    typical = (qa.scale * qb.scale * 80) if name == "MUL" else max(qa.scale, qb.scale) * 1.3
    out = per_tensor(typical * float(np.exp(rng.uniform(-1.5, 1))), random_zero(rng))
    given = options(FusedActivationFunction=int(rng.choice([0, 0, 1, 2, 3])))
    return _pair(rng, name, (first, second), (qa, qb), out, given)


def random_extreme(rng: np.random.Generator, name: str) -> OperatorView:
    """MINIMUM and MAXIMUM: one quantisation."""
    quant = random_quant(rng)
    return _pair(rng, name, random_shapes(rng), (quant, quant), quant, options())


def _pair(
    rng: np.random.Generator,
    name: str,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
    quants: tuple[Quant, Quant],
    out: Quant,
    given: GivenOptions,
) -> OperatorView:
    operands = [tensor(shape, quant) for shape, quant in zip(shapes, quants, strict=True)]
    if rng.random() < 0.3:
        index = int(rng.integers(0, 2))
        operands[index] = constant(random_int8(rng, shapes[index]), quants[index])
    result = tensor(np.broadcast_shapes(*shapes), out)
    return case(name, operands, (result,), given)
