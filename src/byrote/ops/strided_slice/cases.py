"""Random STRIDED_SLICE operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, constant, options, random_quant, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Positive and negative strides, negative bounds, masks of begin, end and shrinking."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape, quant = random_shape(rng, int(rng.integers(1, 5)), 9), random_quant(rng)
    begin, end, stride, result = [], [], [], []
    masks = {"BeginMask": 0, "EndMask": 0, "ShrinkAxisMask": 0}
    for axis, length in enumerate(shape):
        b, e, s, left = _axis(rng, length)
        kind = rng.random()
        if kind < 0.15:
            masks["ShrinkAxisMask"] |= 1 << axis
            s = 1
        elif kind < 0.3:
            masks["BeginMask"] |= 1 << axis
            left = len(range(length)[:e:s])
        elif kind < 0.45:
            masks["EndMask"] |= 1 << axis
            left = len(range(length)[b::s])
        if kind >= 0.15:
            result.append(left)
        begin.append(b)
        end.append(e)
        stride.append(s)
    if 0 in result:
        return _case(rng)
    bounds = tuple(constant(np.asarray(v, np.int32)) for v in (begin, end, stride))
    return case("STRIDED_SLICE", (tensor(shape, quant), *bounds), (tensor(result, quant),), options(**masks))


def _axis(rng: np.random.Generator, length: int) -> tuple[int, int, int, int]:
    """(begin, end, stride, elements left) of a slice that is not empty."""
    while True:
        begin, end = (int(n) for n in rng.integers(-length, length + 1, 2))
        stride = int(rng.choice([1, 1, 2, 3, -1, -2]))
        left = len(range(length)[begin:end:stride])
        if left and -length <= begin < length:
            return begin, end, stride, left
