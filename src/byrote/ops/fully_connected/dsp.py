"""FULLY_CONNECTED on cores with the DSP extension: the layer as a matrix product, and the constants of its kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from byrote.ir import DType
from byrote.kernel import Kernel, Layout, Lowered, NodeView, Table, Work
from byrote.ops.fully_connected.op import FullyConnected, uneven_rows
from byrote.ops.gemm import (
    LANES,
    SMALL_TURN,
    Matrix,
    Mixed,
    Packed,
    Size,
    pack_mixed,
    pack_plain,
    prepare_mixed,
    prepare_plain,
    remembered,
    turns,
    vector,
)
from byrote.ops.gemm.stored import channel_order, stored
from byrote.ops.gemm.work import RESULTS, results
from byrote.ops.requant import General

_TURN = 64
"""Products per turn of the inner loop: 2 KB of code."""

_OVERREAD = 12
"""Products that may be added, each a byte read beyond the input, for longer turns."""


def _parts(view: NodeView) -> tuple[int, int]:
    """(input rows that hold one vector, elements in each)."""
    rows = max(1, view.input_type(0).rows // view.output_type().rows)
    return rows, view.constant(1).shape[1] // rows


def _turns(view: NodeView) -> tuple[int, int]:
    """Products of each part, zeros included, and of each turn of the inner loop."""
    part = _parts(view)[1]
    return turns(part + -part % LANES, SMALL_TURN if view.small else _TURN, _OVERREAD)


def matrix_of(view: NodeView) -> Matrix:
    """The layer in the stored order of its channels, inputs in the order in which the kernel expands them."""
    op = view.op
    assert isinstance(op, FullyConnected)
    weights = view.constant(1).astype(np.int64)
    outputs, depth = weights.shape
    rows, part = _parts(view)
    channels = view.input_type(0).shape[-1]
    source, target = channel_order(view.inputs[0], channels), channel_order(view.outputs[0], outputs)
    if channels and depth % channels == 0:
        weights = weights.reshape(outputs, -1, channels)[:, :, list(source)]
    more = _turns(view)[0] - part
    padded = np.pad(weights[list(target)].reshape(outputs, rows, part), ((0, 0), (0, 0), (0, more)))
    return Matrix.of(
        padded.reshape(outputs, -1),
        view.constant(2).astype(np.int64)[list(target)],
        input_zero=op.input_zero,
        unsigned=view.inputs[0].unsigned,
        requant=op.requant.in_order(target),
        zero_point=op.output.zero_point,
        clamp=op.clamp,
    )


def _reads(view: NodeView) -> bool:
    """Vectors are rows of pixels; an order of channels has to repeat in them."""
    if any(storage.layout is not Layout.HWC for storage in (view.inputs[0], view.outputs[0])):
        return False
    return view.inputs[0].channels is None or view.constant(1).shape[1] % view.input_type(0).shape[-1] == 0


@remembered
def _mixed_proofs(view: NodeView) -> Mixed | str:
    return prepare_mixed(matrix_of(view))


@remembered
def _plain_proofs(view: NodeView) -> General | str:
    return prepare_plain(matrix_of(view))


def _rejects(mixed: bool) -> Callable[[NodeView], str | None]:
    def reason(view: NodeView) -> str | None:
        uneven = uneven_rows(view.input_type(0), view.output_type())
        if uneven is not None:
            return uneven
        proofs = _mixed_proofs(view) if mixed else _plain_proofs(view)
        return proofs if isinstance(proofs, str) else None

    return reason


def _cost(mixed: bool) -> Callable[[NodeView, int], int]:
    def cost(view: NodeView, rows: int) -> int:
        op = view.op
        assert isinstance(op, FullyConnected)
        outputs, depth = view.constant(1).shape
        size = Size(outputs, depth, op.clamp[0] < op.output.zero_point)
        return rows * view.output_type().row_size // outputs * vector(size, mixed=mixed) + 50

    return cost


def _mixed(view: NodeView) -> Packed:
    proofs, (_, unroll) = _mixed_proofs(view), _turns(view)
    assert isinstance(proofs, Mixed), proofs
    signed = not view.outputs[0].unsigned
    return pack_mixed(matrix_of(view), proofs, signed=signed, unroll=unroll, group=8, fill_to=8)


def _plain(view: NodeView) -> Packed:
    proofs = _plain_proofs(view)
    assert isinstance(proofs, General), proofs
    return pack_plain(matrix_of(view), proofs, signed=not view.outputs[0].unsigned)


def _lower(view: NodeView, packed: Packed) -> Lowered:
    op, x, out = view.op, view.input_type(0), view.output_type()
    assert isinstance(op, FullyConnected)
    source, target = view.inputs[0], view.outputs[0]
    outputs = view.constant(1).shape[0]
    rows, part = _parts(view)
    fields = (
        ("in_row", x.row_size),
        ("in_rows", rows),
        ("vectors", out.row_size // outputs),
        ("part", part),
        ("in_signed", int(not source.unsigned)),
        ("out_channels", outputs),
        ("out_signed", int(not target.unsigned)),
        ("low", stored(op.clamp[0], target)),
        ("high", stored(op.clamp[1], target)),
        *replace(packed, k=_turns(view)[0], unroll=_turns(view)[1]).fields,
    )
    table = Table("weights", DType.INT32, packed.words)
    return Lowered("fully_connected_dsp", fields, (table,), overread=_turns(view)[0] - part)


_FEATURES = ("call", "row", "vector", "group", "part", "turn", "step", *RESULTS)


def _count(mixed: bool) -> Callable[[NodeView, int], tuple[float, ...]]:
    """Groups of eight channels (mixed) or two, their parts, turns of the inner loop, steps of four products."""

    def count(view: NodeView, rows: int) -> tuple[float, ...]:
        op, outputs = view.op, view.constant(1).shape[0]
        assert isinstance(op, FullyConnected)
        vectors = rows * view.output_type().row_size / outputs
        groups = vectors * -(-outputs // (8 if mixed else 2))
        parts = groups * _parts(view)[0]
        k, unroll = _turns(view)
        proofs = _mixed_proofs(view) if mixed else _plain_proofs(view)
        work = (1, rows, vectors, groups, parts, parts * (k // unroll if mixed else 0), parts * k / 4)
        return (*work, *results(proofs, vectors * outputs, op.clamp))

    return count


def _kernel(mixed: bool) -> Kernel:
    return Kernel(
        f"fully_connected_dsp{'' if mixed else '_plain'}",
        FullyConnected,
        "ops/fully_connected/kernels/fully_connected_dsp.h",
        lambda view: _lower(view, _mixed(view) if mixed else _plain(view)),
        rejects=_rejects(mixed),
        needs=frozenset({"dsp"}),
        stores=_reads,
        cost=_cost(mixed),
        work=Work(_FEATURES, _count(mixed)),
    )


DSP_KERNELS = (_kernel(True), _kernel(False))
