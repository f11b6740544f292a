"""What the instructions of the CONV_2D kernels for the DSP extension are proportional to."""

from __future__ import annotations

from collections.abc import Callable

from byrote.kernel import Layout, NodeView, Work
from byrote.ops.conv2d.product import (
    BYTES_TURN,
    GROUPED,
    byte_turns,
    depth_of,
    gathered_depth,
    grouped,
    mixed_proofs,
    op_of,
    padded,
    plain_proofs,
    pointwise,
    run_of,
    runs_of,
    turns_of,
    twice,
)
from byrote.ops.counting import border_windows, window_taps
from byrote.ops.gemm import LANES, SMALL_TURN
from byrote.ops.gemm.work import RESULTS, results

_WINDOW = ("call", "row", "pixel", "run", "word", "border window", "border word")
_CORE = ("group", "turn", "step", "single group", "single step")


def _window(view: NodeView, rows: int, depth: int) -> tuple[float, ...]:
    """Expanding windows: runs and words of four bytes; those of windows that reach beyond the input again."""
    op, x, out = op_of(view), view.input_type(0), view.output_type()
    pixels, runs = rows * out.shape[2], runs_of(view)
    kernel = view.constant(1).shape[1:3]
    inside = 1.0
    for axis in (0, 1):
        sizes = (x.shape[1 + axis], out.shape[1 + axis], kernel[axis], op.stride[axis], op.dilation[axis])
        inside *= 1 - border_windows(*sizes, op.padding[axis][0]) / max(1, out.shape[1 + axis])
    border = pixels * (1 - inside)
    words = depth / 4
    return (1, rows, pixels, pixels * runs, pixels * words, border * runs, border * words)


def _core(view: NodeView, rows: int, channels: int) -> tuple[float, ...]:
    """Groups of `channels` channels of two pixels, turns of their loop, steps of four products; and of a last pixel."""
    k, unroll = turns_of(view)
    pixels, outputs = rows * view.output_type().shape[2], view.constant(1).shape[0]
    single = 0 if twice(view) else pixels % 2
    groups = -(-(pixels - single) // 2) * -(-outputs // channels)
    alone = single * -(-outputs // 8)
    return (groups, groups * (k // unroll) * (unroll < k), groups * k / 4, alone, alone * k / 4)


def _count(*, mixed: bool) -> Callable[[NodeView, int], tuple[float, ...]]:
    def count(view: NodeView, rows: int) -> tuple[float, ...]:
        proofs = GROUPED if grouped(view) else mixed_proofs(view) if mixed else plain_proofs(view)
        made = rows * view.output_type().shape[2] * view.constant(1).shape[0]
        depth = turns_of(view)[0] if mixed else gathered_depth(view)
        work = (*_window(view, rows, depth), *_core(view, rows, 4 if mixed else 2))
        return (*work, *results(proofs, made, op_of(view).clamp))

    return count


def _variant(view: NodeView) -> str:
    if view.inputs[0].layout is Layout.HCW:
        return "pixels of planes"
    kind = "pointwise" if pointwise(view) else "windows"
    return f"{kind}{', padded' if padded(view) else ''}{', short' if run_of(view)[0] <= 16 else ''}"


def _count_direct(view: NodeView, rows: int) -> tuple[float, ...]:
    """Eight channels of one pixel at a time; runs of windows that lie inside."""
    op, out = op_of(view), view.output_type()
    _, kernel_h, kernel_w, channels = view.constant(1).shape
    pixels, outputs = rows * out.shape[2], out.shape[3]
    groups = pixels * -(-outputs // 8)
    lines, columns = float(kernel_h), float(kernel_w)
    if padded(view):
        lines, columns = window_taps(view, (kernel_h, kernel_w), op.stride, op.dilation, op.padding)
    runs = lines * (1 if op.dilation[1] == 1 else columns)
    steps = (lines * columns * channels if padded(view) else depth_of(view)) / 4
    turn = turn_of(view)
    proofs = GROUPED if grouped(view) else mixed_proofs(view)
    work = (1, rows, pixels, groups, groups * runs, groups * steps * 4 / turn, groups * steps)
    return (*work, *results(proofs, pixels * outputs, op.clamp))


def turn_of(view: NodeView) -> int:
    """Products per turn of the direct kernel: they divide a tap where taps are skipped, else a run."""
    whole = view.constant(1).shape[3] if padded(view) else sum(run_of(view))
    longest = SMALL_TURN if view.small else BYTES_TURN
    return max((u for u in range(LANES, longest + 1, LANES) if whole % u == 0), default=LANES)


def _variant_direct(view: NodeView) -> str:
    return "padded" if padded(view) else "pointwise" if pointwise(view) else "windows"


def _count_window(view: NodeView, rows: int) -> tuple[float, ...]:
    """Copying windows, then eight channels of one pixel at a time."""
    pixels, outputs = rows * view.output_type().shape[2], view.constant(1).shape[0]
    k, unroll = byte_turns(view)
    groups = pixels * -(-outputs // 8)
    proofs = GROUPED if grouped(view) else mixed_proofs(view)
    core = (groups, groups * (k / unroll), groups * k / 4)
    return (*_window(view, rows, depth_of(view)), *core, *results(proofs, pixels * outputs, op_of(view).clamp))


def _variant_window(view: NodeView) -> str:
    size, more = run_of(view)
    return f"{'padded' if padded(view) else 'inside'}{', bytes' if size < LANES else ', uneven' if more else ''}"


MIXED_WORK = Work((*_WINDOW, *_CORE, *RESULTS), _count(mixed=True), _variant, "conv2d_dsp")
PLAIN_WORK = Work((*_WINDOW, *_CORE, *RESULTS), _count(mixed=False), _variant)
DIRECT_WORK = Work(
    ("call", "row", "pixel", "eight channels", "run", "turn", "step", *RESULTS), _count_direct, _variant_direct
)
WINDOW_WORK = Work((*_WINDOW, "eight channels", "turn", "step", *RESULTS), _count_window, _variant_window)
