"""RESHAPE: the same elements in the same order, under another shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from byrote.ir import Access, Op, Quant, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Reshape(Op):
    """Input of any type; `output` is the quantisation of the result (the bytes are not rescaled)."""

    name: ClassVar[str] = "RESHAPE"
    is_view: ClassVar[bool] = True

    shape: tuple[int, ...]
    output: Quant | None

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        if x.elements != math.prod(self.shape):
            raise ValueError(f"{x} has {x.elements} elements, the shape {list(self.shape)} {math.prod(self.shape)}")
        return (TensorType(x.dtype, self.shape, self.output),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (inputs[0].reshape(self.shape),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        """Rows whose bytes an output row shares."""
        x, out = inputs[0], outputs[0]
        if not out.size:
            return ((Access.whole(x.rows, out.rows),),)
        first = tuple(row * out.row_size // x.row_size for row in range(out.rows))
        end = tuple(-(-(row + 1) * out.row_size // x.row_size) for row in range(out.rows))
        return ((Access(first, end),),)
