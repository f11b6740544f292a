"""C kernels for SOFTMAX."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Table
from byrote.ops.softmax.op import Softmax


def _lower(view: NodeView) -> Lowered:
    """A table of the exponentials down to the first zero; larger differences read that."""
    op, x = view.op, view.input_type(0)
    assert isinstance(op, Softmax)
    values = op.exponentials().astype(np.int32)
    zeros = np.flatnonzero(values == 0)
    last = int(zeros[0]) if zeros.size else 255
    fields = (("length", x.shape[-1]), ("vectors", x.row_size // x.shape[-1]), ("last", last))
    return Lowered("softmax_s8", fields, (Table("exponentials", DType.INT32, values[: last + 1]),))


KERNELS = (Kernel("softmax_s8", Softmax, "ops/softmax/kernels/softmax_s8.h", _lower, in_place=InPlace.ELEMENTS),)
