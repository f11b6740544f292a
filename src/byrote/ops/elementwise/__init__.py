"""What ADD, SUB, MUL, MINIMUM, MAXIMUM and PRELU share: two operands, broadcasting, one family of C kernels."""

from byrote.ops.elementwise.kernels import Arithmetic, Kind, elementwise_kernels
from byrote.ops.elementwise.op import Elementwise

__all__ = ["Arithmetic", "Elementwise", "Kind", "elementwise_kernels"]
