"""QUANTIZE as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType, Requant
from byrote.ops.quantize.op import Quantize, Rescale
from byrote.ops.quantized import checked_unary
from byrote.ops.reading import OperatorView, Reading, Unreadable


def read(view: OperatorView) -> Reading:
    """From float32, or from another 8-bit quantisation."""
    x, output = view.input(0), view.output()
    x.require(DType.FLOAT32, DType.INT8, DType.UINT8)
    output.require(DType.INT8, DType.UINT8)
    if output.scale <= 0:
        raise Unreadable(f"the output has scale {output.scale:g}, it has to be positive", "calibrate the model again")
    dtype = output.type.dtype
    if x.type.dtype is DType.FLOAT32:
        return Reading(Quantize(dtype, output.quant), (x,))
    requant = checked_unary(Requant.of([x.scale / output.scale]))
    return Reading(Rescale(dtype, x.zero_point, requant, output.quant), (x,))
