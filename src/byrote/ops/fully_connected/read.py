"""FULLY_CONNECTED as TensorFlow Lite writes it."""

from __future__ import annotations

import numpy as np

from byrote.ir import Rounding
from byrote.ops.fully_connected.op import FullyConnected
from byrote.ops.nearest import nearest_requant
from byrote.ops.quantized import activation_clamp, overflow, product_requant, sum_range
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.weighted import read_weights


def read(view: OperatorView) -> Reading:
    """Attributes with explicit requantisation, rounded as the profile says."""
    x, output = view.input(0), view.output()
    if not view.input(0).type.shape:
        raise Unreadable("the input is a scalar", "export the model with an input of rank 1 or more")
    weights, bias = read_weights(view, channel_axis=0)
    if view.options.integer("WeightsFormat"):
        raise Unreadable("weights are in a shuffled format", "convert the model without shuffled weights")
    quant = weights.type.quant or x.quant
    requant = product_requant(x.scale, quant, output.scale, Rounding.DOUBLE)
    clamp = activation_clamp(view.options.integer("FusedActivationFunction"), output.quant)
    # Kernels fold the input's zero point into the bias and sum plain products: both sums have to stay inside.
    folded = bias.data - x.zero_point * weights.data.astype(np.int64).reshape(bias.data.size, -1).sum(1)
    raw = np.abs(folded) + 128 * np.abs(weights.data.astype(np.int64)).reshape(bias.data.size, -1).sum(1)
    if overflow(weights.data, bias.data, x.zero_point, requant) or np.any(raw >= 2**31):
        raise Unreadable("the 32-bit accumulator can overflow", "use fewer inputs or calibrate the model again")
    if view.profile.fully_connected is Rounding.SINGLE:
        reals = [x.scale * scale / output.scale for scale in quant.scales]
        least, most = sum_range(weights.data, bias.data, -128 - x.zero_point, 127 - x.zero_point)
        requant = nearest_requant(reals, least, most, (clamp[0] - output.zero_point, clamp[1] - output.zero_point))
    op = FullyConnected(
        keep_dims=view.options.flag("KeepNumDims"),
        input_zero=x.zero_point,
        requant=requant,
        clamp=clamp,
        output=output.quant,
    )
    return Reading(op, (x, weights, bias))
