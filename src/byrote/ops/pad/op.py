"""PAD: the tensor with a constant around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Pad(Op):
    """Input x of any type and shape; `padding` is (before, after) per axis, `fill` the raw value."""

    name: ClassVar[str] = "PAD"

    padding: tuple[tuple[int, int], ...]
    fill: int

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        if len(self.padding) != len(x.shape) or any(amount < 0 for pair in self.padding for amount in pair):
            raise ValueError(f"PAD by {list(self.padding)} of {x}")
        shape = tuple(a + n + b for n, (a, b) in zip(x.shape, self.padding, strict=True))
        return (x.with_shape(shape),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (np.pad(inputs[0], self.padding, constant_values=self.fill),)

    def rows_shift(self, x: TensorType) -> int | None:
        """The shift, if row r of the output is row r - shift of the input for all r, or fill; None if it is not."""
        inner = 2 if len(x.shape) >= 4 else 1
        outer = self.padding[: len(x.shape) - inner]
        if not outer:
            return 0
        simple = all(pair == (0, 0) and n == 1 for pair, n in zip(outer[:-1], x.shape[:-1], strict=False))
        return outer[-1][0] if simple else None

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        rows_in, rows_out = inputs[0].rows, outputs[0].rows
        shift = self.rows_shift(inputs[0])
        if shift is None:
            return ((Access.whole(rows_in, rows_out),),)
        return ((Access.window(rows_in, rows_out, extent=1, stride=1, before=shift),),)
