"""Random SUB operators."""

from __future__ import annotations

import numpy as np

from byrote.ops.elementwise.cases import random_pair
from byrote.ops.reading import OperatorView


def cases(rng: np.random.Generator, count: int) -> tuple[OperatorView, ...]:
    """Equal and stretched shapes, constants."""
    return tuple(random_pair(rng, "SUB") for _ in range(count))
