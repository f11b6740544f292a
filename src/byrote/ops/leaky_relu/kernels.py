"""C kernels for LEAKY_RELU."""

from __future__ import annotations

from byrote.ops.leaky_relu.op import LeakyRelu
from byrote.ops.lookup import lookup_kernel

KERNELS = (lookup_kernel(LeakyRelu),)
