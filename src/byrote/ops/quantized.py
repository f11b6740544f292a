"""Arithmetic that quantised operators share when they are read: multipliers, clamps, accumulator ranges."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from byrote.ir import Quant, Requant, Rounding
from byrote.ir.op import Array
from byrote.ops.reading import OperatorView, Unreadable

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT")
"""Fused activations in the order of the TensorFlow Lite schema."""


def activation_clamp(code: int, quant: Quant, low: int = -128, high: int = 127) -> tuple[int, int]:
    """Smallest and largest output of a fused activation, in [low, high], rounded in float32 as TFLite does."""
    name = ACTIVATIONS[code] if 0 <= code < len(ACTIVATIONS) else str(code)
    if name == "NONE":
        return low, high
    bounds = {"RELU": (0.0, None), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0)}.get(name)
    if bounds is None:
        raise Unreadable(f"fused activation {name} is not supported", "use RELU, RELU6, RELU_N1_TO_1 or none")
    return real_clamp(bounds, quant, low, high)


def real_clamp(bounds: tuple[float | None, float | None], quant: Quant, low: int, high: int) -> tuple[int, int]:
    """Quantised bounds of a clamp in real numbers."""
    lower, upper = bounds
    first = low if lower is None else max(low, quantize(lower, quant))
    last = high if upper is None else min(high, quantize(upper, quant))
    return first, max(first, last)


def quantize(real: float, quant: Quant) -> int:
    """q = zero_point + round(real / scale), float32 division, halves away from zero."""
    ratio = float(np.float32(real) / np.float32(quant.scale))
    rounded = int(abs(ratio) + 0.5) if abs(ratio) < 2**31 else 2**31
    return quant.zero_point + (rounded if ratio >= 0 else -rounded)


def quotient(numerators: tuple[float, ...], output_scale: float, *, single: bool) -> float:
    """Product of float32 numbers over the output scale, in float64 or, `single`, in float32 step by step."""
    kind = np.float32 if single else np.float64
    product = kind(1)
    for factor in numerators:
        product = product * kind(factor)
    return float(product / kind(output_scale))


def product_requant(input_scale: float, weights: Quant, output_scale: float, rounding: Rounding) -> Requant:
    """Requantisation of a weighted sum, per channel of the weights' quantisation: s_in * s_w / s_out in float64."""
    if output_scale <= 0:
        raise Unreadable(f"the output has scale {output_scale:g}, it has to be positive", "calibrate the model again")
    return checked(Requant.of([input_scale * scale / output_scale for scale in weights.scales], rounding))


def checked(requant: Requant) -> Requant:
    """Refuse rescaling by 2^30 or more: no 32-bit accumulator survives it."""
    if max(requant.shifts) > 30:
        raise Unreadable("the output scale is so small that results overflow 32 bits", "calibrate the model again")
    return requant


def accumulator_range(
    weights: npt.NDArray[np.int64], bias: npt.NDArray[np.int64], low: int, high: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Smallest and largest partial sum per channel of bias + sum(w * x), x in [low, high] or absent (padding).

    `weights` has shape (channels, taps); low <= 0 <= high since x has its zero point subtracted.
    """
    positive: npt.NDArray[np.int64] = np.maximum(weights, 0).sum(1)
    negative: npt.NDArray[np.int64] = np.minimum(weights, 0).sum(1)
    least = np.minimum(bias, 0) + positive * low + negative * high
    most = np.maximum(bias, 0) + positive * high + negative * low
    return least, most


def sum_range(weights: Array, bias: Array, low: int, high: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Smallest and largest complete sum per channel of bias + sum(w * x), x in [low, high]."""
    flat = weights.astype(np.int64).reshape(weights.shape[0], -1)
    positive: npt.NDArray[np.int64] = np.maximum(flat, 0).sum(1)
    negative: npt.NDArray[np.int64] = np.minimum(flat, 0).sum(1)
    start = bias.astype(np.int64).reshape(-1)
    return start + positive * low + negative * high, start + positive * high + negative * low


def overflow(weights: Array, bias: Array, zero_point: int, requant: Requant, low: int = -128, high: int = 127) -> bool:
    """Whether the accumulator, or a step of its rescaling in runtime/requant.h, can leave 32 bits for some input.

    Accumulators as large as 2^30 do occur: dead channels have no weights, a huge bias and a tiny multiplier.
    """
    flat = weights.reshape(weights.shape[0], -1).astype(np.int64)
    least, most = accumulator_range(flat, bias.astype(np.int64).reshape(-1), low - zero_point, high - zero_point)
    shifts = np.asarray(requant.shifts, np.int64)
    reach: npt.NDArray[np.int64] = np.maximum(-least, most) * (1 << np.maximum(shifts, 0))
    results = reach * (np.asarray(requant.multipliers, np.float64) / 2.0**31) / 2.0 ** np.maximum(-shifts, 0)
    limit = 2**31 - 1 if requant.rounding is Rounding.DOUBLE else 2**30
    return bool(np.any(reach > limit) or np.any(results >= 2**29))


def clipped(value: npt.NDArray[np.int64], clamp: tuple[int, int]) -> npt.NDArray[np.int8]:
    """int8 values of a clamp."""
    return np.minimum(np.maximum(value, clamp[0]), clamp[1]).astype(np.int8)


def checked_unary(requant: Requant, largest: int = 255) -> Requant:
    """Refuse a rescaling by which values of at most `largest` could leave 32 bits on the way."""
    if largest << max(0, *requant.shifts) >= 2**30:
        raise Unreadable("the output scale is so small that results overflow 32 bits", "calibrate the model again")
    return requant


def same_quantisation(view: OperatorView) -> Quant:
    """Quantisation of input and output, which have to agree: the operator does not rescale."""
    x, output = view.input(0), view.output()
    if (x.scale, x.zero_point) != (output.scale, output.zero_point):
        raise Unreadable(
            f"the output has scale {output.scale:g} and zero point {output.zero_point}, "
            f"the input {x.scale:g} and {x.zero_point}; they have to be equal",
            "convert the model again; this operator does not rescale",
        )
    return output.quant
