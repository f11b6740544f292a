"""Random QUANTIZE operators."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.ops.case import case, per_tensor, random_scale, random_shape, tensor
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """From float32, int8 and uint8, to int8 and now and then uint8."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    shape = random_shape(rng, int(rng.integers(1, 5)))
    source = (DType.FLOAT32, DType.INT8, DType.UINT8)[int(rng.integers(0, 3))]
    target = DType.UINT8 if source is DType.INT8 and rng.random() < 0.3 else DType.INT8
    quant = per_tensor(random_scale(rng, 0.003, 0.3), int(rng.integers(target.limits[0], target.limits[1] + 1)))
    given = None
    if source is not DType.FLOAT32:
        scale = quant.scale if rng.random() < 0.3 else random_scale(rng, 0.003, 0.3)
        given = per_tensor(scale, int(rng.integers(source.limits[0], source.limits[1] + 1)))
    return case("QUANTIZE", (tensor(shape, given, source),), (tensor(shape, quant, target),))
