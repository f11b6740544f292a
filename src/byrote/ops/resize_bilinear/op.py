"""RESIZE_BILINEAR, int8: every output pixel is a mean of up to four input pixels, without rescaling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, Op, TensorType
from byrote.ir.fixedpoint import Ints
from byrote.ir.op import Array

ONE = 1024
"""Weights are in units of 1/1024."""

Place = tuple[int, int]
"""(position p, weight w): (ONE - w) of p and w of p + 1, which is there unless w is 0."""


@dataclass(frozen=True)
class ResizeBilinear(Op):
    """Input x [1, H, W, C]; a place for each output row and each output column, ascending."""

    name: ClassVar[str] = "RESIZE_BILINEAR"

    rows: tuple[Place, ...]
    columns: tuple[Place, ...]

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        if len(x.shape) != 4 or x.shape[0] != 1 or not self.rows or not self.columns:
            raise ValueError(f"RESIZE_BILINEAR needs an input [1, H, W, C], got {x}")
        for places, size in ((self.rows, x.shape[1]), (self.columns, x.shape[2])):
            if any(position < 0 or position + bool(weight) >= size for position, weight in places):
                raise ValueError(f"a pixel outside {x}")
        return (x.with_shape((1, len(self.rows), len(self.columns), x.shape[3])),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Halves are rounded away from zero."""
        total = _mixed(_mixed(inputs[0].astype(np.int64), self.rows, 1), self.columns, 2)
        rounded = np.sign(total) * ((np.abs(total) + ONE * ONE // 2) // (ONE * ONE))
        return (rounded.astype(np.int8),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs, outputs
        first = tuple(position for position, _ in self.rows)
        return ((Access(first, tuple(position + 1 + bool(weight) for position, weight in self.rows)),),)


def _mixed(x: Ints, places: Sequence[Place], axis: int) -> Ints:
    """ONE times the weighted means along an axis."""
    position = np.asarray([p for p, _ in places])
    weight = np.asarray([w for _, w in places], np.int64)
    along = weight.reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    behind = np.take(x, position + (weight > 0), axis)
    return np.take(x, position, axis) * (ONE - along) + behind * along
