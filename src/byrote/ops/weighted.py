"""Reading weights and bias, the same for all operators that have them."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType, Quant, TensorType
from byrote.ops.reading import NewConstant, OperatorView, TensorView, Unreadable


def read_weights(view: OperatorView, channel_axis: int) -> tuple[NewConstant, NewConstant]:
    """(weights, bias) of an int8 operator: checked, with one weight scale per output channel and a bias in any case.

    Output channels lie on `channel_axis` of the weights.  A scale of 0 marks a dead channel: its result is the zero
    point whatever the weights, so they are set to 0.
    """
    x, weights, bias = view.input(0), view.input(1), view.optional(2)
    x.require(DType.INT8)
    view.output().require(DType.INT8)
    weights.require(DType.INT8)
    data = weights.constant("weights")
    quant = weights.quant
    channels = weights.type.shape[channel_axis] if len(weights.type.shape) > channel_axis else 0
    if len(quant.scales) not in (1, channels):
        raise Unreadable(f"weights {weights.name!r} have {len(quant.scales)} scales for {channels} output channels")
    if any(quant.zero_points):
        raise Unreadable(
            f"weights {weights.name!r} have zero point {next(z for z in quant.zero_points if z)}, only 0 is supported",
            "quantise weights symmetrically",
        )
    scales = quant.scales if len(quant.scales) == channels else quant.scales * channels
    dead = np.asarray(scales) == 0
    if dead.any():
        shape = [1] * data.ndim
        shape[channel_axis] = channels
        data = np.where(dead.reshape(shape), np.int8(0), data)
    kind = TensorType(DType.INT8, weights.type.shape, Quant(scales, (0,) * channels, channel_axis))
    return NewConstant(weights.name, kind, data), _bias(bias, channels, f"{weights.name}/bias")


def _bias(bias: TensorView | None, channels: int, name: str) -> NewConstant:
    if bias is None:
        return NewConstant(name, TensorType(DType.INT32, (channels,)), np.zeros(channels, np.int32))
    bias.require(DType.INT32)
    if bias.type.elements != channels:
        raise Unreadable(f"bias {bias.name!r} has {bias.type.elements} elements for {channels} output channels")
    data = bias.constant("bias").reshape(channels)
    return NewConstant(bias.name, TensorType(DType.INT32, (channels,)), data)
