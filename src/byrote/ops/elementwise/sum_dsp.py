"""ADD and SUB by two multiplications and one shift, proved for every pair of bytes (kernels/sum_dsp.h)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from byrote.ir import Op
from byrote.ir.fixedpoint import Ints
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Storage
from byrote.ops.elementwise.sums import LEFT, Sum

_NUDGES = sorted(((i, j) for i in range(-4, 5) for j in range(-4, 5)), key=lambda pair: abs(pair[0]) + abs(pair[1]))
"""Factors tried around the ideal ones."""


@dataclass(frozen=True)
class Line:
    """clamp((a * factor_a + b * factor_b + offset) >> shift), for a and b as stored."""

    factor_a: int
    factor_b: int
    offset: int
    shift: int


@dataclass(frozen=True)
class Signs:
    """Which of a, b and the output are stored as int8, not as int8 + 128."""

    a: bool
    b: bool
    out: bool


@lru_cache(maxsize=256)
def find_line(op: Sum, signs: Signs) -> Line | None:
    """A line that equals the reference for all 65,536 pairs, or None.

    Every pair bounds the offset from below and from above; what satisfies all bounds is exact by construction.
    """
    values = np.arange(-128, 128, dtype=np.int64)
    a, b = values.reshape(-1, 1), values.reshape(1, -1)
    grid = np.broadcast_arrays(a, b)
    wanted: Ints = op.reference([g.astype(np.int8) for g in grid])[0].astype(np.int64) + (0 if signs.out else 128)
    stored_a, stored_b = a + (0 if signs.a else 128), b + (0 if signs.b else 128)
    low, high = (-128, 127) if signs.out else (0, 255)
    slope_a, slope_b = _slopes(op)
    # |a|, |b| <= 255 and the offset is about as large as the rest together: everything stays below 2^31.
    largest = 2 * (255 * (abs(slope_a) + abs(slope_b)) + 512)
    shift = min(int(np.floor(31 - np.log2(largest))), 22)
    if shift < 8:
        return None
    for i, j in _NUDGES:
        factor_a, factor_b = round(slope_a * 2**shift) + i, round(slope_b * 2**shift) + j
        line = stored_a * factor_a + stored_b * factor_b
        at_least = np.where(wanted > low, (wanted << shift) - line, -(2**62)).max()
        at_most = np.where(wanted < high, ((wanted + 1) << shift) - 1 - line, 2**62).min()
        offset = (int(at_least) + int(at_most)) // 2
        if at_least <= at_most and int(np.abs(line + offset).max()) < 2**31 and abs(offset) < 2**31:
            return Line(factor_a, factor_b, offset, shift)
    return None


def _slopes(op: Sum) -> tuple[float, float]:
    """Outputs per step of a and of b."""

    def real(pair: tuple[int, int]) -> float:
        return pair[0] / 2**31 * 2.0 ** pair[1]

    scale = real(op.result.channel(0)) * 2.0**LEFT
    one, two = (real(requant.channel(0)) * scale for requant in op.requants)
    steps = np.asarray([[0, 0], [64, 0], [0, 64]], np.int64)
    values = op.combine(steps[:, 0], steps[:, 1])
    return np.copysign(one, float(values[1] - values[0])), np.copysign(two, float(values[2] - values[0]))


def sum_of(view: NodeView) -> Sum:
    """The node's operator."""
    assert isinstance(view.op, Sum)
    return view.op


def signs_of(view: NodeView) -> Signs:
    """How the node's tensors are stored."""
    return Signs(not view.inputs[0].unsigned, not view.inputs[1].unsigned, not view.outputs[0].unsigned)


def unlike_shapes(view: NodeView) -> str | None:
    """Why the tensors cannot be added byte by byte, or None."""
    if view.has_constant(0) or view.has_constant(1):
        return "an operand is a constant"
    shapes = {view.input_type(0).shape, view.input_type(1).shape, view.output_type().shape}
    if len(shapes) > 1:
        return f"an operand is stretched, {view.input_type(0)} and {view.input_type(1)} to {view.output_type()}"
    return None


def _rejects(view: NodeView) -> str | None:
    unlike = unlike_shapes(view)
    if unlike is not None:
        return unlike
    if find_line(sum_of(view), signs_of(view)) is None:
        return "no line through all pairs of bytes equals the rounding of the reference"
    return None


def _order(storage: Storage) -> tuple[object, ...]:
    """Storage but for the signs."""
    return storage.layout, storage.pitch, storage.channels


def stores_alike(view: NodeView) -> bool:
    """Whether all three tensors are stored alike but for the signs."""
    return len({_order(storage) for storage in (*view.inputs, *view.outputs)}) == 1


def _lower(view: NodeView) -> Lowered:
    signs = signs_of(view)
    line = find_line(sum_of(view), signs)
    assert line is not None
    fields = (
        ("row_size", view.outputs[0].row_size(view.output_type())),
        ("factor_a", line.factor_a),
        ("factor_b", line.factor_b),
        ("offset", line.offset),
        ("shift", line.shift),
        ("signed_a", int(signs.a)),
        ("signed_b", int(signs.b)),
        ("is_signed", int(signs.out)),
    )
    return Lowered("sum_dsp", fields, (), operands=(0, 1))


def _cost(view: NodeView, rows: int) -> int:
    return (7 * view.outputs[0].row_size(view.output_type()) + 12) * rows


def sum_dsp(op: type[Op]) -> Kernel:
    """The kernel for ADD or SUB."""
    return Kernel(
        "sum_dsp",
        op,
        "ops/elementwise/kernels/sum_dsp.h",
        _lower,
        rejects=_rejects,
        needs=frozenset({"dsp"}),
        stores=stores_alike,
        cost=_cost,
        in_place=InPlace.ELEMENTS,
    )
