"""What LOGISTIC and TANH share: the input scaled to a fixed-point number with 4 integer bits, saturated outside."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from byrote.ir import DType, Quant, Requant, quantize_multiplier, requantize
from byrote.ir.fixedpoint import Ints
from byrote.ir.op import Array
from byrote.ops.quantized import clipped
from byrote.ops.reading import OperatorView, Profile, Unreadable
from byrote.ops.unary import Unary

INTEGER_BITS = 4


@dataclass(frozen=True)
class Sigmoid(Unary):
    """Input x int8 of any shape; x - input_zero beyond +-radius gives the largest or smallest result.

    With `scale`, the function is computed in float32 of scale * (x - input_zero), and its result rounded to int8.
    """

    input_zero: int
    requant: Requant
    radius: int
    scale: float | None = None

    @abstractmethod
    def curve(self, x: Ints) -> Ints:
        """The function on numbers with 27 fractional bits, the result an int8 that may lie one above the largest."""

    @abstractmethod
    def real_curve(self, x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The function in float32, every step rounded as C does."""

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.int64) - self.input_zero
        if self.scale is not None:
            levels = self.real_curve(x.astype(np.float32) * np.float32(self.scale)) * np.float32(1 / self.output.scale)
            rounded = np.sign(levels) * np.floor(np.abs(levels.astype(np.float64)) + 0.5)
            return (clipped(rounded.astype(np.int64) + self.output.zero_point, (-128, 127)),)
        inside = np.minimum(np.maximum(x, -self.radius), self.radius)
        value = np.where(np.abs(x) < self.radius, self.curve(requantize(inside, self.requant)), np.sign(x) * 128)
        return (clipped(value, (-128, 127)),)


@dataclass(frozen=True)
class SigmoidAttributes:
    """What the file says."""

    output: Quant
    input_zero: int
    requant: Requant
    radius: int
    scale: float | None


def read_sigmoid(view: OperatorView, scale: float, zero_point: int) -> SigmoidAttributes:
    """The output has one quantisation only: `scale` and `zero_point`."""
    x, output = view.input(0), view.output()
    x.require(DType.INT8)
    output.require(DType.INT8)
    if output.scale != scale or output.zero_point != zero_point:
        raise Unreadable(
            f"the output has scale {output.scale:g} and zero point {output.zero_point}, "
            f"{view.name} gives 1/{round(1 / scale)} and {zero_point}",
            "convert the model again",
        )
    multiplier, shift = quantize_multiplier(x.scale * 2 ** (31 - INTEGER_BITS))
    if not 0 <= shift <= 30:
        raise Unreadable(f"the input scale {x.scale:g} is out of range", "calibrate the model again")
    radius = math.floor(((1 << INTEGER_BITS) - 1) * 2.0 ** (31 - INTEGER_BITS - shift))
    real = x.scale if view.profile is Profile.LITERT else None
    return SigmoidAttributes(output.quant, x.zero_point, Requant((multiplier,), (shift,)), radius, real)
