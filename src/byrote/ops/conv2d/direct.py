"""CONV_2D on cores with the DSP extension without scratch (conv2d_direct_dsp.h)."""

from __future__ import annotations

from byrote.ir import DType
from byrote.kernel import Kernel, Layout, Lowered, NodeView, Table
from byrote.ops.conv2d.dsp_work import DIRECT_WORK, turn_of
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.conv2d.product import (
    grouped,
    matrix_of,
    mixed_proofs,
    op_of,
    output_fields,
    padded,
    run_of,
    runs_of,
    size_of,
    window_fields,
)
from byrote.ops.gemm import LANES, Mixed, pack_mixed, vector
from byrote.ops.gemm.stored import stored


def _rejects(view: NodeView) -> str | None:
    if padded(view) and view.constant(1).shape[3] % LANES:
        return "windows reach beyond the input and a tap is no multiple of 4 bytes"
    if padded(view) and stored(op_of(view).input_zero, view.inputs[0]) != 0:
        return "windows reach beyond the input and its zero point is not stored as 0"
    proofs = mixed_proofs(view)
    return proofs if isinstance(proofs, str) else None


def _cost(view: NodeView, rows: int) -> int:
    if grouped(view):
        return 0  # rejected
    size = size_of(view)
    per_group = 20 * runs_of(view) + 4 * size.depth // turn_of(view)
    pixels = rows * view.output_type().shape[2]
    return pixels * (vector(size, mixed=True) + -(-size.channels // 8) * per_group + 15) + 60


def _lower(view: NodeView) -> Lowered:
    x, proofs = view.input_type(0), mixed_proofs(view)
    assert isinstance(proofs, Mixed), proofs
    signed = not view.outputs[0].unsigned
    packed = pack_mixed(matrix_of(view), proofs, signed=signed, unroll=turn_of(view), group=8, fill_to=8)
    fields = (
        ("in_width", x.shape[2]),
        ("in_channels", x.shape[3]),
        ("in_signed", int(not view.inputs[0].unsigned)),
        *window_fields(view),
        *output_fields(view),
        ("run", sum(run_of(view))),
        *packed.fields,
    )
    table = Table("weights", DType.INT32, packed.words)
    return Lowered("conv2d_direct_dsp", fields, (table,), overread=run_of(view)[1])


DIRECT_KERNEL = Kernel(
    "conv2d_direct_dsp",
    Conv2D,
    "ops/conv2d/kernels/conv2d_direct_dsp.h",
    _lower,
    rejects=_rejects,
    needs=frozenset({"dsp"}),
    stores=lambda view: view.inputs[0].layout is Layout.HWC,
    cost=_cost,
    work=DIRECT_WORK,
)
