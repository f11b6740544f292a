"""The digits example on every core, with every compiler that is installed: all checks, and the same count always."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cores import CORES, TIMED
from tests.verify.planting import digits, failed, on_target

INPUTS = 24


@pytest.mark.parametrize(
    ("core", "compiler"),
    [(core, compiler) for compiler in ("zig", "gcc") for core in CORES]
    + [("cortex-m0", "clang"), ("rv32imc", "clang")],
)
def test_everything_holds(core: str, compiler: str, tmp_path: Path) -> None:
    found = on_target(digits(core), tmp_path, compiler, INPUTS)
    assert failed(found.checks) == {}
    assert len(found.counts) == INPUTS + 1
    assert found.exact
    assert found.elf is not None
    assert [f.name for f in found.elf.functions if f.name.startswith("__")] == []
    assert (found.cycles is not None) == (core in TIMED)
    total = sum(layer.instructions for layer in found.layers)
    assert 0.95 < total / found.counts[0] <= 1
