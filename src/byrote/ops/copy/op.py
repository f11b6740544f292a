"""COPY: a constant brought into memory.  No file has it; it is made where an output of the model is a constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from byrote.ir import Access, Array, Op, TensorType


@dataclass(frozen=True)
class Copy(Op):
    """Input: a constant of any type."""

    name: ClassVar[str] = "COPY"

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        return (inputs[0],)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (inputs[0],)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        del inputs, outputs
        return ((None,),)
