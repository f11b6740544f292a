"""Words of two 16-bit lanes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from byrote.ir.fixedpoint import Ints


def lanes(low: Ints, high: Ints) -> npt.NDArray[np.int32]:
    """Two int16 values per word, the first in the low half.  They have to fit."""
    pair = np.stack([low, high], axis=-1)
    assert np.abs(pair).max(initial=0) < 2**15
    return np.ascontiguousarray(pair.astype(np.int16)).view(np.int32)[..., 0]


def wrap(word: int) -> int:
    """A 32-bit pattern as int32."""
    return (word + 2**31) % 2**32 - 2**31
