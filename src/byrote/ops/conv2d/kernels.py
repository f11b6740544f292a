"""C kernels for CONV_2D."""

from __future__ import annotations

from byrote.ir import DType, Rounding
from byrote.kernel import Kernel, Lowered, NodeView, Table
from byrote.ops.conv2d.dsp import DSP_KERNELS
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.conv2d.winograd import KERNELS as WINOGRAD_KERNELS
from byrote.ops.conv2d.work import WORK
from byrote.ops.packing import channel_table, interleave


def _lower(view: NodeView) -> Lowered:
    op = view.op
    assert isinstance(op, Conv2D)
    x, out = view.input_type(0), view.output_type()
    weights, bias = view.constant(1), view.constant(2)
    groups = x.shape[3] // weights.shape[3]
    per_group = weights.shape[0] // groups
    fields = (
        ("in_width", x.shape[2]),
        ("in_pixel", x.shape[3]),
        ("in_channels", weights.shape[3]),
        ("out_width", out.shape[2]),
        ("out_channels", per_group),
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
    tables = (
        Table("weights", DType.INT8, interleave(weights.reshape(groups, per_group, -1), 4)),
        Table("channels", DType.INT32, channel_table(bias, op.requant, groups, 4)),
    )
    return Lowered("conv2d_s8", fields, tables)


KERNELS = (
    *DSP_KERNELS,
    *WINOGRAD_KERNELS,
    Kernel("conv2d_s8", Conv2D, "ops/conv2d/kernels/conv2d_s8.h", _lower, work=WORK),
)
