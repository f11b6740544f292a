"""A convolution or fully connected layer as the matrix product that the core computes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from byrote.ir import Requant
from byrote.ir.fixedpoint import Ints
from byrote.ops.requant import Channels, reachable

LANES = 4
"""K is a multiple of this: one word of input bytes."""


@dataclass(frozen=True)
class Matrix:
    """`weights` [N, K] on stored input bytes, K a multiple of 4, and `bias` [N] with the input zero point folded in.

    `unsigned`: input bytes are q + 128.  `requant`, `zero_point` and `clamp` are those of the int8 output.
    """

    weights: Ints
    bias: Ints
    unsigned: bool
    requant: Requant
    zero_point: int
    clamp: tuple[int, int]

    @staticmethod
    def of(
        weights: Ints,
        bias: Ints,
        *,
        input_zero: int,
        unsigned: bool,
        requant: Requant,
        zero_point: int,
        clamp: tuple[int, int],
    ) -> Matrix:
        """From weights on int8 inputs q - input_zero; columns are added up to a multiple of 4."""
        stored_zero = input_zero + 128 if unsigned else input_zero
        padded = np.pad(weights, ((0, 0), (0, -weights.shape[1] % LANES)))
        folded = bias - stored_zero * weights.sum(axis=1)
        return Matrix(padded, folded, unsigned, requant, zero_point, clamp)

    @property
    def size(self) -> int:
        """N"""
        return self.weights.shape[0]

    @property
    def depth(self) -> int:
        """K"""
        return self.weights.shape[1]

    @cached_property
    def channels(self) -> Channels:
        low, high = (0, 255) if self.unsigned else (-128, 127)
        bounds = reachable(self.weights, self.bias, low, high)
        return Channels(*bounds, self.requant, self.zero_point, self.clamp)

    def deepened(self, depth: int) -> Matrix:
        """With zero columns up to K = depth."""
        return replace(self, weights=np.pad(self.weights, ((0, 0), (0, depth - self.depth))))
