"""C kernels for HARD_SWISH."""

from __future__ import annotations

from byrote.ops.hard_swish.op import HardSwish
from byrote.ops.lookup import lookup_kernel

KERNELS = (lookup_kernel(HardSwish),)
