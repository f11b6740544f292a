"""MAX_POOL_2D: the largest value of each window, fused clamp."""

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
class MaxPool2D(Pool2D):
    """Input x [1, H, W, C] int8."""

    name: ClassVar[str] = "MAX_POOL_2D"

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        windows = taps(inputs[0].astype(np.int64), self.kernel, self.stride, (1, 1), self.padding, fill=-128)
        return (clipped(windows.max(axis=3), self.clamp),)
