"""Input that arrives row by row: same bytes, no whole input in memory, warning-clean C with a self-test."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from byrote.cli.main import main
from byrote.driver import compile_model
from byrote.errors import UserError
from byrote.options import CompileOptions
from byrote.schedule import Goal
from tests.memories.network import residual
from tests.models.public import compiled
from tests.support.options import Conv2DOptions
from tests.support.sketch import Sketch, per_tensor

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits_int8.tflite"
PUSHED = CompileOptions(push_input=True, goal=Goal.RAM)

ARENA = {"kws_dscnn_int8": 3_900, "micro_speech_int8": 700, "ic_resnet8_int8": 11_000}
"""Bytes that suffice when the input is pushed."""


def test_digits_pushed_are_verified_on_core_and_host() -> None:
    model = compile_model(DIGITS, CompileOptions(push_input=True, goal=Goal.RAM))
    outcome = model.verify(6)
    assert outcome.failures == ()
    assert outcome.one_path
    assert model.report().ram.arena <= compile_model(DIGITS, CompileOptions(goal=Goal.RAM)).report().ram.arena + 12


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_pushing_c_is_clean_and_tests_itself(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    model = compile_model(DIGITS, CompileOptions(push_input=True, name="digits"))
    model.write(tmp_path)
    clean = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
    sources = [*model.program.sources, "digits_test.c"]
    subprocess.run([compiler, *clean, "-DDIGITS_TEST_MAIN", *sources, "-o", "test"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "test"], check=True)
    subprocess.run([compiler, *clean, "-c", "digits_example.c", "-o", "example.o"], cwd=tmp_path, check=True)


def test_rows_that_no_window_reads_are_taken_all_the_same(tmp_path: Path) -> None:
    """Stride 2 and no padding: of twelve rows the last is read by nothing."""
    rng = np.random.default_rng(4)
    sketch = Sketch()
    x = sketch.input((1, 12, 6, 2), per_tensor(0.05))
    weights = rng.integers(-127, 128, (4, 3, 3, 2), dtype=np.int8)
    options = Conv2DOptions(padding=1, stride_h=2, stride_w=2)
    y = sketch.conv2d(x, weights, np.zeros(4, np.int32), (0.01,) * 4, to=per_tensor(0.1), options=options)
    path = tmp_path / "model.tflite"
    path.write_bytes(sketch.model(y).to_bytes())
    outcome = compile_model(path, CompileOptions(push_input=True, target="host")).verify(6)
    assert outcome.failures == ()


@pytest.mark.parametrize("target", ["host", "cortex-m4"])
def test_a_model_that_ends_in_a_global_mean_is_pushed(target: str, tmp_path: Path) -> None:
    model = compile_model(residual(tmp_path / "residual.tflite"), replace(PUSHED, target=target))
    resident = compile_model(tmp_path / "residual.tflite", replace(PUSHED, push_input=False, target=target))
    assert model.report().ram.arena < resident.report().ram.arena
    assert model.verify(3).failures == ()


def test_two_inputs_cannot_be_pushed(tmp_path: Path) -> None:
    sketch = Sketch()
    a, b = (sketch.input((1, 4, 4, 2), per_tensor(0.05)) for _ in range(2))
    path = tmp_path / "model.tflite"
    path.write_bytes(sketch.model(sketch.add_tensors(a, b, per_tensor(0.1))).to_bytes())
    with pytest.raises(UserError, match="it has 2 inputs"):
        compile_model(path, PUSHED)


def test_an_input_that_is_needed_at_once_cannot_be_pushed(tmp_path: Path) -> None:
    sketch = Sketch()
    x = sketch.input((1, 4, 4, 2), per_tensor(0.05))
    y = sketch.transpose(x, (0, 2, 1, 3))
    path = tmp_path / "model.tflite"
    path.write_bytes(sketch.model(y).to_bytes())
    assert main(["check", str(path), "--push-input"]) == 2


@pytest.mark.parametrize("name", ARENA)
def test_arena_of_public_models(name: str) -> None:
    model = compiled(name, CompileOptions(push_input=True, goal=Goal.RAM, target="host"))
    assert model.report().ram.arena <= ARENA[name]
    assert model.verify(4).failures == ()
