"""An operator as the list in `ops/__init__.py` sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from byrote.ir import Op
from byrote.kernel import Kernel
from byrote.ops.reading import OperatorView, Reading


@dataclass(frozen=True)
class Operator:
    """Everything about one operator: its meaning, how files spell it, its kernels in order of preference.

    `names`: what files call it.  `summary`: one line for the page of supported operators.
    """

    names: tuple[str, ...]
    op: type[Op]
    read: Callable[[OperatorView], Reading]
    kernels: tuple[Kernel, ...]
    summary: str
