"""Tuning: real layers, real builds, the emulated core."""

from __future__ import annotations

from pathlib import Path

import pytest

from byrote.cli.main import main
from byrote.costs.table import CostTable, encode_table, load_table
from byrote.targets import Target, load_target
from byrote.tune.tune import Effort, tune
from byrote.verify.compilers import compilers

SMALL = Effort(8, 4)
KERNEL = "SOFTMAX softmax_s8"


@pytest.fixture
def core() -> Target:
    target = load_target("cortex-m4")
    if not compilers(target):
        pytest.skip("no C compiler for cortex-m4")
    return target


def tuned(core: Target, folder: Path) -> CostTable:
    name = compilers(core)[-1].name if compilers(core)[-1].name != "clang" else compilers(core)[0].name
    return tune(core, name, effort=SMALL, only=[KERNEL], folder=folder)


def test_tuning_twice_gives_the_same_file(core: Target, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = tuned(core, tmp_path / "a"), tuned(core, tmp_path / "b")
    assert encode_table(first) == encode_table(second)
    table = load_table("cortex-m4", tmp_path / "a")
    assert table is not None
    costs = next(iter(table.compilers.values()))
    fit = costs.kernels[KERNEL].whole["all"]
    assert fit.samples == SMALL.whole
    assert fit.mean_error < 0.1
    assert len(costs.kernels[KERNEL].source) == 16


def test_what_is_up_to_date_is_not_measured_again(core: Target, tmp_path: Path) -> None:
    said: list[str] = []
    tuned(core, tmp_path)
    table = load_table("cortex-m4", tmp_path)
    assert table is not None
    name = next(iter(table.compilers))
    tune(core, name, effort=SMALL, only=[KERNEL], folder=tmp_path, say=said.append)
    assert said == []


def test_the_host_cannot_be_tuned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "host"]) == 2
    assert "not emulated" in capsys.readouterr().err
