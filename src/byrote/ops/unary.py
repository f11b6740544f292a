"""Operators that map every element by itself, int8 to int8: shape and access rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.ir import Access, DType, Op, Quant, TensorType


@dataclass(frozen=True)
class Unary(Op):
    """Input x int8 of any shape; `output` is the quantisation of the result."""

    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        return (TensorType(DType.INT8, inputs[0].shape, self.output),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs
        return ((Access.identity(outputs[0].rows),),)
