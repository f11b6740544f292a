"""GATHER of constants: elements picked along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Gather(Op):
    """Inputs: x of any type, int32 or int64 indices; both constant, so that it is folded at compile time."""

    name: ClassVar[str] = "GATHER"

    axis: int

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x, indices = inputs
        return (x.with_shape((*x.shape[: self.axis], *indices.shape, *x.shape[self.axis + 1 :])),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (np.asarray(np.take(inputs[0], inputs[1].astype(np.int64), axis=self.axis)),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        return ((Access.whole(inputs[0].rows, outputs[0].rows), None),)
