"""QUANTIZE: real numbers, or integers of another quantisation, to 8-bit integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, Quant, Requant, TensorType, requantize
from byrote.ir.op import Array


@dataclass(frozen=True)
class Quantize(Op):
    """Input x float32 of any shape: round(x / scale) + zero point, saturated.

    The division is that of float32, halves are rounded away from zero.  Engines that convert the quotient to int32 have
    no defined result from 2^31 on; here it saturates like any other.
    """

    name: ClassVar[str] = "QUANTIZE"

    dtype: DType
    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        if inputs[0].dtype is not DType.FLOAT32:
            raise ValueError(f"QUANTIZE of real numbers got {inputs[0]}")
        return (TensorType(self.dtype, inputs[0].shape, self.output),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            ratio = np.nan_to_num((x / np.float32(self.output.scale)).astype(np.float64))
        size = np.floor(np.minimum(np.abs(ratio), 2.0**20) + 0.5)
        low, high = self.dtype.limits
        value = np.where(ratio < 0, -size, size) + self.output.zero_point
        return (np.minimum(np.maximum(value, low), high).astype(self.dtype.value),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs
        return ((Access.identity(outputs[0].rows),),)


@dataclass(frozen=True)
class Rescale(Op):
    """Input x int8 or uint8 of any shape: the same real numbers under another quantisation, saturated."""

    name: ClassVar[str] = "QUANTIZE"

    dtype: DType
    input_zero: int
    requant: Requant
    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        if inputs[0].dtype not in (DType.INT8, DType.UINT8):
            raise ValueError(f"QUANTIZE of 8-bit integers got {inputs[0]}")
        return (TensorType(self.dtype, inputs[0].shape, self.output),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        value = requantize(inputs[0].astype(np.int64) - self.input_zero, self.requant) + self.output.zero_point
        low, high = self.dtype.limits
        return (np.minimum(np.maximum(value, low), high).astype(self.dtype.value),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs
        return ((Access.identity(outputs[0].rows),),)
