"""Placing buffers in memory: the problem and its solution.  Nothing here knows what a graph is.

Time is counted in kernel calls.  All intervals are half-open; all numbers are integers (bytes, calls).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """Why a buffer exists; only reports look at it."""

    INPUT = "input"
    OUTPUT = "output"
    WHOLE = "whole tensor"
    KEPT = "kept rows"
    FRESH = "fresh rows"
    SCRATCH = "scratch"
    ACCUMULATOR = "accumulator"
    STATE = "state"


@dataclass(frozen=True)
class Buffer:
    """`size` bytes at a multiple of `align`, alive during the calls start <= t < end."""

    name: str
    size: int
    start: int
    end: int
    align: int = 1
    role: Role = Role.WHOLE


@dataclass(frozen=True)
class View:
    """Buffer `inside` lies at `offset` bytes within buffer `of`: not placed by itself, takes no memory of its own.

    `of` must be alive whenever `inside` is, and large enough; chains are allowed, cycles are not.
    """

    inside: int
    of: int
    offset: int


@dataclass(frozen=True)
class Overlap:
    """Buffers `low` and `high` may share bytes although both are alive, if offset[high] >= offset[low] + distance.

    `low` is written upwards while `high` is read upwards: a call's output below its input.  Where the condition does
    not hold they must be disjoint, like any two buffers that are alive together.
    """

    low: int
    high: int
    distance: int


@dataclass(frozen=True)
class Problem:
    """All buffers of one memory of `capacity` bytes (None: as much as needed)."""

    buffers: tuple[Buffer, ...]
    views: tuple[View, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    capacity: int | None = None


@dataclass(frozen=True)
class Plan:
    """offsets[i] places buffers[i]; every byte lies below `height`.

    No plan can be lower than `lower_bound`.  `proven`: this one is as low as any can be.
    """

    offsets: tuple[int, ...]
    height: int
    lower_bound: int
    proven: bool
