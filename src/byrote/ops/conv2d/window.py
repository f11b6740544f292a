"""CONV_2D on cores with the DSP extension with the bytes of one window as scratch (conv2d_window_dsp.h)."""

from __future__ import annotations

from byrote.ir import DType
from byrote.kernel import Kernel, Layout, Lowered, NodeView, Table
from byrote.ops.conv2d.dsp_work import WINDOW_WORK
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.conv2d.product import (
    byte_turns,
    grouped,
    matrix_of,
    mixed_proofs,
    op_of,
    output_fields,
    runs_of,
    size_of,
    window_fields,
)
from byrote.ops.gemm import Mixed, pack_mixed, vector
from byrote.ops.gemm.stored import stored


def _rejects(view: NodeView) -> str | None:
    proofs = mixed_proofs(view)
    return proofs if isinstance(proofs, str) else None


def _cost(view: NodeView, rows: int) -> int:
    """Copying a window (15 instructions for a run of bytes, one for each), then the core."""
    if grouped(view):
        return 0  # rejected
    size = size_of(view)
    pixels = rows * view.output_type().shape[2]
    return pixels * (vector(size, mixed=True) + 15 * runs_of(view) + size.depth + 30) + 60


def _lower(view: NodeView) -> Lowered:
    x, source, proofs = view.input_type(0), view.inputs[0], mixed_proofs(view)
    assert isinstance(proofs, Mixed), proofs
    k, unroll = byte_turns(view)
    matrix = matrix_of(view, filled=False).deepened(k)
    signed = not view.outputs[0].unsigned
    packed = pack_mixed(matrix, proofs, signed=signed, unroll=unroll, group=8, fill_to=8)
    fields = (
        ("in_width", x.shape[2]),
        ("in_channels", x.shape[3]),
        ("in_signed", int(not source.unsigned)),
        ("in_zero", stored(op_of(view).input_zero, source)),
        *window_fields(view),
        *output_fields(view),
        *packed.fields,
    )
    return Lowered("conv2d_window_dsp", fields, (Table("weights", DType.INT32, packed.words),), scratch=packed.k)


WINDOW_KERNEL = Kernel(
    "conv2d_window_dsp",
    Conv2D,
    "ops/conv2d/kernels/conv2d_window_dsp.h",
    _lower,
    rejects=_rejects,
    needs=frozenset({"dsp"}),
    stores=lambda view: view.inputs[0].layout is Layout.HWC,
    cost=_cost,
    work=WINDOW_WORK,
)
