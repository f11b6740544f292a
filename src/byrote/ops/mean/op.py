"""MEAN over any axes, int8: the sum, rescaled by a factor that contains the number of elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, Quant, Requant, TensorType, requantize
from byrote.ir.op import Array
from byrote.ops.quantized import clipped


@dataclass(frozen=True)
class Mean(Op):
    """Input x int8 of any shape; `axes` are those that vanish (or become 1 with `keep_dims`), ascending."""

    name: ClassVar[str] = "MEAN"

    axes: tuple[int, ...]
    keep_dims: bool
    input_zero: int
    requant: Requant
    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        shape = inputs[0].shape
        if any(not 0 <= axis < len(shape) for axis in self.axes) or not inputs[0].elements:
            raise ValueError(f"MEAN over axes {list(self.axes)} of {inputs[0]}")
        kept = (1 if axis in self.axes else size for axis, size in enumerate(shape))
        left = tuple(size for axis, size in enumerate(kept) if self.keep_dims or axis not in self.axes)
        return (TensorType(DType.INT8, left, self.output),)

    def count(self, x: TensorType) -> int:
        """Elements per mean."""
        return math.prod(x.shape[axis] for axis in self.axes)

    def per_channel(self, x: TensorType) -> bool:
        """Whether one vector is left, the last axis: the input can be taken row by row."""
        return len(x.shape) > 1 and x.elements == self.count(x) * x.shape[-1] and len(x.shape) - 1 not in self.axes

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.int64) - self.input_zero
        total = np.asarray(x.sum(axis=self.axes, keepdims=self.keep_dims), np.int64)
        return (clipped(requantize(total, self.requant) + self.output.zero_point, (-128, 127)),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        x, out = inputs[0], outputs[0]
        return ((Access.whole(x.rows, out.rows, accumulates=out.rows == 1 and self.per_channel(x)),),)
