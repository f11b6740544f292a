"""CONV_2D as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import Rounding
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.quantized import activation_clamp, overflow, product_requant
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.weighted import read_weights
from byrote.ops.window import check_window, extent_of, resolve_padding


def read(view: OperatorView) -> Reading:
    """Attributes with explicit padding and requantisation."""
    x, output = view.input(0), view.output()
    weights, bias = read_weights(view, channel_axis=0)
    if len(x.type.shape) != 4 or len(weights.type.shape) != 4:
        raise Unreadable(f"input {x.type} and weights {weights.type} have to be of rank 4")
    options = view.options
    stride = (options.integer("StrideH", 1), options.integer("StrideW", 1))
    dilation = (options.integer("DilationHFactor", 1), options.integer("DilationWFactor", 1))
    kernel = (weights.type.shape[1], weights.type.shape[2])
    check_window(kernel, stride, dilation)
    size = (x.type.shape[1], x.type.shape[2])
    requant = product_requant(x.scale, weights.type.quant or x.quant, output.scale, Rounding.DOUBLE)
    if overflow(weights.data, bias.data, x.zero_point, requant):
        raise Unreadable("the 32-bit accumulator can overflow", "use fewer input channels or a smaller kernel")
    op = Conv2D(
        stride=stride,
        dilation=dilation,
        padding=resolve_padding(options.integer("Padding"), size, extent_of(kernel, dilation), stride),
        input_zero=x.zero_point,
        requant=requant,
        clamp=activation_clamp(options.integer("FusedActivationFunction"), output.quant),
        output=output.quant,
    )
    return Reading(op, (x, weights, bias))
