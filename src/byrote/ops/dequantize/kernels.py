"""C kernels for DEQUANTIZE."""

from __future__ import annotations

import numpy as np

from byrote.ir import DType
from byrote.kernel import Kernel, Lowered, NodeView, Table
from byrote.ops.dequantize.op import Dequantize


def _lower(view: NodeView) -> Lowered:
    """A table of the 256 results as bits, so that no floating-point arithmetic is left to do."""
    x = view.input_type(0)
    every = np.arange(256, dtype=np.uint8).view(x.dtype.value)
    bits = view.op.reference([every])[0].view(np.int32)
    return Lowered("dequantize_f32", (("row", x.row_size),), (Table("values", DType.INT32, bits),))


KERNELS = (Kernel("dequantize_f32", Dequantize, "ops/dequantize/kernels/dequantize_f32.h", _lower),)
