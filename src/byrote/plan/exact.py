"""Exact search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.plan.core import Core


@dataclass(frozen=True)
class Found:
    """The best offsets, and the bound as far as it was raised."""

    offsets: tuple[int, ...]
    bound: int


def exact(core: Core, offsets: Sequence[int], bound: int, capacity: int | None, nodes: int) -> Found:
    return Found(tuple(offsets), bound)
