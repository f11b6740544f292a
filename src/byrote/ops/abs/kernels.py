"""C kernels for ABS."""

from __future__ import annotations

from byrote.ops.abs.op import Abs
from byrote.ops.lookup import lookup_kernel

KERNELS = (lookup_kernel(Abs),)
