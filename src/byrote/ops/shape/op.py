"""SHAPE: the shape of a tensor, known at compile time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Shape(Op):
    """No inputs: the result is a constant, folded at compile time."""

    name: ClassVar[str] = "SHAPE"

    shape: tuple[int, ...]
    dtype: DType

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        del inputs
        return (TensorType(self.dtype, (len(self.shape),)),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        del inputs
        return (np.asarray(self.shape, self.dtype.value),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs, outputs
        return ((),)
