"""ABS, int8: the distance from the input's zero point, rescaled unless both scales are equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Requant, requantize
from byrote.ir.op import Array
from byrote.ops.quantized import clipped
from byrote.ops.unary import Unary


@dataclass(frozen=True)
class Abs(Unary):
    """Input x int8 of any shape; `factor` is None where input and output have one scale."""

    name: ClassVar[str] = "ABS"

    input_zero: int
    factor: Requant | None

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        value = np.abs(inputs[0].astype(np.int64) - self.input_zero)
        if self.factor is not None:
            value = requantize(value, self.factor)
        return (clipped(value + self.output.zero_point, (-128, 127)),)
