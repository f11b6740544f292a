"""DEQUANTIZE: 8-bit integers to real numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, TensorType
from byrote.ir.op import Array


@dataclass(frozen=True)
class Dequantize(Op):
    """Input x int8 or uint8 of any shape: float32 product scale * (x - zero_point)."""

    name: ClassVar[str] = "DEQUANTIZE"

    scale: float
    zero_point: int

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        if inputs[0].dtype not in (DType.INT8, DType.UINT8):
            raise ValueError(f"DEQUANTIZE got {inputs[0]}")
        return (TensorType(DType.FLOAT32, inputs[0].shape),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        difference = (inputs[0].astype(np.int32) - np.int32(self.zero_point)).astype(np.float32)
        return (difference * np.float32(self.scale),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs
        return ((Access.identity(outputs[0].rows),),)
