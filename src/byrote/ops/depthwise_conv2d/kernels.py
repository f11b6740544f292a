"""C kernels for DEPTHWISE_CONV_2D."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType, Rounding
from byrote.kernel import Kernel, Lowered, NodeView, Table
from byrote.ops.depthwise_conv2d.op import DepthwiseConv2D
from byrote.ops.packing import channel_table, interleave


def _op(view: NodeView) -> DepthwiseConv2D:
    assert isinstance(view.op, DepthwiseConv2D)
    return view.op


def _rejects_multiplier(view: NodeView) -> str | None:
    multiplier = view.constant(1).shape[3] // view.input_type(0).shape[3]
    return None if multiplier == 1 else f"channel multiplier {multiplier}, this kernel does 1"


def _lower(view: NodeView) -> Lowered:
    """Weights: four channels interleaved; the channels that remain follow one by one."""
    op, x, out = _op(view), view.input_type(0), view.output_type()
    weights, bias = view.constant(1), view.constant(2)
    channels = x.shape[3]
    fields = (
        ("in_width", x.shape[2]),
        ("out_width", out.shape[2]),
        ("channels", channels),
        ("kernel_h", weights.shape[1]),
        ("kernel_w", weights.shape[2]),
        ("stride_h", op.stride[0]),
        ("stride_w", op.stride[1]),
        ("dilation_h", op.dilation[0]),
        ("dilation_w", op.dilation[1]),
        ("pad_left", op.padding[1][0]),
        ("input_zero", op.input_zero),
        ("output_zero", op.output.zero_point),
        ("low", op.clamp[0]),
        ("high", op.clamp[1]),
        ("single", int(op.requant.rounding is Rounding.SINGLE)),
    )
    planes = weights.reshape(-1, channels).T[None]
    whole = channels // 4 * 4
    packed = np.concatenate((interleave(planes[:, :whole], 4), planes[:, whole:].reshape(-1)))
    tables = (
        Table("weights", DType.INT8, packed),
        Table("channels", DType.INT32, channel_table(bias, op.requant)),
    )
    return Lowered("depthwise_s8", fields, tables)


def _lower_grouped(view: NodeView) -> Lowered:
    """The convolution with as many groups as input channels, each of one input channel."""
    op, x, out = _op(view), view.input_type(0), view.output_type()
    weights, bias = view.constant(1), view.constant(2)
    groups = x.shape[3]
    multiplier = weights.shape[3] // groups
    fields = (
        ("in_width", x.shape[2]),
        ("in_pixel", groups),
        ("in_channels", 1),
        ("out_width", out.shape[2]),
        ("out_channels", multiplier),
        ("groups", groups),
        ("kernel_h", weights.shape[1]),
        ("kernel_w", weights.shape[2]),
        ("stride_h", op.stride[0]),
        ("stride_w", op.stride[1]),
        ("dilation_h", op.dilation[0]),
        ("dilation_w", op.dilation[1]),
        ("pad_left", op.padding[1][0]),
        ("input_zero", op.input_zero),
        ("output_zero", op.output.zero_point),
        ("low", op.clamp[0]),
        ("high", op.clamp[1]),
        ("single", int(op.requant.rounding is Rounding.SINGLE)),
    )
    planes = weights.reshape(-1, groups, multiplier).transpose(1, 2, 0)
    tables = (
        Table("weights", DType.INT8, interleave(planes, 4)),
        Table("channels", DType.INT32, channel_table(bias, op.requant, groups, 4)),
    )
    return Lowered("conv2d_s8", fields, tables)


KERNELS = (
    Kernel(
        "depthwise_s8",
        DepthwiseConv2D,
        "ops/depthwise_conv2d/kernels/depthwise_s8.h",
        _lower,
        rejects=_rejects_multiplier,
    ),
    Kernel("conv2d_s8", DepthwiseConv2D, "ops/conv2d/kernels/conv2d_s8.h", _lower_grouped),
)
