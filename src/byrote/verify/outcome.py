"""What verification found: the contract of `byrote verify --json`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """The first tensor, in order of execution, whose bytes are wrong.  `index` counts elements of the tensor."""

    where: str
    tensor: str
    node: str
    index: int
    expected: int
    found: int
    count: int


@dataclass(frozen=True)
class Stack:
    """Bytes: what analysis says can be used at most, and what a run used."""

    bound: int | None
    peak: int | None


@dataclass(frozen=True)
class Check:
    """One line of the verification: what was checked, whether it held (None: not done), and what was seen."""

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True)
class Outcome:
    """The whole verification."""

    schema_version: int
    model: str
    target: str
    profile: str
    exact: bool
    inputs: int
    first_difference: Difference | None
    instructions: int | None
    instructions_equal: bool | None
    one_path: bool | None
    cycles_low: int | None
    cycles_high: int | None
    stack: Stack
    stray_stores: int | None
    unaligned: int | None
    failures: tuple[str, ...]
    checks: tuple[Check, ...]
