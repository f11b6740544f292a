"""Random pools."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from byrote.ops.case import case, options, random_quant, tensor
from byrote.ops.reading import OperatorView
from byrote.ops.weighted_cases import random_window


def random_pool(rng: np.random.Generator, name: str) -> OperatorView:
    """Any window; a quarter of them see the whole input."""
    window = random_window(rng, dilated=False)
    if rng.random() < 0.25:
        window = replace(window, kernel=window.size, padding=1)
    channels = int(rng.integers(1, 9))
    quant = random_quant(rng, 0.005, 0.1)
    given = options(
        FilterHeight=window.kernel[0],
        FilterWidth=window.kernel[1],
        StrideH=window.stride[0],
        StrideW=window.stride[1],
        Padding=window.padding,
        FusedActivationFunction=int(rng.choice([0, 0, 1, 3])),
    )
    x, out = tensor((1, *window.size, channels), quant), tensor((1, *window.output, channels), quant)
    return case(name, (x,), (out,), given)
