"""LOGISTIC, int8: 1 / (1 + exp(-x))."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from byrote.ir.fixedpoint import Ints, rounding_shift
from byrote.ops.gemmlowp import logistic
from byrote.ops.sigmoid import INTEGER_BITS, Sigmoid


@dataclass(frozen=True)
class Logistic(Sigmoid):
    """Input x int8 of any shape; the result has scale 1/256 and zero point -128."""

    name: ClassVar[str] = "LOGISTIC"

    def curve(self, x: Ints) -> Ints:
        return rounding_shift(logistic(x, INTEGER_BITS), np.int64(23)) - 128

    def real_curve(self, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        one = np.float32(1)
        with np.errstate(over="ignore"):
            return one / (one + np.exp(-x.astype(np.float64)).astype(np.float32))
