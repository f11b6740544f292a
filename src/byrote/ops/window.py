"""Geometry of sliding windows, shared by convolutions and pools."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from byrote.ops.reading import Unreadable

Padding = tuple[tuple[int, int], tuple[int, int]]
"""((top, bottom), (left, right)) in rows and columns."""

SAME, VALID = 0, 1


def output_size(size: int, extent: int, stride: int, before: int, after: int) -> int:
    """Number of window positions along one axis."""
    return (size + before + after - extent) // stride + 1


def resolve_padding(code: int, size: tuple[int, int], extent: tuple[int, int], stride: tuple[int, int]) -> Padding:
    """Padding of the TFLite schema's SAME or VALID for an input of `size` and windows of `extent` (dilation included).

    SAME pads so that the output has ceil(size / stride) positions, the odd row or column below and to the right.
    """
    if code == VALID:
        return (0, 0), (0, 0)
    if code != SAME:
        raise Unreadable(f"padding {code} is neither SAME (0) nor VALID (1)")

    def axis(n: int, e: int, s: int) -> tuple[int, int]:
        total = max((-(-n // s) - 1) * s + e - n, 0)
        return total // 2, total - total // 2

    return axis(size[0], extent[0], stride[0]), axis(size[1], extent[1], stride[1])


def extent_of(kernel: tuple[int, int], dilation: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns that a dilated kernel spans."""
    return (kernel[0] - 1) * dilation[0] + 1, (kernel[1] - 1) * dilation[1] + 1


def taps(
    x: npt.NDArray[np.int64],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    padding: Padding,
    fill: int = 0,
) -> npt.NDArray[np.int64]:
    """NHWC input to [N, H_out, W_out, kh * kw, C]: what each window sees, padding reads `fill`."""
    padded = np.pad(x, ((0, 0), padding[0], padding[1], (0, 0)), constant_values=fill)
    extent = extent_of(kernel, dilation)
    rows = output_size(x.shape[1], extent[0], stride[0], *padding[0])
    columns = output_size(x.shape[2], extent[1], stride[1], *padding[1])
    slices = [
        padded[
            :,
            ky * dilation[0] : ky * dilation[0] + (rows - 1) * stride[0] + 1 : stride[0],
            kx * dilation[1] : kx * dilation[1] + (columns - 1) * stride[1] + 1 : stride[1],
        ]
        for ky in range(kernel[0])
        for kx in range(kernel[1])
    ]
    return np.stack(slices, axis=3)


def check_window(kernel: tuple[int, int], stride: tuple[int, int], dilation: tuple[int, int] = (1, 1)) -> None:
    """Unreadable unless all are positive and sane."""
    for what, pair in (("kernel", kernel), ("stride", stride), ("dilation", dilation)):
        if min(pair) < 1 or max(pair) > 2**15:
            raise Unreadable(f"{what} {pair[0]}x{pair[1]} is out of range")
