"""The operators that byrote knows, listed by hand: one folder each, all about an operator in its folder."""

from byrote.ops.conv2d import OPERATOR as CONV_2D
from byrote.ops.operator import Operator
from byrote.ops.reading import NewConstant, OperatorView, Options, Profile, Reading, TensorView, Unreadable

OPERATORS: tuple[Operator, ...] = (CONV_2D,)

__all__ = [
    "OPERATORS",
    "NewConstant",
    "Operator",
    "OperatorView",
    "Options",
    "Profile",
    "Reading",
    "TensorView",
    "Unreadable",
]
