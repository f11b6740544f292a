"""Tables of 256 values made by references."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from byrote.ir import DType, Op
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Table


def lookup_table(op: Op, dtype: DType) -> npt.NDArray[np.uint8]:
    """Result byte of each input byte, for an operator that treats every element alike."""
    every = np.arange(256, dtype=np.uint8).view(dtype.value)
    return op.reference([every])[0].view(np.uint8)


def _lower(view: NodeView) -> Lowered:
    x = view.input_type(0)
    table = Table("values", DType.UINT8, lookup_table(view.op, x.dtype))
    return Lowered("lookup_s8", (("row", x.row_size),), (table,))


def lookup_kernel(op: type[Op]) -> Kernel:
    """The kernel `lookup_s8` for an operator."""
    return Kernel("lookup_s8", op, "ops/lookup/kernels/lookup_s8.h", _lower, in_place=InPlace.ELEMENTS)
