"""C kernels for QUANTIZE."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from byrote.ir import DType
from byrote.kernel import Kernel, Lowered, NodeView, Table
from byrote.ops.lookup import lookup_kernel
from byrote.ops.quantize.op import Quantize, Rescale


def ordered(values: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """Integers in the order of the real numbers: the bits, those of negative numbers turned round."""
    bits = values.view(np.int32)
    return bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))


def thresholds(op: Quantize) -> npt.NDArray[np.int32]:
    """For each result but the smallest, the least float32 that gives at least it, as an ordered integer.

    The reference is monotone, so bisection over all floats between the infinities finds them.  A result that no
    number reaches has the threshold of a NaN.
    """
    low = op.dtype.limits[0]
    wanted = np.arange(low + 1, low + 256)
    below = np.full(255, ordered(np.asarray([-np.inf], np.float32))[0], np.int64) - 1
    above = np.full(255, ordered(np.asarray([np.inf], np.float32))[0], np.int64) + 1
    while np.any(above - below > 1):
        middle = (below + above) // 2
        keys = np.clip(middle, -(2**31), 2**31 - 1).astype(np.int32)
        numbers = (keys ^ ((keys >> 31) & np.int32(0x7FFFFFFF))).view(np.float32)
        reached = op.reference([numbers])[0].astype(np.int64) >= wanted
        undecided = above - below > 1
        above = np.where(undecided & reached, middle, above)
        below = np.where(undecided & ~reached, middle, below)
    return above.astype(np.int32)


def _lower(view: NodeView) -> Lowered:
    op = view.op
    assert isinstance(op, Quantize)
    row = view.input_type(0).row_size // 4
    fields = (("row", row), ("lowest", op.dtype.limits[0]))
    return Lowered("quantize_f32", fields, (Table("thresholds", DType.INT32, thresholds(op)),))


KERNELS = (
    Kernel("quantize_f32", Quantize, "ops/quantize/kernels/quantize_f32.h", _lower),
    lookup_kernel(Rescale),
)
