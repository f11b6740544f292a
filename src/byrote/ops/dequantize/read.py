"""DEQUANTIZE as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType
from byrote.ops.dequantize.op import Dequantize
from byrote.ops.reading import OperatorView, Reading


def read(view: OperatorView) -> Reading:
    """From int8 or uint8 of one scale."""
    x = view.input(0)
    x.require(DType.INT8, DType.UINT8)
    view.output().require(DType.FLOAT32)
    return Reading(Dequantize(x.scale, x.zero_point), (x,))
