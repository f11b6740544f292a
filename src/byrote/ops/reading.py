"""What an operator's `read` gets from an importer, and what it gives back: plain values, no file format.

`read` turns one operator of a file into an Op with explicit attributes.  It raises `Unreadable` with a sentence for
what it cannot do right; the importer adds where it happened and goes on, so that the user sees all problems at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from byrote.ir import DType, Op, Quant, Rounding, TensorType
from byrote.ir.op import Array


class Unreadable(Exception):  # noqa: N818 - a verdict, not an error of ours
    """This operator cannot be imported: `what` is wrong, `remedy` helps."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


class Profile(Enum):
    """Whose arithmetic is right: see the numeric profiles in the documentation."""

    TFLM = "tflm"
    LITERT = "litert"

    @property
    def fully_connected(self) -> Rounding:
        return Rounding.SINGLE if self is Profile.LITERT else Rounding.DOUBLE


class Options(Protocol):
    """Attributes of an operator by the name of the schema's field; absent ones have the schema's default."""

    def integer(self, name: str, default: int = 0) -> int: ...

    def real(self, name: str, default: float = 0.0) -> float: ...

    def flag(self, name: str, default: bool = False) -> bool: ...

    def integers(self, name: str) -> tuple[int, ...]: ...


@dataclass(frozen=True)
class TensorView:
    """A tensor of the file; `data` for constants."""

    index: int
    name: str
    type: TensorType
    data: Array | None = field(default=None, compare=False, repr=False)

    @property
    def quant(self) -> Quant:
        """Quantisation; Unreadable if there is none."""
        if self.type.quant is None:
            raise Unreadable(f"tensor {self.name!r} ({self.type}) is not quantised", "convert the model to full int8")
        return self.type.quant

    @property
    def scale(self) -> float:
        quant = self.quant
        if len(quant.scales) != 1:
            raise Unreadable(f"tensor {self.name!r} has {len(quant.scales)} scales, one is allowed here")
        return quant.scales[0]

    @property
    def zero_point(self) -> int:
        quant = self.quant
        if len(set(quant.zero_points)) != 1:
            raise Unreadable(f"tensor {self.name!r} has several zero points, one is allowed here")
        return quant.zero_points[0]

    def constant(self, what: str) -> Array:
        if self.data is None:
            raise Unreadable(f"{what} {self.name!r} is computed, it has to be a constant")
        return self.data

    def require(self, *dtypes: DType) -> None:
        if self.type.dtype not in dtypes:
            allowed = " or ".join(d.value for d in dtypes)
            raise Unreadable(
                f"tensor {self.name!r} is {self.type.dtype.value}, supported here is {allowed}",
                "convert the model to full int8",
            )


@dataclass(frozen=True)
class OperatorView:
    """One operator of the file.  Absent optional inputs are None."""

    name: str
    inputs: tuple[TensorView | None, ...]
    outputs: tuple[TensorView, ...]
    options: Options
    profile: Profile

    def input(self, index: int) -> TensorView:
        """A mandatory input."""
        found = self.optional(index)
        if found is None:
            raise Unreadable(f"input {index} is missing")
        return found

    def optional(self, index: int) -> TensorView | None:
        return self.inputs[index] if index < len(self.inputs) else None

    def output(self, index: int = 0) -> TensorView:
        if index >= len(self.outputs):
            raise Unreadable(f"output {index} is missing")
        return self.outputs[index]


@dataclass(frozen=True)
class NewConstant:
    """A constant that the file does not have, made by `read` (a zero bias, repacked weights)."""

    name: str
    type: TensorType
    data: Array = field(compare=False, repr=False)


@dataclass(frozen=True)
class Reading:
    """The operator and its inputs in the order in which the Op takes them.

    An operator of the file whose outputs are independent (SPLIT) becomes one Op per output: `others` are the readings
    that make the outputs 1, 2, ...; it is empty for all others.
    """

    op: Op
    inputs: tuple[TensorView | NewConstant, ...]
    others: tuple[Reading, ...] = ()
