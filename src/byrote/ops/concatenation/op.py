"""CONCATENATION and PACK: tensors behind each other along an axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Concatenation(Op):
    """Inputs of one type and quantisation; the result has `shape`.

    In memory the result is, for every index of the axes before `axis`, a chunk of each input in turn; the inputs need
    not have the axis itself (PACK).
    """

    name: ClassVar[str] = "CONCATENATION"

    axis: int
    shape: tuple[int, ...]

    @property
    def outer(self) -> int:
        """How often every input contributes a chunk."""
        return math.prod(self.shape[: self.axis])

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        total = sum(x.elements for x in inputs)
        if total != math.prod(self.shape) or any(x.elements % self.outer for x in inputs):
            raise ValueError(f"{', '.join(map(str, inputs))} do not make {list(self.shape)} along axis {self.axis}")
        return (inputs[0].with_shape(self.shape),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (np.concatenate([x.reshape(self.outer, -1) for x in inputs], axis=1).reshape(self.shape),)

    def by_rows(self, inputs: Sequence[TensorType], output: TensorType) -> bool:
        """Whether every row of the result consists of the same row of each input."""
        return all(x.rows == output.rows for x in inputs) and self.outer % output.rows == 0

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        out = outputs[0]
        last = self.axis == len(self.shape) - 1
        stacked = self.outer == 1 and all(x.row_size == out.row_size for x in inputs)
        found: list[Access] = []
        start = 0
        for x in inputs:
            size = x.shape[-1] if last and x.shape else 0
            if self.by_rows(inputs, out):
                rows = range(out.rows)
                channels = (start, start + size) if last else None
                found.append(Access(tuple(rows), tuple(row + 1 for row in rows), channels=channels))
                start += size
            elif stacked:
                found.append(Access.window(x.rows, out.rows, extent=1, stride=1, before=start))
                start += x.rows
            else:
                found.append(Access.whole(x.rows, out.rows))
        return (tuple(found),)
