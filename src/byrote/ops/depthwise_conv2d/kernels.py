"""C kernels for DEPTHWISE_CONV_2D."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType, Rounding
from byrote.kernel import InPlace, Kernel, Layout, Lowered, NodeView, Table
from byrote.ops.depthwise_conv2d import dsp
from byrote.ops.depthwise_conv2d.dsp_work import WORK_3X3, WORK_DSP, vertical
from byrote.ops.depthwise_conv2d.op import DepthwiseConv2D
from byrote.ops.depthwise_conv2d.work import MULTIPLIED_WORK, WORK
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


def _rejects_map(view: NodeView) -> str | None:
    if view.output_type().rows != 1 or view.input_type(0).rows == 1:
        return "several output rows, or one input row: this kernel sums rows of one window"
    if 4 * view.output_type().row_size >= view.input_type(0).size:
        return "its sums would need more memory than the input"
    if view.constant(1).shape[1] < _op(view).padding[0][0] + view.input_type(0).shape[1]:
        return "the window leaves input rows out"
    return "rows are dilated" if _op(view).dilation[0] != 1 else _rejects_multiplier(view)


def _lower_map(view: NodeView) -> Lowered:
    op, x, out = _op(view), view.input_type(0), view.output_type()
    weights, bias = view.constant(1), view.constant(2)
    fields = (
        ("in_width", x.shape[2]),
        ("out_width", out.shape[2]),
        ("channels", x.shape[3]),
        ("kernel_w", weights.shape[2]),
        ("stride_w", op.stride[1]),
        ("dilation_w", op.dilation[1]),
        ("pad_top", op.padding[0][0]),
        ("pad_left", op.padding[1][0]),
        ("input_zero", op.input_zero),
        ("output_zero", op.output.zero_point),
        ("low", op.clamp[0]),
        ("high", op.clamp[1]),
        ("single", int(op.requant.rounding is Rounding.SINGLE)),
    )
    tables = (
        Table("weights", DType.INT8, weights.reshape(-1)),
        Table("channels", DType.INT32, channel_table(bias, op.requant)),
    )
    return Lowered("depthwise_map_s8", fields, tables, state=4 + 4 * out.row_size)


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


def _rejects_rows(view: NodeView) -> str | None:
    if vertical(view):
        return "one column: the same function, not in place"
    return _rejects_multiplier(view) or dsp.rejects(dsp.layer_of(view))


def _rejects_column(view: NodeView) -> str | None:
    if not vertical(view):
        return "more than one column: the same function, in place"
    return _rejects_multiplier(view) or dsp.rejects(dsp.layer_of(view))


def _pixels(view: NodeView) -> bool:
    return view.inputs[0].layout is Layout.HWC


def _planes(view: NodeView) -> bool:
    return view.inputs[0].layout is Layout.HCW and view.inputs[0].unsigned


_DSP = "ops/depthwise_conv2d/kernels/depthwise_dsp.h"
_CORE = frozenset({"dsp"})

KERNELS = (
    Kernel(
        "depthwise3x3_dsp",
        DepthwiseConv2D,
        "ops/depthwise_conv2d/kernels/depthwise3x3_dsp.h",
        lambda view: dsp.lower3x3(dsp.layer_of(view)),
        rejects=lambda view: _rejects_multiplier(view) or dsp.rejects3x3(dsp.layer_of(view)),
        needs=_CORE,
        unrolled=True,
        stores=_planes,
        cost=lambda view, rows: dsp.costs3x3(dsp.layer_of(view), rows),
        work=WORK_3X3,
        in_place=InPlace.NEVER,  # all rows of one channel, then the next
    ),
    Kernel(
        "depthwise_dsp",
        DepthwiseConv2D,
        _DSP,
        lambda view: dsp.lower(dsp.layer_of(view)),
        rejects=_rejects_rows,
        needs=_CORE,
        unrolled=True,
        stores=_pixels,
        cost=lambda view, rows: dsp.costs(dsp.layer_of(view), rows),
        work=WORK_DSP,
    ),
    Kernel(
        "depthwise_dsp",
        DepthwiseConv2D,
        _DSP,
        lambda view: dsp.lower(dsp.layer_of(view)),
        rejects=_rejects_column,
        needs=_CORE,
        unrolled=True,
        stores=_pixels,
        cost=lambda view, rows: dsp.costs(dsp.layer_of(view), rows),
        work=WORK_DSP,
        in_place=InPlace.NEVER,
    ),
    Kernel(
        "depthwise_s8",
        DepthwiseConv2D,
        "ops/depthwise_conv2d/kernels/depthwise_s8.h",
        _lower,
        rejects=_rejects_multiplier,
        work=WORK,
    ),
    Kernel(
        "depthwise_map_s8",
        DepthwiseConv2D,
        "ops/depthwise_conv2d/kernels/depthwise_map_s8.h",
        _lower_map,
        rejects=_rejects_map,
        accumulates=True,
    ),
    Kernel("conv2d_s8", DepthwiseConv2D, "ops/conv2d/kernels/conv2d_s8.h", _lower_grouped, work=MULTIPLIED_WORK),
)
