"""What the instructions of the depthwise kernels for the DSP extension are proportional to."""

from __future__ import annotations

from byrote.kernel import NodeView, Work
from byrote.ops.counting import border_windows, window_taps
from byrote.ops.depthwise_conv2d import dsp
from byrote.ops.depthwise_conv2d.op import DepthwiseConv2D
from byrote.ops.dsp_output import FORMS, results_by_form


def _op(view: NodeView) -> DepthwiseConv2D:
    assert isinstance(view.op, DepthwiseConv2D)
    return view.op


def vertical(view: NodeView) -> bool:
    """Kernels of one column on inputs of one column: all rows of four channels at a time."""
    return view.input_type(0).shape[2] == 1 and view.constant(1).shape[2] == 1 and view.output_type().shape[2] == 1


def _results(view: NodeView, results: float) -> tuple[float, ...]:
    if view.constant(1).shape[3] != view.input_type(0).shape[3]:
        return (results, *(0.0,) * (len(FORMS) - 1))
    return results_by_form(dsp.output_constants(dsp.layer_of(view)), results)


def _count3x3(view: NodeView, rows: int) -> tuple[float, ...]:
    """Strips of two columns run down all input rows, in a loop if there are enough; those at borders apart."""
    op, x, out = _op(view), view.input_type(0), view.output_type()
    width, channels, stride = x.shape[2], x.shape[3], op.stride[0]
    slots = rows * stride + 3 - stride
    if rows >= out.rows:
        slots -= sum(op.padding[0])
    if stride == 1:
        inner = 0 if width <= 4 else (width - 3 - width % 2 - 1) // 2
        borders = 1 if width <= 4 else 2 if rows <= 2 else 4
    else:
        inner, borders = max(0, -(-out.shape[2] // 2) - 2), 2
    loops = rows * stride - 2 >= (6 if stride == 1 else 8)
    strips, edges = channels * inner, channels * borders
    results = rows * out.shape[2] * channels
    return (
        1,
        channels,
        strips,
        strips * slots * loops,
        strips * slots * (not loops),
        edges,
        edges * slots,
        *_results(view, results),
    )


def _variant3x3(view: NodeView) -> str:
    op = _op(view)
    return f"stride {op.stride[0]}{', narrow' if view.input_type(0).shape[2] <= 6 else ''}"


def _count(view: NodeView, rows: int) -> tuple[float, ...]:
    """Pairs of outputs of four channels, line by line of the window; single ones, and windows at borders, apart."""
    op, x, out = _op(view), view.input_type(0), view.output_type()
    _, kernel_h, kernel_w, channels = view.constant(1).shape
    quads = -(-channels // 4)
    lines = window_taps(view, (kernel_h, kernel_w), op.stride, op.dilation, op.padding)[0]
    if vertical(view):
        outputs, turns, lines, taps, axis = rows, quads, 1.0, kernel_h, 0
    else:
        outputs, turns, taps, axis = out.shape[2], rows * quads, kernel_w, 1
        lines = kernel_h if dsp.layer_of(view).stored_zero else lines
    sizes = (x.shape[1 + axis], out.shape[1 + axis], taps, op.stride[axis], op.dilation[axis], op.padding[axis][0])
    border = min(outputs, border_windows(*sizes)) if not axis or rows else 0
    border = border * rows / out.rows if vertical(view) else border
    pairs, single = turns * (outputs // 2), turns * (outputs % 2)
    work = (pairs, pairs * lines, pairs * lines * taps, single, single * lines * taps, turns * border * lines * taps)
    return (1, rows, turns, *work, *_results(view, rows * out.shape[2] * channels))


def _variant(view: NodeView) -> str:
    op = _op(view)
    axis = 0 if vertical(view) else 1
    slides = "sliding" if op.dilation[axis] == op.stride[axis] else "apart"
    place = "column" if vertical(view) else "rows"
    size = "3x3" if view.constant(1).shape[1:3] == (3, 3) else "any size"
    return f"{place}, {slides}, {size}"


WORK_3X3 = Work(
    ("call", "channel", "strip", "looped slot", "slot", "border strip", "border slot", *FORMS), _count3x3, _variant3x3
)
WORK_DSP = Work(
    ("call", "row", "turn", "pair", "line", "tap", "single", "tap of a single", "border tap", *FORMS), _count, _variant
)
