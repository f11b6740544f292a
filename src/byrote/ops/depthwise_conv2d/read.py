"""DEPTHWISE_CONV_2D as TensorFlow Lite writes it."""

from __future__ import annotations

import numpy as np

from byrote.ir import Rounding
from byrote.ops.depthwise_conv2d.op import DepthwiseConv2D
from byrote.ops.quantized import activation_clamp, overflow, product_requant
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.weighted import read_weights
from byrote.ops.window import check_window, extent_of, resolve_padding


def read(view: OperatorView) -> Reading:
    """Attributes with explicit padding and requantisation; the multiplier follows from the shapes."""
    x, output = view.input(0), view.output()
    weights, bias = read_weights(view, channel_axis=3)
    shape = weights.type.shape
    if len(x.type.shape) != 4 or len(shape) != 4 or shape[0] != 1:
        raise Unreadable(f"input {x.type} has to be of rank 4 and weights {weights.type} of shape [1, h, w, channels]")
    if not x.type.shape[3] or shape[3] % x.type.shape[3]:
        raise Unreadable(f"{shape[3]} output channels are not a multiple of {x.type.shape[3]} input channels")
    options = view.options
    stride = (options.integer("StrideH", 1), options.integer("StrideW", 1))
    dilation = (options.integer("DilationHFactor", 1), options.integer("DilationWFactor", 1))
    kernel = (shape[1], shape[2])
    check_window(kernel, stride, dilation)
    size = (x.type.shape[1], x.type.shape[2])
    requant = product_requant(x.scale, weights.type.quant or x.quant, output.scale, Rounding.DOUBLE)
    if overflow(np.moveaxis(weights.data, 3, 0), bias.data, x.zero_point, requant):
        raise Unreadable("the 32-bit accumulator can overflow", "use a smaller kernel or calibrate the model again")
    op = DepthwiseConv2D(
        stride=stride,
        dilation=dilation,
        padding=resolve_padding(options.integer("Padding"), size, extent_of(kernel, dilation), stride),
        input_zero=x.zero_point,
        requant=requant,
        clamp=activation_clamp(options.integer("FusedActivationFunction"), output.quant),
        output=output.quant,
    )
    return Reading(op, (x, weights, bias))
