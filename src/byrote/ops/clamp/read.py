"""RELU, RELU6 and RELU_N1_TO_1 as TensorFlow Lite writes them."""

from __future__ import annotations

from byrote.ir import DType, Requant
from byrote.ops.clamp.op import Clamp
from byrote.ops.quantized import activation_clamp, checked_unary, quotient, same_quantisation
from byrote.ops.reading import OperatorView, Profile, Reading

_CODES = {"RELU": 1, "RELU_N1_TO_1": 2, "RELU6": 3}


def read(view: OperatorView) -> Reading:
    """All rescale, but for RELU6 in TFLM: there its quantisations have to agree."""
    x, output = view.input(0), view.output()
    x.require(DType.INT8)
    output.require(DType.INT8)
    if view.name == "RELU6" and view.profile is Profile.TFLM:
        same_quantisation(view)
    requant = checked_unary(Requant.of([quotient((x.scale,), output.scale, single=view.profile is Profile.LITERT)]))
    clamp = activation_clamp(_CODES[view.name], output.quant)
    return Reading(Clamp(output.quant, x.zero_point, requant, clamp), (x,))
