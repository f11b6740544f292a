"""Random DEPTHWISE_CONV_2D operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.case import case, options, tensor
from byrote.ops.reading import OperatorView
from byrote.ops.weighted_cases import random_input, random_output, random_weights, random_window


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any kernel, stride, dilation, padding and multiplier; per-tensor and per-channel weights."""
    return tuple(_case(rng) for _ in range(count))


def _case(rng: np.random.Generator) -> OperatorView:
    window = random_window(rng)
    multiplier = int(rng.choice([1, 1, 1, 2, 5]))
    channels = int(rng.integers(1, 11))
    x = random_input(rng, (1, *window.size, channels))
    shape = (1, *window.kernel, channels * multiplier)
    weights, bias = random_weights(rng, x, shape, axis=3)
    given = options(
        StrideH=window.stride[0],
        StrideW=window.stride[1],
        DilationHFactor=window.dilation[0],
        DilationWFactor=window.dilation[1],
        DepthMultiplier=multiplier,
        Padding=window.padding,
        FusedActivationFunction=int(rng.choice([0, 1, 3])),
    )
    terms = window.kernel[0] * window.kernel[1]
    out = tensor((1, *window.output, channels * multiplier), random_output(rng, x, weights, terms))
    return case("DEPTHWISE_CONV_2D", (x, weights, bias), (out,), given)
