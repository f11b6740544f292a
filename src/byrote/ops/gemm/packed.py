"""The table of the matrix core and the constants that say how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from byrote.ir.fixedpoint import Ints

WHOLE_TURN = 128
"""The inner loop is unrolled completely up to this many products (4 KB of code)."""

TURN = 64
"""Products per turn otherwise, at most."""

SMALL_TURN = 32
"""The same where code has to be small."""


class Form(IntEnum):
    """How results are requantised; the values are those of gemm.h."""

    FLOOR = 0
    TWICE = 1
    ONCE = 2


@dataclass(frozen=True)
class Packed:
    """`words`: the table, int32.  The other fields are those of struct gemm of the same name."""

    words: npt.NDArray[np.int32]
    k: int
    unroll: int
    form: Form
    params: int
    shift: int
    left: int

    @property
    def fields(self) -> tuple[tuple[str, int], ...]:
        """The fields that the structs of all kernels on this core have, in their order."""
        return (
            ("k", self.k),
            ("unroll", self.unroll),
            ("form", int(self.form)),
            ("params", self.params),
            ("shift", self.shift),
            ("left", self.left),
        )


def turns(depth: int, whole: int = WHOLE_TURN, more: int = 28) -> tuple[int, int]:
    """(K, unroll) for `depth` products: up to `more` zero products where that makes longer turns.

    A step of two products costs about 15 cycles, a turn 6 more.
    """
    if depth <= whole:
        return depth, depth
    longest = min(TURN, whole)
    options = [(k, u) for k in range(depth, depth + more + 4, 4) for u in range(4, longest + 4, 4) if k % u == 0]
    return min(options, key=lambda option: (option[0] * 15 // 2 + option[0] // option[1] * 6, option[1]))


def words_of(lanes: Ints) -> Ints:
    """Rows of K 16-bit lanes to rows of K / 2 words, each four lanes k0..k3 as (k0, k2), (k1, k3)."""
    rows, depth = lanes.shape
    pairs = lanes.reshape(rows, depth // 4, 4)[:, :, [0, 2, 1, 3]].reshape(rows, depth // 2, 2)
    return (pairs[:, :, 0] & 0xFFFF) | (pairs[:, :, 1] & 0xFFFF) << 16


def as_words(values: Ints) -> npt.NDArray[np.int32]:
    """Values modulo 2^32 as int32."""
    return (values & 0xFFFFFFFF).astype(np.uint32).view(np.int32)
