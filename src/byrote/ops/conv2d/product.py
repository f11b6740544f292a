"""CONV_2D as a matrix product on stored bytes: what all kernels of cores with the DSP extension share."""

from __future__ import annotations

import numpy as np

from byrote.ir.fixedpoint import Ints
from byrote.kernel import FieldValue, NodeView
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.gemm import (
    LANES,
    SMALL_TURN,
    WHOLE_TURN,
    Matrix,
    Mixed,
    Size,
    mixed_order,
    prepare_mixed,
    prepare_plain,
    remembered,
    turns,
)
from byrote.ops.gemm.stored import channel_order, columns, distances, stored
from byrote.ops.requant import General

BYTES_TURN = 64
"""Products per turn of a loop that extends bytes as it multiplies them, at most: 2 KB of code."""

GROUPED = "grouped convolutions are not one matrix product"


def op_of(view: NodeView) -> Conv2D:
    """The operator of a view that is known to be one."""
    assert isinstance(view.op, Conv2D)
    return view.op


def pointwise(view: NodeView) -> bool:
    """A kernel of one tap."""
    return view.constant(1).shape[1:3] == (1, 1)


def grouped(view: NodeView) -> bool:
    """More than one group of channels."""
    return view.input_type(0).shape[3] != view.constant(1).shape[3]


def padded(view: NodeView) -> bool:
    """Whether windows reach beyond the input."""
    op, x, out = op_of(view), view.input_type(0), view.output_type()
    kernel = view.constant(1).shape[1:3]

    def reaches(axis: int) -> bool:
        before = op.padding[axis][0]
        last = (out.shape[1 + axis] - 1) * op.stride[axis] - before + (kernel[axis] - 1) * op.dilation[axis]
        return before > 0 or last >= x.shape[1 + axis]

    return reaches(0) or reaches(1)


def run_of(view: NodeView) -> tuple[int, int]:
    """Bytes that lie together in a window, a row of taps or one tap if they are dilated; and what fills up a word."""
    _, _, kernel_w, channels = view.constant(1).shape
    size = channels * (kernel_w if op_of(view).dilation[1] == 1 else 1)
    return size, -size % LANES


def runs_of(view: NodeView) -> int:
    """Runs in a window."""
    _, kernel_h, kernel_w, _ = view.constant(1).shape
    return kernel_h * (1 if op_of(view).dilation[1] == 1 else kernel_w)


def tails_of(view: NodeView) -> int:
    """Runs whose last byte is gathered in words of such bytes, instead of filling up each: all or none."""
    runs, more = runs_of(view), run_of(view)[1]
    return runs if more == LANES - 1 and runs > 1 else 0


def gathered_depth(view: NodeView) -> int:
    """Products of a window of which last bytes are gathered (`tails_of`)."""
    runs = runs_of(view)
    size, more = run_of(view)
    return runs * (size - 1) + runs + -runs % LANES if tails_of(view) else runs * (size + more)


def depth_of(view: NodeView) -> int:
    """Products per result, zeros that fill up words included."""
    return runs_of(view) * sum(run_of(view))


def turns_of(view: NodeView) -> tuple[int, int]:
    """(K, products per turn) of mixed lanes on expanded windows."""
    return turns(gathered_depth(view), SMALL_TURN if view.small else WHOLE_TURN)


def byte_turns(view: NodeView) -> tuple[int, int]:
    """(K, products per turn) of mixed lanes on a window of bytes, whose runs follow each other without gaps."""
    _, kernel_h, kernel_w, channels = view.constant(1).shape
    size = kernel_h * kernel_w * channels
    return turns(size + -size % LANES, SMALL_TURN if view.small else BYTES_TURN)


def twice(view: NodeView) -> bool:
    """Whether a last single pixel is computed by the wide core: less code, and where it is never or hardly slower."""
    width, outputs = view.output_type().shape[2:]
    return view.small or width % 2 == 0 or -outputs % 8 >= 4


def size_of(view: NodeView) -> Size:
    """For estimates."""
    uneven = op_of(view).clamp[0] < op_of(view).output.zero_point
    return Size(view.constant(1).shape[0], depth_of(view), uneven)


def _products(view: NodeView, tails: int, filled: bool) -> Ints:
    """[N, K] weights in the order in which kernels read windows, both channel orders applied."""
    weights: Ints = view.constant(1).astype(np.int64)
    outputs, channels = weights.shape[0], weights.shape[3]
    source, target = channel_order(view.inputs[0], channels), channel_order(view.outputs[0], outputs)
    size, more = run_of(view)
    runs = weights[list(target)][..., list(source)].reshape(outputs, -1, size)
    if tails:
        whole = runs[..., : size - 1].reshape(outputs, -1)
        return np.pad(np.concatenate([whole, runs[..., -1]], axis=1), ((0, 0), (0, -tails % LANES)))
    return np.pad(runs, ((0, 0), (0, 0), (0, more if filled else 0))).reshape(outputs, -1)


def matrix_of(view: NodeView, tails: int = 0, *, filled: bool = True) -> Matrix:
    """The layer in the stored order of its output channels; the last bytes of so many runs behind all others.

    `filled`: runs are filled up to whole words, else only all of them together.
    """
    op = op_of(view)
    order = channel_order(view.outputs[0], view.constant(1).shape[0])
    return Matrix.of(
        _products(view, tails, filled),
        view.constant(2).astype(np.int64)[list(order)],
        input_zero=op.input_zero,
        unsigned=view.inputs[0].unsigned,
        requant=op.requant.in_order(order),
        zero_point=op.output.zero_point,
        clamp=op.clamp,
    )


@remembered
def mixed_proofs(view: NodeView) -> Mixed | str:
    """What mixed lanes need, or why they cannot be."""
    return GROUPED if grouped(view) else prepare_mixed(matrix_of(view))


@remembered
def plain_proofs(view: NodeView) -> General | str:
    """What plain weights need, or why they cannot be."""
    return GROUPED if grouped(view) else prepare_plain(matrix_of(view))


def preferred_order(view: NodeView) -> tuple[int, ...] | None:
    """Stored order of output channels with the shortest requantisation, None if there is none: a wish for `select`."""
    order = mixed_order(matrix_of(view))
    if order is None:
        return None
    now = channel_order(view.outputs[0], len(order))
    return tuple(now[i] for i in order)


def window_fields(view: NodeView) -> tuple[tuple[str, FieldValue], ...]:
    """Where windows lie: a part of every kernel's struct."""
    op = op_of(view)
    _, kernel_h, kernel_w, _ = view.constant(1).shape
    return (
        ("kernel_h", kernel_h),
        ("kernel_w", kernel_w),
        ("stride_h", op.stride[0]),
        ("stride_w", op.stride[1]),
        ("dilation_h", op.dilation[0]),
        ("dilation_w", op.dilation[1]),
        ("pad_left", op.padding[1][0]),
        ("padded", int(padded(view))),
    )


def output_fields(view: NodeView) -> tuple[tuple[str, FieldValue], ...]:
    """Where and how results are stored: a part of every kernel's struct."""
    out, target, op = view.output_type(), view.outputs[0], op_of(view)
    out_pixel, out_step = distances(target, out.shape[2], out.shape[3])
    return (
        ("out_width", out.shape[2]),
        ("out_row", columns(target, out.shape[2]) * out.shape[3]),
        ("out_pixel", out_pixel),
        ("out_step", out_step),
        ("out_channels", out.shape[3]),
        ("out_signed", int(not target.unsigned)),
        ("low", stored(op.clamp[0], target)),
        ("high", stored(op.clamp[1], target)),
    )
