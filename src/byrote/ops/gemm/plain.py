"""Plain weights: four bytes a word, for layers that mixed lanes refuse."""

from __future__ import annotations

import numpy as np

from byrote.ir import Rounding
from byrote.ops.gemm.matrix import Matrix
from byrote.ops.gemm.packed import Form, Packed, as_words
from byrote.ops.requant import General, general

GROUP = 2


def prepare_plain(matrix: Matrix) -> General | str:
    """The requantisation, or the sentence why there is none."""
    return general(matrix.channels)


def pack_plain(matrix: Matrix, found: General, *, signed: bool) -> Packed:
    """The table in the order of the matrix's channels.  `signed`: kind of the stored results."""
    params = 2 if found.uniform else 3
    fill = -matrix.size % GROUP
    columns = np.stack([found.multiplier, found.addend - ((128 if signed else 0) << found.right), found.right], axis=1)
    words = np.pad(columns[:, :params], ((0, fill), (0, 0)))
    words[matrix.size :, 2:] = 1
    weights = np.pad(matrix.weights, ((0, fill), (0, 0)))
    bias = np.pad(matrix.bias, (0, fill))
    groups, k = weights.shape[0] // GROUP, matrix.depth
    byte = (weights & 0xFF).reshape(groups, GROUP, k // 4, 4).transpose(0, 2, 1, 3).reshape(groups, k // 2, 4)
    products = (byte << np.array([0, 8, 16, 24])).sum(axis=2)
    stream = np.concatenate([bias.reshape(-1, GROUP), products, words.reshape(groups, -1)], axis=1)
    form = Form.ONCE if found.rounding is Rounding.SINGLE else Form.TWICE
    return Packed(as_words(stream.reshape(-1)), k, k, form, params, found.uniform, found.left)
