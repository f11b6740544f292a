"""ADD and SUB by a table per operand: where no line is exact, since the operands' own rounding bends it.

Each operand's value on the common scale is a function of one byte, so a table holds it.  Two forms (kernels/
sum_tables_dsp.h): tables found such that one shift gives the reference's result for all 65,536 pairs, or else the
reference's two roundings, which need no search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from byrote.ir import DType, Op, Rounding
from byrote.ir.fixedpoint import Ints
from byrote.kernel import InPlace, Kernel, Lowered, NodeView, Table
from byrote.ops.elementwise.sum_dsp import Signs, signs_of, stores_alike, sum_of, unlike_shapes
from byrote.ops.elementwise.sums import Sum

_ROUNDS = 8
"""Times that both tables are bent towards the bounds of all pairs."""
_SHIFTS = range(1, 23)
"""Shifts of the rounding form: (255 << 22) plus a sum below 2^30 fits into 31 bits."""
_FAR = 2**40


@dataclass(frozen=True)
class Tables:
    """`of_a` and `of_b` [256] by stored byte; `multiplier` and `add` are 0 where the shift alone is exact."""

    of_a: tuple[int, ...]
    of_b: tuple[int, ...]
    shift: int
    multiplier: int = 0
    add: int = 0


@lru_cache(maxsize=64)
def tables_of(op: Sum, signs: Signs) -> Tables | str:
    """The shorter form that is exact, or the sentence why there is none."""
    if op.result.rounding is not Rounding.DOUBLE:
        return "a sum that is rounded once"
    if -op.result.shifts[0] not in _SHIFTS:
        return "the factor of the result is too small or too large for the rounding in one word"
    return _shifted(op, signs) or rounded(op, signs)


def rounded(op: Sum, signs: Signs) -> Tables:
    """The reference's own roundings: right for every operator that `tables_of` does not refuse."""
    first, second = _operands(op)
    multiplier, left = op.result.channel(0)
    return Tables(
        _by_byte(2 * first, signs.a),
        _by_byte(2 * second, signs.b),
        -left,
        multiplier,
        (1 << (-left - 1)) + ((op.output.zero_point + _bias(signs)) << -left),
    )


def _operands(op: Sum) -> tuple[Ints, Ints]:
    """Both operands on the common scale, for -128..127."""
    values = np.arange(-128, 128, dtype=np.int64)
    return op.operands(values, values)


def _bias(signs: Signs) -> int:
    return 0 if signs.out else 128


def _by_byte(values: Ints, is_signed: bool) -> tuple[int, ...]:
    """Values of -128..127 in the order of the stored byte."""
    return tuple(int(v) for v in (np.roll(values, 128) if is_signed else values))


def _shifted(op: Sum, signs: Signs) -> Tables | None:
    """Tables for which a shift is enough: the real values, bent until every pair is right; None if that fails."""
    values = np.arange(-128, 128, dtype=np.int8)
    grid = np.broadcast_arrays(values.reshape(-1, 1), values.reshape(1, -1))
    first, second = _operands(op)
    wanted = op.reference(grid)[0].astype(np.int64)
    multiplier, exponent = op.result.channel(0)
    factor = multiplier / 2**31 * 2.0**exponent
    reach = float(max(abs(first).max(), abs(second).max())) * factor
    shift = min(int(np.floor(30 - np.log2(2 * reach + 512))), 22)
    if shift < 8:
        return None
    a = np.rint(first * (factor * 2**shift)).astype(np.int64)
    b = np.rint(second * (factor * 2**shift)).astype(np.int64)
    a += (op.output.zero_point << shift) + (1 << (shift - 1))
    bottom = np.where(wanted > op.clamp[0], wanted << shift, -_FAR)
    top = np.where(wanted < op.clamp[1], ((wanted + 1) << shift) - 1, _FAR)
    for _ in range(_ROUNDS):
        a = _between(a, (bottom - b).max(axis=1), (top - b).min(axis=1))
        b = _between(b, (bottom - a.reshape(-1, 1)).max(axis=0), (top - a.reshape(-1, 1)).min(axis=0))
    a += _bias(signs) << shift
    sums = a.reshape(-1, 1) + b
    found = np.clip(sums >> shift, op.clamp[0] + _bias(signs), op.clamp[1] + _bias(signs)) - _bias(signs)
    if (found != wanted).any() or np.abs(sums).max() >= 2**31 or max(np.abs(a).max(), np.abs(b).max()) >= 2**31:
        return None
    return Tables(_by_byte(a, signs.a), _by_byte(b, signs.b), shift)


def _between(values: Ints, low: Ints, high: Ints) -> Ints:
    """The nearest values within the bounds; the middle where they contradict each other."""
    return np.where(low > high, (low + high) >> 1, np.minimum(np.maximum(values, low), high))


def _rejects(view: NodeView) -> str | None:
    unlike = unlike_shapes(view)
    if unlike is not None:
        return unlike
    found = tables_of(sum_of(view), signs_of(view))
    return found if isinstance(found, str) else None


def lowered(op: Sum, signs: Signs, tables: Tables, row_size: int) -> Lowered:
    """The call for rows of so many bytes."""
    low, high = (bound + _bias(signs) for bound in op.clamp)
    fields = (
        ("row_size", row_size),
        ("form", int(tables.multiplier == 0)),
        ("shift", tables.shift),
        ("multiplier", tables.multiplier),
        ("add", tables.add),
        ("is_signed", int(signs.out)),
        ("clamp", int(op.clamp != (-128, 127))),
        ("low", low),
        ("high", high),
    )
    return Lowered(
        "sum_tables_dsp", fields, (_table("of_a", tables.of_a), _table("of_b", tables.of_b)), operands=(0, 1)
    )


def _table(name: str, values: Sequence[int]) -> Table:
    return Table(name, DType.INT32, np.asarray(values, np.int32))


def _lower(view: NodeView) -> Lowered:
    op, signs = sum_of(view), signs_of(view)
    tables = tables_of(op, signs)
    assert isinstance(tables, Tables), tables
    return lowered(op, signs, tables, view.outputs[0].row_size(view.output_type()))


def _cost(view: NodeView, rows: int) -> int:
    """Eight instructions per element, or eleven; eight more to clamp."""
    op = sum_of(view)
    if unlike_shapes(view):
        return 0  # rejected
    tables = tables_of(op, signs_of(view))
    each = 11 if isinstance(tables, Tables) and tables.multiplier else 8
    each += 8 if op.clamp != (-128, 127) else 0
    return (each * view.outputs[0].row_size(view.output_type()) + 16) * rows


def sum_tables(op: type[Op]) -> Kernel:
    """The kernel for ADD or SUB."""
    return Kernel(
        "sum_tables_dsp",
        op,
        "ops/elementwise/kernels/sum_tables_dsp.h",
        _lower,
        rejects=_rejects,
        needs=frozenset({"dsp"}),
        stores=stores_alike,
        cost=_cost,
        in_place=InPlace.ELEMENTS,
    )
