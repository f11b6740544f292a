"""Counting the loops of kernels, for predictions of their cost."""

from __future__ import annotations

from functools import lru_cache

from byrote.kernel import NodeView


@lru_cache(maxsize=1024)
def mean_taps(size: int, out: int, kernel: int, stride: int, dilation: int, before: int) -> float:
    """Window taps that lie inside the input along one axis, on average over all output positions."""
    inside = sum(1 for o in range(out) for k in range(kernel) if 0 <= o * stride - before + k * dilation < size)
    return inside / max(out, 1)


def window_taps(
    view: NodeView,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    padding: tuple[tuple[int, int], tuple[int, int]],
) -> tuple[float, float]:
    """Rows and columns of a window that lie inside a map [1, H, W, C], on average."""
    x, out = view.input_type(0).shape, view.output_type().shape
    rows, columns = (
        mean_taps(x[1 + axis], out[1 + axis], kernel[axis], stride[axis], dilation[axis], padding[axis][0])
        for axis in (0, 1)
    )
    return rows, columns


def border_windows(size: int, out: int, kernel: int, stride: int, dilation: int, before: int) -> int:
    """Windows along one axis that reach beyond the input."""
    starts = (o * stride - before for o in range(out))
    return sum(1 for start in starts if start < 0 or start + (kernel - 1) * dilation >= size)
