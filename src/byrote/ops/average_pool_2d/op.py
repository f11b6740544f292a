"""AVERAGE_POOL_2D: the mean of each window, halves away from zero, fused clamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir.op import Array
from byrote.ops.pooling import Pool2D
from byrote.ops.quantized import clipped
from byrote.ops.window import taps


@dataclass(frozen=True)
class AveragePool2D(Pool2D):
    """Input x [1, H, W, C] int8; padding counts neither in the sum nor in the number of elements."""

    name: ClassVar[str] = "AVERAGE_POOL_2D"

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.int64)
        total = taps(x, self.kernel, self.stride, (1, 1), self.padding).sum(axis=3)
        ones = np.ones((1, *x.shape[1:3], 1), np.int64)
        count = taps(ones, self.kernel, self.stride, (1, 1), self.padding).sum(axis=3)
        mean = (np.abs(total) + count // 2) // count
        return (clipped(np.where(total < 0, -mean, mean), self.clamp),)
