"""Measured coefficients of one core: the layout of `<core>.json`, read completely checked and written atomically.

The files are made by `byrote tune` and never by hand.  They carry what they rest on: compiler, its flags, a digest of
every kernel's C, how many layers were measured and how well the fit predicts layers that it has not seen.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

from byrote.errors import user_error

FOLDER = Path(__file__).parent
SCHEMA_VERSION = 1

MEASURES = ("instructions", "cycles", "fetched", "jumps")
"""What is predicted: instructions; cycles in the middle of the strict interval, at zero wait states; bytes of code that
are fetched; jumps that are taken."""


ENOUGH = 16
"""Samples that a fit of calls for some rows needs to be trusted."""


@dataclass(frozen=True)
class Fit:
    """A linear model: per measure one coefficient per feature.

    Errors are relative, of `instructions`, for layers that were left out of the fit (four-fold cross-validation).
    """

    coefficients: Mapping[str, tuple[float, ...]]
    samples: int
    mean_error: float
    worst_error: float

    def predict(self, measure: str, work: tuple[float, ...]) -> float:
        """The value of one measure; 0 for one that was not measured on this core."""
        factors = self.coefficients.get(measure, ())
        return sum(factor * amount for factor, amount in zip(factors, work, strict=False))


@dataclass(frozen=True)
class KernelCosts:
    """One kernel.  `source`: digest of its C.

    `features`: names of what is counted.  `whole`: one call for all rows; `steps`: calls for some of the rows, with
    kept rows; each by variant of the layer.  An accumulating kernel has `whole` only.
    """

    source: str
    features: tuple[str, ...]
    whole: Mapping[str, Fit]
    steps: Mapping[str, Fit] = field(default_factory=dict[str, Fit])

    def fit(self, variant: str, *, whole: bool) -> Fit | None:
        """The nearest there is: of this variant, else of any.

        Calls for some rows are only told apart from whole layers where enough of them were measured: plans by rows are
        compared with plans of whole tensors, and two fits of different quality would decide instead of the kernels.
        """
        steps = {name: fit for name, fit in self.steps.items() if fit.samples >= ENOUGH or name not in self.whole}
        order = (self.whole, self.steps) if whole else (steps, self.whole)
        for fits in order:
            if variant in fits:
                return fits[variant]
        return next((fit for fits in order for fit in fits.values()), None)


@dataclass(frozen=True)
class CompilerCosts:
    """Everything that was measured with one compiler; `version` is its first line of --version."""

    version: str
    flags: tuple[str, ...]
    kernels: Mapping[str, KernelCosts] = field(default_factory=dict[str, KernelCosts])


@dataclass(frozen=True)
class CostTable:
    """One core."""

    schema_version: int
    core: str
    compilers: Mapping[str, CompilerCosts] = field(default_factory=dict[str, CompilerCosts])


def table_path(core: str, folder: Path = FOLDER) -> Path:
    """Where a core's table lies."""
    return folder / f"{core}.json"


@cache
def load_table(core: str, folder: Path = FOLDER) -> CostTable | None:
    """The table of a core, None if there is none.  Raises UserError if its file says something wrong."""
    path = table_path(core, folder)
    if not path.exists():
        return None
    try:
        table = msgspec.json.decode(path.read_bytes(), type=CostTable)
    except msgspec.DecodeError as error:
        raise user_error(path.name, str(error), f"make it anew: byrote tune {core}") from error
    if table.schema_version != SCHEMA_VERSION or table.core != core:
        raise user_error(path.name, "the file is of another version or core", f"make it anew: byrote tune {core}")
    for compiler in table.compilers.values():
        for name, kernel in compiler.kernels.items():
            _check(path.name, name, kernel)
    return table


def _check(file: str, name: str, kernel: KernelCosts) -> None:
    for fit in (*kernel.whole.values(), *kernel.steps.values()):
        if any(len(values) != len(kernel.features) for values in fit.coefficients.values()):
            raise user_error(file, f"{name}: coefficients and features differ in number", "make it anew: byrote tune")


def encode_table(table: CostTable) -> bytes:
    """The file's content: the same table gives the same bytes."""
    text = msgspec.json.format(msgspec.json.encode(table, order="deterministic"), indent=1)
    return re.sub(rb"\[[^\[\]{}]*\]", lambda found: b" ".join(found[0].split()), text) + b"\n"


def save_table(table: CostTable, folder: Path = FOLDER) -> Path:
    """Write a core's table, completely or not at all."""
    path = table_path(table.core, folder)
    with NamedTemporaryFile(dir=folder, prefix=f".{table.core}", delete=False) as file:
        file.write(encode_table(table))
    Path(file.name).chmod(0o644)
    os.replace(file.name, path)  # noqa: PTH105 - Path.replace is the same; this one is known to be atomic
    load_table.cache_clear()
    return path
