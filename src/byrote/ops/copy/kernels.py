"""C kernel for COPY."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.kernel import Kernel, Lowered, NodeView, Table
from byrote.ops.copy.op import Copy


def _lower(view: NodeView) -> Lowered:
    data = np.frombuffer(np.ascontiguousarray(view.constant(0)).tobytes(), np.uint8)
    table = Table("data", DType.UINT8, data, align=1)
    return Lowered("copy_bytes", (("row_size", view.output_type().row_size),), (table,), operands=())


KERNELS = (Kernel("copy_bytes", Copy, "ops/copy/kernels/copy_bytes.h", _lower, streams=False),)
