"""TRANSPOSE: the axes in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Transpose(Op):
    """Input x of any type; axis k of the result is axis permutation[k] of x."""

    name: ClassVar[str] = "TRANSPOSE"

    permutation: tuple[int, ...]

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        if sorted(self.permutation) != list(range(len(x.shape))):
            raise ValueError(f"{list(self.permutation)} does not permute the axes of {x}")
        return (x.with_shape(tuple(x.shape[axis] for axis in self.permutation)),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (np.ascontiguousarray(np.transpose(inputs[0], self.permutation)),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        return ((Access.whole(inputs[0].rows, outputs[0].rows),),)
