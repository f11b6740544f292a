"""C kernels for TANH."""

from __future__ import annotations

from byrote.ops.lookup import lookup_kernel
from byrote.ops.tanh.op import Tanh

KERNELS = (lookup_kernel(Tanh),)
