"""SLICE: a box out of a tensor, every so many elements along each axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from byrote.ir import Access, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Slice(Op):
    """Input x of any type; element i along an axis is element begin + i * step of x, i < size.

    `shape` is the shape of the result, axes dropped or added: it has as many elements as `size` says.
    """

    name: ClassVar[str] = "SLICE"

    begin: tuple[int, ...]
    size: tuple[int, ...]
    step: tuple[int, ...]
    shape: tuple[int, ...]

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        fits = len(self.begin) == len(self.size) == len(self.step) == len(x.shape)
        if not fits or math.prod(self.size) != math.prod(self.shape):
            raise ValueError(f"a slice of {list(self.size)} from {list(self.begin)} as {list(self.shape)} of {x}")
        for begin, size, step, length in zip(self.begin, self.size, self.step, x.shape, strict=True):
            last = begin + (size - 1) * step
            if size < 1 or not 0 <= begin < length or not 0 <= last < length:
                raise ValueError(f"a slice of {list(self.size)} from {list(self.begin)} leaves {x}")
        return (x.with_shape(self.shape),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        result = inputs[0]
        for axis, (begin, size, step) in enumerate(zip(self.begin, self.size, self.step, strict=True)):
            result = np.take(result, begin + step * np.arange(size), axis=axis)
        return (result.reshape(self.shape),)

    def row_indices(self, x: TensorType) -> tuple[int, ...] | None:
        """The input row of each output row; None if an output row is not made from one input row."""
        if self.shape != self.size:
            return None
        inner = 2 if len(x.shape) >= 4 else 1
        rows = np.zeros((), np.int64)
        for axis in range(len(x.shape) - inner):
            taken = self.begin[axis] + self.step[axis] * np.arange(self.size[axis])
            rows = rows[..., None] * x.shape[axis] + taken
        return tuple(int(row) for row in np.ravel(rows))

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        indices = self.row_indices(inputs[0])
        if indices is None or any(b < a for a, b in pairwise(indices)):
            return ((Access.whole(inputs[0].rows, outputs[0].rows),),)
        return ((Access(indices, tuple(row + 1 for row in indices)),),)
