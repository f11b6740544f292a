"""ADD and SUB: both operands are brought to a common scale with 20 more bits, then the sum is rescaled."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from byrote.ir import DType, Quant, Requant, requantize
from byrote.ir.fixedpoint import Ints
from byrote.ops.elementwise.op import Elementwise
from byrote.ops.quantized import activation_clamp
from byrote.ops.reading import OperatorView, TensorView, Unreadable

LEFT = 20


@dataclass(frozen=True)
class Sum(Elementwise):
    """Attributes of both; `zeros` and `requants` belong to the operands a and b."""

    zeros: tuple[int, int]
    requants: tuple[Requant, Requant]
    result: Requant

    def scaled(self, a: Ints, b: Ints) -> tuple[Ints, Ints]:
        """The operands on the common scale."""
        return (
            requantize((a - self.zeros[0]) << LEFT, self.requants[0]),
            requantize((b - self.zeros[1]) << LEFT, self.requants[1]),
        )

    @abstractmethod
    def operands(self, a: Ints, b: Ints) -> tuple[Ints, Ints]:
        """What is added: the operands on the common scale, the second negated for a difference."""

    def combine(self, a: Ints, b: Ints) -> Ints:
        p, q = self.operands(a, b)
        return self.total(p + q)

    def total(self, value: Ints) -> Ints:
        return requantize(value, self.result) + self.output.zero_point


@dataclass(frozen=True)
class SumAttributes:
    """What `read` finds for a Sum."""

    output: Quant
    clamp: tuple[int, int]
    zeros: tuple[int, int]
    requants: tuple[Requant, Requant]
    result: Requant


def read_sum(view: OperatorView) -> SumAttributes:
    """The common scale is twice the larger of both scales, so that the sum cannot overflow."""
    a, b, output = read_operands(view)
    common = 2 * max(a.scale, b.scale)
    result = Requant.of([common / ((1 << LEFT) * output.scale)])
    if result.shifts[0] > 1:
        raise Unreadable(
            f"the output scale {output.scale:g} is too small for operands of scale {a.scale:g} and {b.scale:g}",
            "calibrate the model again",
        )
    return SumAttributes(
        output=output.quant,
        clamp=activation_clamp(view.options.integer("FusedActivationFunction"), output.quant),
        zeros=(a.zero_point, b.zero_point),
        requants=(Requant.of([a.scale / common]), Requant.of([b.scale / common])),
        result=result,
    )


def read_operands(view: OperatorView) -> tuple[TensorView, TensorView, TensorView]:
    """Two operands and the output, all int8 with a positive scale."""
    found = (view.input(0), view.input(1), view.output())
    for tensor in found:
        tensor.require(DType.INT8)
        if tensor.scale <= 0:
            raise Unreadable(f"tensor {tensor.name!r} has scale {tensor.scale:g}, it has to be positive")
    return found
