"""What an operator is: attributes, shape rule, meaning, and which input rows an output row needs.

An operator is a frozen dataclass whose fields are its attributes.  It is pure: the same arrays give the same result.
Constants (weights, bias) are ordinary inputs; an input that is absent is not listed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from byrote.ir.types import TensorType

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Access:
    """Rows of one input that each row of one output reads.

    Output row r reads the input rows first[r] <= row < end[r]; both tables are monotone and clipped to the input, an
    empty range means that only padding is read.  `accumulates`: the operator can take the rows one after the other, in
    ascending order, and keep only a small state (global pools, fully connected over a map).
    `start` is where each window begins before it is clipped, padding included (by default `first`): kernels are told.
    `channels`: the slice (start, stop) of the output's last axis that this input fills, None for all (concatenation).
    Overlap distances, window sizes and streaming legality are all derived from these tables.
    """

    first: tuple[int, ...]
    end: tuple[int, ...]
    accumulates: bool = False
    channels: tuple[int, int] | None = None
    unclipped: tuple[int, ...] | None = None

    @property
    def start(self) -> tuple[int, ...]:
        return self.first if self.unclipped is None else self.unclipped

    @staticmethod
    def identity(rows: int) -> Access:
        """Output row r reads input row r."""
        return Access(tuple(range(rows)), tuple(range(1, rows + 1)))

    @staticmethod
    def whole(rows_in: int, rows_out: int, *, accumulates: bool = False) -> Access:
        """Every output row reads the whole input."""
        return Access((0,) * rows_out, (rows_in,) * rows_out, accumulates)

    @staticmethod
    def window(rows_in: int, rows_out: int, *, extent: int, stride: int, before: int) -> Access:
        """A sliding window of `extent` rows with `before` rows of padding above the first."""
        starts = tuple(row * stride - before for row in range(rows_out))
        first = tuple(min(max(start, 0), rows_in) for start in starts)
        end = tuple(max(min(s + extent, rows_in), f) for s, f in zip(starts, first, strict=True))
        return Access(first, end, unclipped=starts)


class Op(ABC):
    """An operator; subclasses are frozen dataclasses."""

    name: ClassVar[str]
    """The name that users know it by, e.g. CONV_2D."""

    is_view: ClassVar[bool] = False
    """The output has the very bytes of the first input (RESHAPE): no kernel call, no memory of its own."""

    flattens: ClassVar[bool] = False
    """Reads its first input as one flat array: any shape that `infer` takes to the same output means the same."""

    @abstractmethod
    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        """Types of the outputs.  Raises ValueError with a sentence when the inputs cannot be.

        Quantisation of outputs is an attribute where it is not derived, so that this is the complete rule.
        """

    @abstractmethod
    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """The only definition of right: integer-exact, on logical tensors."""

    @abstractmethod
    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        """[output][input] row tables; None for inputs that are always constants."""

    def macs(self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> int:
        """Multiply-accumulates of one inference."""
        del inputs, outputs
        return 0
