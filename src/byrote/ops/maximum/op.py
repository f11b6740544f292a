"""MAXIMUM of two int8 tensors of one quantisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir.fixedpoint import Ints
from byrote.ops.elementwise.op import Elementwise


@dataclass(frozen=True)
class Maximum(Elementwise):
    """Inputs: a and b int8."""

    name: ClassVar[str] = "MAXIMUM"

    def combine(self, a: Ints, b: Ints) -> Ints:
        return np.maximum(a, b)
