"""Two int8 operands, stretched to a common shape and combined element by element."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from byrote.ir import Access, DType, Op, Quant, TensorType
from byrote.ir.fixedpoint import Ints
from byrote.ir.op import Array
from byrote.ops.broadcast import broadcast_shape, rows_of_operand
from byrote.ops.quantized import clipped


@dataclass(frozen=True)
class Elementwise(Op):
    """Inputs: a and b int8, either may be a constant."""

    output: Quant
    clamp: tuple[int, int]

    @abstractmethod
    def combine(self, a: Ints, b: Ints) -> Ints:
        """The result before it is clamped, zero point included."""

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        return (TensorType(DType.INT8, broadcast_shape(self.name, inputs), self.output),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        a, b = (value.astype(np.int64) for value in inputs)
        return (clipped(self.combine(a, b), self.clamp),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        return (tuple(rows_of_operand(operand, outputs[0]) for operand in inputs),)
