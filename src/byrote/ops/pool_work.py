"""What the instructions of the plain pools are proportional to."""

from __future__ import annotations

from byrote.kernel import NodeView, Work
from byrote.ops.counting import window_taps
from byrote.ops.pooling import Pool2D


def _count(view: NodeView, rows: int) -> tuple[float, ...]:
    op, out = view.op, view.output_type()
    assert isinstance(op, Pool2D)
    pixels = rows * out.shape[2]
    results = pixels * out.shape[3]
    lines, columns = window_taps(view, op.kernel, op.stride, (1, 1), op.padding)
    return (1, rows, pixels, results, results * lines, results * lines * columns)


def _variant(view: NodeView) -> str:
    op = view.op
    assert isinstance(op, Pool2D)
    if op.covers(view.input_type(0)):
        return "one window"
    lines, columns = window_taps(view, op.kernel, op.stride, (1, 1), op.padding)
    if (lines, columns) != op.kernel:
        return "clipped windows"
    return "windows" if lines * columns > 9 else f"windows of {op.kernel[0]}x{op.kernel[1]}"


def _count_words(view: NodeView, rows: int) -> tuple[float, ...]:
    """Four channels at a time, the last ones one by one."""
    op, out = view.op, view.output_type()
    assert isinstance(op, Pool2D)
    pixels, channels = rows * out.shape[2], out.shape[3]
    words = pixels * -(-channels // 4)
    lines, columns = window_taps(view, op.kernel, op.stride, (1, 1), op.padding)
    clamped = words * (op.clamp != (-128, 127))
    return (1, rows, pixels, words, words * lines, words * lines * columns, pixels * (channels % 4), clamped)


WORDS_WORK = Work(("call", "row", "pixel", "word", "line", "tap", "single", "clamped"), _count_words, _variant)
POOL_WORK = Work(("call", "row", "pixel", "result", "line", "tap"), _count, _variant)
