"""What the instructions of the plain DEPTHWISE_CONV_2D kernels are proportional to."""

from __future__ import annotations

from byrote.ir import Rounding
from byrote.kernel import NodeView, Work
from byrote.ops.conv2d.work import CONV_FEATURES, conv_work
from byrote.ops.counting import window_taps
from byrote.ops.depthwise_conv2d.op import DepthwiseConv2D


def _taps(view: NodeView) -> tuple[float, float]:
    op = view.op
    assert isinstance(op, DepthwiseConv2D)
    _, kernel_h, kernel_w, _ = view.constant(1).shape
    return window_taps(view, (kernel_h, kernel_w), op.stride, op.dilation, op.padding)


def _results(view: NodeView, results: float) -> tuple[float, float]:
    """(with two roundings, with one)."""
    op = view.op
    assert isinstance(op, DepthwiseConv2D)
    single = op.requant.rounding is Rounding.SINGLE
    return results * (not single), results * single


def _count(view: NodeView, rows: int) -> tuple[float, ...]:
    """depthwise_s8: channels by fours, what remains one by one."""
    out = view.output_type()
    pixels, channels = rows * out.shape[2], out.shape[3]
    quads, rest = pixels * (channels // 4), pixels * (channels % 4)
    lines, columns = _taps(view)
    four, single = (n * lines for n in (quads, rest))
    counts = (quads, four, four * columns, rest, single, single * columns)
    return (1, rows, pixels, *counts, *_results(view, pixels * channels))


def _count_multiplied(view: NodeView, rows: int) -> tuple[float, ...]:
    """conv2d_s8 with one group per input channel."""
    x, out = view.input_type(0), view.output_type()
    pixels, groups = rows * out.shape[2], x.shape[3]
    counts = conv_work(pixels, out.shape[3] // groups, groups, _taps(view), 1)
    return (1, rows, pixels, *counts, *_results(view, pixels * out.shape[3]))


WORK = Work(
    (
        "call",
        "row",
        "pixel",
        "four channels",
        "line of four",
        "tap of four",
        "channel",
        "line",
        "tap",
        "result",
        "result, one rounding",
    ),
    _count,
)
MULTIPLIED_WORK = Work(CONV_FEATURES, _count_multiplied)
