"""COPY."""

from byrote.ops.copy.kernels import KERNELS
from byrote.ops.copy.op import Copy

__all__ = ["KERNELS", "Copy"]
