"""Reading a timing file."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import Enum
from pathlib import Path

import msgspec
import msgspec.toml

FOLDER = Path(__file__).parent

Interval = tuple[int, int]
"""Cycles: at least, at most."""


class Trust(Enum):
    """Where a number comes from."""

    PUBLISHED = "published"
    """By the maker of the core."""

    MEASURED = "measured"
    """By others, on hardware."""

    ASSUMED = "assumed"
    """A margin, or a case the core does not have."""


@dataclass(frozen=True)
class Cycles:
    """Cycles of each class of instructions, and what neighbours and alignment add.

    The first names are those of `decode.Kind`; a timing file explains the others.
    """

    data: Interval
    multiply: Interval
    multiply_add: Interval
    long_multiply: Interval
    long_multiply_add: Interval
    dsp_multiply: Interval
    divide: Interval
    load: Interval
    store: Interval
    load_multiple: Interval
    store_multiple: Interval
    branch: Interval
    call: Interval
    table_branch: Interval
    if_then: Interval
    hint: Interval
    special: Interval
    barrier: Interval
    store_register_offset: Interval
    each_register: Interval
    refill: Interval
    refill_return: Interval
    load_after_load: Interval
    unaligned_half: Interval
    unaligned_word: Interval
    unaligned_odd_word: Interval
    unaligned_store: Interval
    literal_load: Interval
    address_after_data: Interval
    wide_load_at_halfword: Interval
    address_after_writeback: Interval
    writeback_after_load: Interval
    load_to_use: Interval
    late_result_to_use: Interval

    def of(self, name: str) -> Interval:
        """The interval of that name.  Raises KeyError."""
        values: dict[str, Interval] = vars(self)
        return values[name]


@dataclass(frozen=True)
class Timing:
    """The timings of one core; `trust` pairs each name of Cycles with where its number comes from.

    `strict`: one number in each interval, for comparing programs; None where the file names none.
    """

    name: str
    source: str
    assumptions: tuple[str, ...]
    cycles: Cycles
    trust: tuple[tuple[str, Trust], ...]
    strict: Cycles | None = None

    def trust_of(self, name: str) -> Trust:
        """Where a number comes from.  Raises KeyError."""
        return dict(self.trust)[name]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    source: str
    assumptions: tuple[str, ...]
    published: dict[str, Interval] = {}
    measured: dict[str, Interval] = {}
    assumed: dict[str, Interval] = {}
    strict: dict[str, int] = {}


def timing_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """Cores with a timing file, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def load_timing(name: str, folder: Path = FOLDER) -> Timing:
    """The timings of a core.

    Raises ValueError if a number is missing, named twice, unknown or no interval, FileNotFoundError without a file.
    """
    path = folder / f"{name}.toml"
    try:
        file = msgspec.toml.decode(path.read_bytes(), type=_File)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path.name}: {error}") from error
    known = tuple(field.name for field in fields(Cycles))
    groups = ((Trust.PUBLISHED, file.published), (Trust.MEASURED, file.measured), (Trust.ASSUMED, file.assumed))
    found = [(key, value, trust) for trust, group in groups for key, value in group.items()]
    names = sorted(key for key, _, _ in found)
    if names != sorted(known):
        wrong = sorted(set(names).symmetric_difference(known)) or "a number is named twice"
        raise ValueError(f"{path.name}: unknown, missing or doubled: {wrong}")
    for key, (low, high), _ in found:
        if low > high:
            raise ValueError(f"{path.name}: {key}: {low} is more than {high}")
    cycles = Cycles(**{key: value for key, value, _ in found})
    trusts = tuple((key, trust) for key, _, trust in found)
    return Timing(name, file.source, file.assumptions, cycles, trusts, _strict(path.name, cycles, file.strict))


def _strict(name: str, cycles: Cycles, chosen: dict[str, int]) -> Cycles | None:
    """`cycles` with one number where there were two.  Raises ValueError if one is outside its interval or missing."""
    if not chosen:
        return None
    intervals: dict[str, Interval] = vars(cycles)
    open_ones = {key for key, (low, high) in intervals.items() if low < high}
    if open_ones != set(chosen):
        raise ValueError(f"{name}: strict: unknown or missing: {sorted(open_ones.symmetric_difference(chosen))}")
    for key, value in chosen.items():
        if not intervals[key][0] <= value <= intervals[key][1]:
            raise ValueError(f"{name}: strict: {key}: {value} is not within {intervals[key]}")
    return replace(cycles, **{key: (value, value) for key, value in chosen.items()})
