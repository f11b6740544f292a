"""Mixed lanes: each weight lane holds 256 * odd channel + even channel.  Half the loads, and proofs to be made.

Proved per layer, else refused with a sentence: lanes fit into 16 bits, 256 times an odd channel's accumulator fits into
32 bits (sums before that wrap and cancel), and the requantisation is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from byrote.ir import Rounding
from byrote.ir.fixedpoint import Ints
from byrote.ops.gemm.matrix import Matrix
from byrote.ops.gemm.packed import Form, Packed, as_words, words_of
from byrote.ops.requant import Constants, find, general
from byrote.ops.requant.constants import largest_shift

GROUP = 4
_SHIFTS = 3
"""The most precise final shifts that are tried: each gives every channel other multipliers, so other chances."""
_COMMON = 4
"""Multiples of this are tried before: the largest shifts of most layers are 4 to 7."""


@dataclass(frozen=True)
class Mixed:
    """What was proved for the channels of a matrix, per channel in slot order.

    `bias`: what is added to the scaled bias; `words`: [N, params] of the requantisation, for unsigned results;
    `constant`: results that never change, whose weights are left out.
    """

    form: Form
    shift: int
    left: int
    bias: Ints
    words: Ints
    constant: npt.NDArray[np.bool_]


def mixed_order(matrix: Matrix) -> tuple[int, ...] | None:
    """The order of channels, nearest to the given one, in which even and odd slots have exact constants; None if none.

    Only a preference: `pack_mixed` packs any order, with the longer requantisation where it has to.
    """
    even, odd = _constants(matrix, largest_shift(matrix.channels, 1))
    order = list(range(matrix.size))
    slots = (even.exact, odd.exact)
    wrong = [i for i in order if not slots[i & 1][i]]
    for i in wrong:
        if slots[i & 1][order[i]]:
            continue
        able = (j for j in range(matrix.size) if (j ^ i) & 1 and slots[j & 1][order[i]] and slots[i & 1][order[j]])
        j = next(able, None)
        if j is None:
            return None
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def prepare_mixed(matrix: Matrix) -> Mixed | str:
    """The proofs for mixed lanes in the order of the matrix's channels, or the sentence why they cannot be."""
    constant = matrix.channels.constant
    cleared = _cleared(matrix, constant)
    lanes = _lanes(cleared)
    if lanes.min() < -(2**15) or lanes.max() >= 2**15:
        return "a weight of -128 leaves the lanes of mixed weights"
    return _floor(cleared, constant) or _general(cleared, constant)


def pack_mixed(
    matrix: Matrix, proved: Mixed, *, signed: bool, unroll: int, group: int = GROUP, fill_to: int = GROUP
) -> Packed:
    """The table.  `proved`: of a matrix with the same channels, its columns in any order.

    `signed`: kind of the stored results.  `group`: channels whose words alternate.  `fill_to`: channels are filled up
    to a multiple of it with zeros.
    """
    matrix = _cleared(matrix, proved.constant)
    k, fill = matrix.depth, -matrix.size % fill_to
    size = matrix.size + fill
    slot = np.arange(size) & 1
    bias = np.zeros(size, np.int64)
    bias[: matrix.size] = matrix.bias * (1 + 255 * slot[: matrix.size]) + proved.bias
    bias[1::2] += bias[0::2]
    words = np.zeros((size, proved.words.shape[1]), np.int64)
    words[: matrix.size] = proved.words
    if words.shape[1] == 3:
        words[matrix.size :, 2] = 1
    floors = proved.shift + 8 * slot * (proved.form is Form.FLOOR)
    words[:, 1] -= (128 if signed else 0) << (words[:, 2] if words.shape[1] == 3 else floors)
    groups, pairs = size // group, group // 2
    products = words_of(_lanes(matrix, fill)).reshape(groups, pairs, k // 2).transpose(0, 2, 1).reshape(groups, -1)
    stream = np.concatenate([bias.reshape(groups, -1), products, words.reshape(groups, -1)], axis=1)
    return Packed(as_words(stream.reshape(-1)), k, unroll, proved.form, words.shape[1], proved.shift, proved.left)


def _lanes(matrix: Matrix, fill: int = 0) -> Ints:
    """[N / 2, K] lanes of pairs of channels, after `fill` zero channels, one more if the number is odd."""
    weights = np.pad(matrix.weights, ((0, fill + (matrix.size + fill) % 2), (0, 0)))
    return 256 * weights[1::2] + weights[0::2]


def _cleared(matrix: Matrix, constant: npt.NDArray[np.bool_]) -> Matrix:
    """Without the weights of channels whose result is constant, their bias some value that they can have."""
    if not constant.any():
        return matrix
    values = np.where(constant, matrix.channels.low, matrix.bias)
    return replace(matrix, weights=np.where(constant.reshape(-1, 1), 0, matrix.weights), bias=values)


def _constants(matrix: Matrix, shift: int) -> tuple[Constants, Constants]:
    """For even slots, and for odd ones, whose accumulators are scaled by 256."""
    return find(matrix.channels, 1, shift), find(matrix.channels, 256, shift + 8)


def _shifts(best: int) -> tuple[int, ...]:
    """Final shifts to try: first one that many layers of a model can share, so that their code can be the same."""
    common = best - best % _COMMON
    precise = range(best, max(best - _SHIFTS, -1), -1)
    return tuple(dict.fromkeys((common, *precise))) if best >= 0 else ()


def _floor(matrix: Matrix, constant: npt.NDArray[np.bool_]) -> Mixed | None:
    """Three instructions a result, if every channel has exact constants in its slot."""
    odd_slot = (np.arange(matrix.size) & 1).astype(np.bool_)
    for shift in _shifts(largest_shift(matrix.channels, 1)):
        even, odd = _constants(matrix, shift)
        if not np.where(odd_slot, odd.exact, even.exact).all():
            continue

        def chosen(a: Ints, b: Ints, pick: npt.NDArray[np.bool_] = odd_slot) -> Ints:
            return np.where(pick, b, a)

        words = np.stack([chosen(even.multiplier, odd.multiplier), chosen(even.rounding, odd.rounding)], axis=1)
        return Mixed(Form.FLOOR, shift, 0, chosen(even.bias, odd.bias), words, constant)
    return None


def _general(matrix: Matrix, constant: npt.NDArray[np.bool_]) -> Mixed | str:
    """The form that needs no search; odd accumulators are shifted back first."""
    channels = matrix.channels
    largest = np.maximum(np.abs(channels.low), np.abs(channels.high))[1::2]
    if (largest >= 1 << 23).any():
        return "256 times an accumulator leaves 32 bits"
    found = general(channels)
    if isinstance(found, str):
        return found
    form = Form.ONCE if found.rounding is Rounding.SINGLE else Form.TWICE
    columns = (found.multiplier, found.addend, *(() if found.uniform else (found.right,)))
    no_bias = np.zeros(matrix.size, np.int64)
    return Mixed(form, found.uniform, found.left, no_bias, np.stack(columns, axis=1), constant)
