"""MAX_POOL_2D as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ops.max_pool_2d.op import MaxPool2D
from byrote.ops.pooling import read_pool
from byrote.ops.reading import OperatorView, Reading


def read(view: OperatorView) -> Reading:
    """Attributes with explicit padding."""
    pool = read_pool(view)
    return Reading(MaxPool2D(pool.kernel, pool.stride, pool.padding, pool.clamp), (view.input(0),))
