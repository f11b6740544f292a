"""C kernels for LOGISTIC."""

from __future__ import annotations

from byrote.ops.logistic.op import Logistic
from byrote.ops.lookup import lookup_kernel

KERNELS = (lookup_kernel(Logistic),)
