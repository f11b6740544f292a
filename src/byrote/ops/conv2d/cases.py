"""Random CONV_2D operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, options, tensor
from byrote.ops.reading import OperatorView
from byrote.ops.weighted_cases import random_input, random_output, random_weights, random_window


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any kernel, stride, dilation, padding and groups; per-tensor and per-channel weights; multipliers above 1."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    window = random_window(rng)
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    channels, outputs = groups * int(rng.integers(1, 6)), groups * int(rng.integers(1, 8))
    x = random_input(rng, (1, *window.size, channels))
    shape = (outputs, *window.kernel, channels // groups)
    weights, bias = random_weights(rng, x, shape, axis=0)
    given = options(
        StrideH=window.stride[0],
        StrideW=window.stride[1],
        DilationHFactor=window.dilation[0],
        DilationWFactor=window.dilation[1],
        Padding=window.padding,
        FusedActivationFunction=int(rng.choice([0, 1, 3])),
    )
    out = tensor((1, *window.output, outputs), random_output(rng, x, weights, int(np.prod(shape[1:]))))
    return case("CONV_2D", (x, weights, bias), (out,), given)
