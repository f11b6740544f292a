"""C kernels for operators of two operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from byrote.ir import Access, DType, Op, TensorType
from byrote.kernel import FieldValue, InPlace, Kernel, Lowered, NodeView, Table
from byrote.ops.broadcast import merged, rows_of_operand, strides_in
from byrote.ops.elementwise.op import Elementwise

HEADER = "ops/elementwise/kernels/elementwise_s8.h"
AXES = 6


class Kind(IntEnum):
    """How two values are combined: `enum elementwise_kind` of the header."""

    ADD = 0
    SUB = 1
    MUL = 2
    MINIMUM = 3
    MAXIMUM = 4
    PRELU = 5


@dataclass(frozen=True)
class Arithmetic:
    """Constants of the combination; what a kind does not use is 0.

    `a`, `b`, `out`: (multiplier, shift) of operands and result.
    """

    kind: Kind
    zero_a: int = 0
    zero_b: int = 0
    a: tuple[int, int] = (0, 0)
    b: tuple[int, int] = (0, 0)
    out: tuple[int, int] = (0, 0)

    def field(self, op: Elementwise, swapped: bool) -> tuple[str, FieldValue]:
        """`struct elementwise_arithmetic`."""
        zeros, factors = (self.zero_a, self.zero_b), (self.a, self.b)
        if swapped and self.kind is not Kind.PRELU:
            zeros, factors = zeros[::-1], factors[::-1]
        return "how", (
            int(self.kind),
            int(swapped),
            *zeros,
            *factors[0],
            *factors[1],
            *self.out,
            op.output.zero_point,
            *op.clamp,
        )


Describe = Callable[[Op], Arithmetic]


def _elementwise(view: NodeView) -> Elementwise:
    assert isinstance(view.op, Elementwise)
    return view.op


def _constants(view: NodeView) -> tuple[bool, bool]:
    return view.has_constant(0), view.has_constant(1)


def _row_step(view: NodeView, index: int) -> int | None:
    """1 if output row r reads row r of the operand, 0 if every row reads the operand's only row, None for all else."""
    operand, out = view.input_type(index), view.output_type()
    if operand.rows == out.rows and rows_of_operand(operand, out) == Access.identity(out.rows):
        return 1
    return 0 if operand.rows == 1 else None


def _pixels(view: NodeView, index: int) -> tuple[int, int]:
    """Steps within a row, per pixel and per channel."""
    steps = (0, *strides_in(view.input_type(index), view.output_type().shape))
    return steps[-2], steps[-1]


def _row_shape(out: TensorType) -> tuple[int, int]:
    channels = out.shape[-1] if out.shape else 1
    return out.row_size // max(1, channels), channels


def _reason_rows(view: NodeView) -> str | None:
    """Why the kernels that go row by row cannot run it."""
    for index, constant in enumerate(_constants(view)):
        step = _row_step(view, index)
        if step is None or (constant and step and view.output_type().rows > 1):
            return f"operand {index} is stretched across rows, {view.input_type(index)} to {view.output_type()}"
    return None


def _reason_two(view: NodeView) -> str | None:
    return "an operand is a constant" if any(_constants(view)) else _reason_rows(view)


def _reason_table(view: NodeView) -> str | None:
    return _reason_rows(view) if any(_constants(view)) else "no operand is a constant"


def _reason_general_two(view: NodeView) -> str | None:
    return "an operand is a constant" if any(_constants(view)) else None


def _reason_general_table(view: NodeView) -> str | None:
    return None if any(_constants(view)) else "no operand is a constant"


def _table(view: NodeView) -> tuple[tuple[Table, ...], tuple[int, ...], bool]:
    """(tables, operands, swapped): a constant operand becomes the second."""
    first, second = _constants(view)
    if not first and not second:
        return (), (0, 1), False
    index = 1 if second else 0
    return (Table("constant", DType.INT8, view.constant(index).reshape(-1)),), (1 - index,), index == 0


def _lower_rows(describe: Describe, view: NodeView) -> Lowered:
    op, out = _elementwise(view), view.output_type()
    tables, operands, swapped = _table(view)
    order = (1, 0) if swapped else (0, 1)
    width, channels = _row_shape(out)
    steps = [_pixels(view, index) for index in order]
    sizes, merged_steps = merged((width, channels), *((s[0], s[1]) for s in steps))
    sizes = (1,) * (2 - len(sizes)) + sizes
    pairs = [(0,) * (2 - len(s)) + s for s in merged_steps]
    fields = (
        describe(op).field(op, swapped),
        ("width", sizes[0]),
        ("channels", sizes[1]),
        ("row_a", view.input_type(order[0]).row_size),
        ("row_b", view.input_type(order[1]).row_size),
        ("step_a", _row_step(view, order[0]) or 0),
        ("step_b", _row_step(view, order[1]) or 0),
        ("pixel_a", pairs[0][0]),
        ("channel_a", pairs[0][1]),
        ("pixel_b", pairs[1][0]),
        ("channel_b", pairs[1][1]),
    )
    return Lowered("elementwise_s8", fields, tables, operands)


def _lower_general(describe: Describe, view: NodeView) -> Lowered:
    op, out = _elementwise(view), view.output_type()
    tables, operands, swapped = _table(view)
    order = (1, 0) if swapped else (0, 1)
    strides = [strides_in(view.input_type(index), out.shape) for index in order]
    sizes, steps = merged(out.shape, *strides)
    missing = AXES - len(sizes)
    fields = (
        describe(op).field(op, swapped),
        ("size", (1,) * missing + sizes),
        ("step_a", (0,) * missing + steps[0]),
        ("step_b", (0,) * missing + steps[1]),
    )
    return Lowered("elementwise_general_s8", fields, tables, operands)


def _too_deep(reason: Callable[[NodeView], str | None], view: NodeView) -> str | None:
    if len(view.output_type().shape) > AXES:
        return f"{view.output_type()} has more than {AXES} axes"
    return reason(view)


def elementwise_kernels(op: type[Elementwise], describe: Describe) -> tuple[Kernel, ...]:
    """All kernels for one operator of two operands; `describe` gives the constants of its arithmetic."""

    def rows(function: str, reason: Callable[[NodeView], str | None]) -> Kernel:
        return Kernel(function, op, HEADER, partial(_lower_rows, describe), reason, in_place=InPlace.ELEMENTS)

    def general(function: str, reason: Callable[[NodeView], str | None]) -> Kernel:
        return Kernel(
            function,
            op,
            HEADER,
            partial(_lower_general, describe),
            partial(_too_deep, reason),
            in_place=InPlace.NEVER,
            streams=False,
        )

    return (
        rows("elementwise_s8", _reason_two),
        rows("elementwise_constant_s8", _reason_table),
        general("elementwise_general_s8", _reason_general_two),
        general("elementwise_general_constant_s8", _reason_general_table),
    )
