"""Files of measured costs: what they say, what happens without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from byrote.costs.flash import wait_cycles
from byrote.costs.model import cost_model
from byrote.costs.table import (
    FOLDER,
    MEASURES,
    SCHEMA_VERSION,
    CompilerCosts,
    CostTable,
    Fit,
    KernelCosts,
    encode_table,
    load_table,
    save_table,
)
from byrote.costs.work import GENERIC, table_key, work_of
from byrote.errors import UserError
from byrote.ops import OPERATORS
from byrote.targets import Memory, MemoryKind, load_target
from byrote.tune.samples import Sample, every_kernel, samples

SIMPLE = "SOFTMAX softmax_s8"


def one_sample(*, steps: bool = False) -> Sample:
    operator, group = next((o, g) for o, g in every_kernel(OPERATORS) if table_key(g[0]) == SIMPLE)
    return samples(operator, group, 4, 1, steps=steps)[0]


def table(core: str) -> CostTable:
    fit = Fit({"instructions": (5.0, 0.0, 0.0, 2.0, 0.0), "cycles": (7.0, 0.0, 0.0, 3.0, 0.0)}, 9, 0.01, 0.02)
    kernels = {SIMPLE: KernelCosts("digest", GENERIC.features, {"all": fit})}
    return CostTable(SCHEMA_VERSION, core, {"zig": CompilerCosts("zig 1", ("-O2",), kernels)})


def test_a_table_survives_its_file(tmp_path: Path) -> None:
    path = save_table(table("cortex-m4"), tmp_path)
    assert load_table("cortex-m4", tmp_path) == table("cortex-m4")
    assert path.read_bytes() == encode_table(table("cortex-m4"))
    assert [p.name for p in tmp_path.iterdir()] == ["cortex-m4.json"]


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"{", b'{"schema_version": 1}', encode_table(table("cortex-m0")), b'{"schema_version":9,"core":"x"}'],
)
def test_a_damaged_table_is_one_sentence(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "cortex-m4.json").write_bytes(text)
    load_table.cache_clear()
    with pytest.raises(UserError, match=r"cortex-m4\.json"):
        load_table("cortex-m4", tmp_path)


def test_coefficients_must_match_the_features(tmp_path: Path) -> None:
    good = table("cortex-m4")
    kernel = KernelCosts("digest", ("call", "row"), good.compilers["zig"].kernels[SIMPLE].whole)
    bad = CostTable(SCHEMA_VERSION, "cortex-m4", {"zig": CompilerCosts("zig 1", (), {SIMPLE: kernel})})
    save_table(bad, tmp_path)
    with pytest.raises(UserError, match="differ in number"):
        load_table("cortex-m4", tmp_path)


def test_predictions_are_features_times_coefficients(tmp_path: Path) -> None:
    save_table(table("cortex-m4"), tmp_path)
    sample = one_sample()
    model = cost_model(load_target("cortex-m4"), folder=tmp_path)
    found = model.whole(sample.kernel, sample.view)
    elements = sample.view.output_type().elements
    assert found.measured
    assert found.instructions == 5 + 2 * elements
    assert found.cycles == 7 + 3 * elements
    assert "measured on the emulated cortex-m4" in model.basis


def test_a_core_without_a_table_borrows_a_similar_one_and_says_so(tmp_path: Path) -> None:
    save_table(table("cortex-m4"), tmp_path)
    model = cost_model(load_target("cortex-m7"), folder=tmp_path)
    assert not model.exact_core
    assert "nothing was measured for cortex-m7" in model.basis
    sample = one_sample()
    assert model.whole(sample.kernel, sample.view).measured


def test_without_any_table_kernels_estimate_themselves(tmp_path: Path) -> None:
    model = cost_model(load_target("cortex-m4"), folder=tmp_path)
    sample = one_sample()
    found = model.whole(sample.kernel, sample.view)
    assert not found.measured
    assert found.instructions == sample.kernel.cost(sample.view, sample.view.output_type().rows)
    assert "rough" in model.basis


def test_wait_states_are_nothing_by_default_and_never_negative() -> None:
    assert wait_cycles(None, cycles=1000, fetched=3000, jumps=50) == 0
    flash = Memory("flash", MemoryKind.FLASH, 0, 1 << 20)
    assert wait_cycles(flash, cycles=1000, fetched=3000, jumps=50) == 0
    slow = Memory("flash", MemoryKind.FLASH, 0, 1 << 20, wait_states=4, fetch_width=8)
    assert wait_cycles(slow, cycles=10_000, fetched=8_000, jumps=50) == 4 * 50, "ten cycles a line hide four"
    assert wait_cycles(slow, cycles=3_000, fetched=8_000, jumps=50) == 4 * 50 + 1000 * (5 - 3)


CHECKED_IN = sorted(path.stem for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("core", CHECKED_IN)
def test_checked_in_tables_say_what_they_rest_on(core: str) -> None:
    found = load_table(core)
    assert found is not None
    target = load_target(core)
    for name, costs in found.compilers.items():
        flags = target.flags(name)
        assert flags is not None
        assert costs.version
        assert costs.flags == (*flags.flags, *flags.optimise), "measured with other flags than the target recommends"
        for kernel in costs.kernels.values():
            for fit in (*kernel.whole.values(), *kernel.steps.values()):
                assert set(fit.coefficients) <= set(MEASURES)
                assert fit.samples >= 3
                assert all(value >= 0 for values in fit.coefficients.values() for value in values)


def test_every_feature_counts() -> None:
    """Kernels that say what their instructions depend on say as many numbers as names."""
    for operator, group in every_kernel(OPERATORS):
        kernel = group[0]
        for sample in samples(operator, group, 1, 1, steps=False)[:1]:
            assert len(sample.work) == len(work_of(kernel).features), kernel.function
            assert all(amount >= 0 for amount in sample.work), kernel.function
            assert any(sample.work), kernel.function
