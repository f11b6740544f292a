"""MEAN as TensorFlow Lite writes it."""

from __future__ import annotations

import math

from byrote.ir import DType, Requant, quantize_multiplier
from byrote.ops.mean.op import Mean
from byrote.ops.quantized import checked_unary
from byrote.ops.reading import OperatorView, Reading, Unreadable


def read(view: OperatorView) -> Reading:
    """The factor is the quantised s_in / s_out, divided by the number of elements with as many bits as there are."""
    x, output = view.input(0), view.output()
    x.require(DType.INT8)
    output.require(DType.INT8)
    if output.scale <= 0:
        raise Unreadable(f"the output has scale {output.scale:g}, it has to be positive", "calibrate the model again")
    rank = len(x.type.shape)
    given = [int(axis) for axis in view.input(1).constant("axes").reshape(-1)]
    if any(not -rank <= axis < rank for axis in given):
        raise Unreadable(f"axes {given} are not all axes of {x.type}")
    axes = tuple(sorted({axis % rank for axis in given}))
    count = math.prod(x.type.shape[axis] for axis in axes)
    if not 0 < count < 2**22:
        raise Unreadable(f"the mean of {count} elements is not supported")
    multiplier, shift = quantize_multiplier(x.scale / output.scale)
    spare = min(count.bit_length() - 1, 32, 31 + shift)
    requant = checked_unary(Requant(((multiplier << spare) // count,), (shift - spare,)), 255 * count)
    keep = view.options.flag("KeepDims")
    return Reading(Mean(axes, keep, x.zero_point, requant, output.quant), (x,))
