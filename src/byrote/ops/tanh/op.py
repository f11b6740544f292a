"""TANH, int8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from byrote.ir.fixedpoint import Ints, rounding_shift
from byrote.ops.gemmlowp import tanh
from byrote.ops.sigmoid import INTEGER_BITS, Sigmoid


@dataclass(frozen=True)
class Tanh(Sigmoid):
    """Input x int8 of any shape; the result has scale 1/128 and zero point 0."""

    name: ClassVar[str] = "TANH"

    def curve(self, x: Ints) -> Ints:
        return rounding_shift(tanh(x, INTEGER_BITS), np.int64(24))

    def real_curve(self, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return np.tanh(x.astype(np.float64)).astype(np.float32)
