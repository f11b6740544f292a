"""The figures of a bench, as `--json` prints and `--save` stores them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from byrote.errors import user_error

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class LayerFigures:
    """One layer; layers that share a function share its code.  Cycles are null where timings are not known.

    `measured_kernel`: the prediction rests on measurements of this kernel.
    """

    node: int
    op: str
    kernel: str
    macs: int
    instructions: int
    cycles_low: int | None
    cycles_high: int | None
    code: int
    weights: int
    predicted_instructions: int
    predicted_cycles: int | None
    measured_kernel: bool


@dataclass(frozen=True)
class Totals:
    """One inference.  `wait_cycles` are those that code waits for flash, not in the other cycles; sizes in bytes.

    `cycles_strict`: one number between least and most by which programs are compared (verify/cycles.py).
    """

    macs: int
    instructions: int
    cycles_low: int | None
    cycles_high: int | None
    wait_cycles: int
    arena: int
    stack: int
    code: int
    weights: int
    predicted_instructions: int
    predicted_cycles: int | None
    cycles_strict: int | None = None

    @property
    def error(self) -> float:
        """Predicted instructions against counted ones, relative."""
        return self.predicted_instructions / max(1, self.instructions) - 1


@dataclass(frozen=True)
class Bench:
    """`bound`: instructions per multiply-accumulate of the best inner loop there can be, null where nobody says."""

    model: str
    target: str
    compiler: str
    version: str
    bound: float | None
    basis: str
    assumptions: tuple[str, ...]
    total: Totals
    layers: tuple[LayerFigures, ...]
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True)
class Comparison:
    """New figures divided by stored ones; null where one of them is missing."""

    what: str
    stored: int | None
    found: int | None

    @property
    def ratio(self) -> float | None:
        return self.found / self.stored if self.found is not None and self.stored else None


def compare(stored: Bench, found: Bench) -> tuple[Comparison, ...]:
    """The totals of two benches, those of the stored one first.  Raises UserError if they are of different things."""
    if (stored.target, stored.compiler) != (found.target, found.compiler):
        raise user_error(
            "--against",
            f"stored for {stored.target} with {stored.compiler}, found for {found.target} with {found.compiler}",
        )
    names = ("instructions", "cycles_low", "cycles_strict", "cycles_high", "code", "weights", "arena", "stack")
    return tuple(Comparison(name, getattr(stored.total, name), getattr(found.total, name)) for name in names)


def encode(bench: Bench) -> bytes:
    """The file's content."""
    return msgspec.json.format(msgspec.json.encode(bench), indent=1) + b"\n"


def save(bench: Bench, path: Path) -> None:
    """Store figures, completely or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(encode(bench))
        partial.replace(path)
    except OSError as error:
        raise user_error(str(path), f"cannot be written: {error.strerror}") from error


def load(path: Path) -> Bench:
    """Stored figures.  Raises UserError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Bench)
    except OSError as error:
        raise user_error(str(path), f"cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise user_error(str(path), f"no stored bench: {error}") from error
