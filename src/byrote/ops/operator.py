"""An operator as the list in `ops/__init__.py` sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from byrote.ir import Op
from byrote.kernel import Kernel
from byrote.ops.reading import OperatorView, Reading

Cases = Callable[[np.random.Generator, int], tuple[OperatorView, ...]]
"""A generator of random operators as files spell them; deterministic in the state of the random generator."""


@dataclass(frozen=True)
class Operator:
    """Everything about one operator: its meaning, how files spell it, its kernels in order of preference.

    `names`: what files call it.  `summary`: one line for the page of supported operators.  `cases`: random instances,
    for tests.  An operator without kernels is a view, or has to be folded at compile time.
    """

    names: tuple[str, ...]
    op: type[Op]
    read: Callable[[OperatorView], Reading]
    kernels: tuple[Kernel, ...]
    summary: str
    cases: Cases
