"""Shapes and rows of operands that are stretched to a common shape, as numpy does it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from byrote.ir import Access, TensorType


def broadcast_shape(name: str, types: Sequence[TensorType]) -> tuple[int, ...]:
    """The common shape; ValueError if there is none."""
    try:
        return tuple(np.broadcast_shapes(*(t.shape for t in types)))
    except ValueError:
        raise ValueError(f"{name} cannot combine {' and '.join(map(str, types))}") from None


def strides_in(operand: TensorType, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Elements from one index of `shape` to the next in the dense operand, 0 where it is stretched."""
    padded = (1,) * (len(shape) - len(operand.shape)) + operand.shape
    dense = [1] * len(padded)
    for axis in range(len(padded) - 2, -1, -1):
        dense[axis] = dense[axis + 1] * padded[axis + 1]
    return tuple(0 if size == 1 else step for size, step in zip(padded, dense, strict=True))


def rows_of_operand(operand: TensorType, output: TensorType) -> Access:
    """Rows of the operand that each row of the output reads."""
    if operand.shape == output.shape or not output.elements:
        return Access.identity(output.rows)
    offsets = np.zeros(output.shape, np.int64)
    for axis, step in enumerate(strides_in(operand, output.shape)):
        size = [1] * len(output.shape)
        size[axis] = output.shape[axis]
        offsets = offsets + step * np.arange(output.shape[axis]).reshape(size)
    rows = offsets.reshape(output.rows, -1) * operand.dtype.size // max(1, operand.row_size)
    # A batch that is stretched starts again at row 0: the tables are monotone hulls.
    first = np.minimum.accumulate(rows.min(1)[::-1])[::-1]
    end = np.maximum.accumulate(rows.max(1) + 1)
    return Access(tuple(int(n) for n in first), tuple(int(n) for n in end))


def merged(shape: tuple[int, ...], *strides: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """The same loops with as few axes as possible: neighbours are merged where all operands step through evenly."""
    sizes: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        here = [s[axis] for s in strides]
        if sizes and all(taken[-1] == step * size for taken, step in zip(steps, here, strict=True)):
            sizes[-1] *= size
            for taken, step in zip(steps, here, strict=True):
                taken[-1] = step
            continue
        sizes.append(size)
        for taken, step in zip(steps, here, strict=True):
            taken.append(step)
    return tuple(sizes), tuple(tuple(taken) for taken in steps)
