"""Random MAX_POOL_2D operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.pool_cases import random_pool
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Any window, stride and padding; a quarter sees the whole input."""
    return tuple(random_pool(rng, "MAX_POOL_2D") for _ in range(count))
