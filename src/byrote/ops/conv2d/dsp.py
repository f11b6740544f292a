"""CONV_2D on cores with the DSP extension: two windows expanded to scratch, then multiplied (conv2d_dsp.h)."""

from __future__ import annotations

from collections.abc import Callable

from byrote.ir import DType
from byrote.kernel import InPlace, Kernel, Layout, Lowered, NodeView, Table
from byrote.ops.conv2d.direct import DIRECT_KERNEL
from byrote.ops.conv2d.dsp_work import MIXED_WORK, PLAIN_WORK
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.conv2d.product import (
    grouped,
    matrix_of,
    mixed_proofs,
    op_of,
    output_fields,
    padded,
    plain_proofs,
    pointwise,
    run_of,
    runs_of,
    size_of,
    tails_of,
    turns_of,
    twice,
    window_fields,
)
from byrote.ops.conv2d.window import WINDOW_KERNEL
from byrote.ops.gemm import LANES, Mixed, Packed, pack_mixed, pack_plain, pair_of_pixels
from byrote.ops.gemm.stored import columns, distances, stored
from byrote.ops.requant import General


def _reads(view: NodeView) -> bool:
    """Windows of several pixels are read from rows of pixels only."""
    return view.inputs[0].layout is Layout.HWC or (pointwise(view) and not padded(view))


def _refused(proofs: Mixed | General | str) -> str | None:
    return proofs if isinstance(proofs, str) else None


def _rejects_mixed(view: NodeView) -> str | None:
    return _refused(mixed_proofs(view))


def _rejects_plain(view: NodeView) -> str | None:
    return _refused(plain_proofs(view))


def _rejects_in_place(view: NodeView) -> str | None:
    """The output may take over the input's memory only where each pixel's results replace its inputs."""
    kept = pointwise(view) and not padded(view) and view.input_type(0).shape == view.output_type().shape
    return _rejects_mixed(view) if kept else "not a pointwise layer with as many outputs as inputs"


def _cost(mixed: bool) -> Callable[[NodeView, int], int]:
    """Expanding windows (6 instructions for four bytes of pixels, 14 from planes), then the core."""

    def cost(view: NodeView, rows: int) -> int:
        if grouped(view):
            return 0  # rejected
        size = size_of(view)
        word = 14 if view.inputs[0].layout is Layout.HCW else 6
        pixels = rows * view.output_type().shape[2]
        window = word * size.depth // 4 + 12 * runs_of(view) + 20
        return pixels * window + -(-pixels // 2) * pair_of_pixels(size, mixed=mixed) + 60

    return cost


def _mixed(view: NodeView) -> Packed:
    matrix, proofs = matrix_of(view, tails_of(view)), mixed_proofs(view)
    assert isinstance(proofs, Mixed), proofs
    k, unroll = turns_of(view)
    signed, fill_to = not view.outputs[0].unsigned, 4 if twice(view) else 8
    return pack_mixed(matrix.deepened(k), proofs, signed=signed, unroll=unroll, fill_to=fill_to)


def _plain(view: NodeView) -> Packed:
    proofs = plain_proofs(view)
    assert isinstance(proofs, General), proofs
    return pack_plain(matrix_of(view, tails_of(view)), proofs, signed=not view.outputs[0].unsigned)


def _scratch(view: NodeView, k: int) -> int:
    """Two expanded windows, and a run at the border that is not whole words."""
    border = padded(view) and view.constant(1).shape[3] % LANES
    return 4 * k + (sum(run_of(view)) if border else 0)


def _lower(view: NodeView, packed: Packed) -> Lowered:
    x, source, channels = view.input_type(0), view.inputs[0], view.constant(1).shape[3]
    in_pixel, in_step = distances(source, x.shape[2], channels)
    planes = source.layout is Layout.HCW
    fields = (
        ("in_width", x.shape[2]),
        ("in_row", columns(source, x.shape[2]) * channels),
        ("in_pixel", in_pixel),
        ("in_channels", channels),
        ("in_plane", in_step if planes else 0),
        ("in_signed", int(not source.unsigned)),
        ("in_zero", stored(op_of(view).input_zero, source)),
        *window_fields(view),
        *output_fields(view),
        *packed.fields,
        ("tails", tails_of(view)),
        ("twice", int(twice(view))),
    )
    return Lowered(
        "conv2d_dsp",
        fields,
        (Table("weights", DType.INT32, packed.words),),
        scratch=_scratch(view, packed.k),
        overread=0 if planes or tails_of(view) else run_of(view)[1],
    )


def _kernel(
    name: str,
    lower: Callable[[NodeView], Lowered],
    rejects: Callable[[NodeView], str | None],
    in_place: InPlace = InPlace.ROWS,
    *,
    mixed: bool = True,
) -> Kernel:
    return Kernel(
        name,
        Conv2D,
        "ops/conv2d/kernels/conv2d_dsp.h",
        lower,
        rejects=rejects,
        needs=frozenset({"dsp"}),
        stores=_reads,
        cost=_cost(mixed),
        work=MIXED_WORK if mixed else PLAIN_WORK,
        in_place=in_place,
    )


DSP_KERNELS = (
    _kernel("conv2d_pointwise_dsp", lambda view: _lower(view, _mixed(view)), _rejects_in_place, InPlace.ELEMENTS),
    _kernel("conv2d_dsp", lambda view: _lower(view, _mixed(view)), _rejects_mixed),
    DIRECT_KERNEL,
    WINDOW_KERNEL,
    _kernel("conv2d_dsp_plain", lambda view: _lower(view, _plain(view)), _rejects_plain, mixed=False),
)
