"""RESIZE_NEAREST_NEIGHBOR: every output pixel is a copy of one input pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class ResizeNearestNeighbor(Op):
    """Input x [1, H, W, C]; the input row of each output row and the input column of each output column, ascending."""

    name: ClassVar[str] = "RESIZE_NEAREST_NEIGHBOR"

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        if len(x.shape) != 4 or x.shape[0] != 1 or not self.rows or not self.columns:
            raise ValueError(f"RESIZE_NEAREST_NEIGHBOR needs an input [1, H, W, C], got {x}")
        if max(self.rows) >= x.shape[1] or max(self.columns) >= x.shape[2]:
            raise ValueError(f"a pixel outside {x}")
        return (x.with_shape((1, len(self.rows), len(self.columns), x.shape[3])),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (inputs[0][:, np.asarray(self.rows)][:, :, np.asarray(self.columns)],)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs, outputs
        return ((Access(self.rows, tuple(row + 1 for row in self.rows)),),)
