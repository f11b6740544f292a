"""ABS as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType, Requant
from byrote.ops.abs.op import Abs
from byrote.ops.quantized import checked_unary, quotient
from byrote.ops.reading import OperatorView, Profile, Reading, Unreadable


def read(view: OperatorView) -> Reading:
    """The factor is s_in / s_out, in float64 or, for LiteRT, float32."""
    x, output = view.input(0), view.output()
    x.require(DType.INT8)
    output.require(DType.INT8)
    if x.scale <= 0 or output.scale <= 0:
        what = f"the scales {x.scale:g} of the input and {output.scale:g} of the output have to be positive"
        raise Unreadable(what, "calibrate the model again")
    factor = None
    if x.scale != output.scale:
        single = view.profile is Profile.LITERT
        factor = checked_unary(Requant.of([quotient((x.scale,), output.scale, single=single)]))
    return Reading(Abs(output.quant, x.zero_point, factor), (x,))
