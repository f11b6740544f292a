"""What the instructions of the plain CONV_2D kernel are proportional to."""

from __future__ import annotations

from byrote.ir import Rounding
from byrote.kernel import NodeView, Work
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.counting import window_taps

CONV_FEATURES = (
    "call",
    "row",
    "pixel",
    "four channels",
    "line",
    "tap",
    "four products",
    "product of few channels",
    "result",
    "result, one rounding",
)


def conv_work(pixels: float, channels: int, groups: int, taps: tuple[float, float], depth: int) -> tuple[float, ...]:
    """Fours of channels, their lines, taps and products of so many pixels; products of fewer than four are apart.

    `channels`: output channels of one group; `depth`: its input channels.
    """
    quads = groups * -(-channels // 4)
    lines = pixels * quads * taps[0]
    products = lines * taps[1] * depth
    few = channels if channels < 4 else 0
    return pixels * quads, lines, lines * taps[1], products * (not few), products * few


def _count(view: NodeView, rows: int) -> tuple[float, ...]:
    op, x, out = view.op, view.input_type(0), view.output_type()
    assert isinstance(op, Conv2D)
    outputs, kernel_h, kernel_w, depth = view.constant(1).shape
    groups = x.shape[3] // depth
    pixels = rows * out.shape[2]
    taps = window_taps(view, (kernel_h, kernel_w), op.stride, op.dilation, op.padding)
    results = pixels * outputs
    single = op.requant.rounding is Rounding.SINGLE
    return (
        1,
        rows,
        pixels,
        *conv_work(pixels, outputs // groups, groups, taps, depth),
        results * (not single),
        results * single,
    )


def _variant(view: NodeView) -> str:
    _, kernel_h, kernel_w, depth = view.constant(1).shape
    if (kernel_h, kernel_w) == (1, 1):
        return "pointwise"
    return "window" if depth > 1 else "window of one channel"


WORK = Work(CONV_FEATURES, _count, _variant)
