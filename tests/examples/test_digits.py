"""The digits example: its files agree with each other, its training is right, its C program compiles and runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from byrote.driver import compile_model
from byrote.options import CompileOptions
from byrote.verify import oracle
from examples.digits.network import Network

FOLDER = Path(__file__).parents[2] / "examples" / "digits"
MODEL = FOLDER / "digits_int8.tflite"
needs_tflm = pytest.mark.skipif(oracle.tflm_missing() is not None, reason=str(oracle.tflm_missing()))

BOARD = """
#include <stdio.h>
void board_putchar(char character);
void board_putchar(char character) { putchar(character); }
"""


def golden(name: str) -> npt.NDArray[np.int8]:
    with np.load(FOLDER / "golden.npz") as arrays:
        return arrays[name]


def predict(inputs: npt.NDArray[np.int8]) -> npt.NDArray[np.generic]:
    runs = oracle.tflm_calls(MODEL.read_bytes(), [[image[np.newaxis]] for image in inputs])
    return np.concatenate([run.outputs[0] for run in runs])


@needs_tflm
def test_golden_outputs_are_the_interpreters() -> None:
    np.testing.assert_array_equal(predict(golden("image")), golden("probabilities"))


def test_golden_digits_are_recognised() -> None:
    assert (golden("probabilities").argmax(axis=1) == golden("label")).mean() >= 0.95
    assert MODEL.stat().st_size < 8192


@needs_tflm
def test_unseen_digits_are_recognised() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    loaded = datasets.load_digits()
    unseen = np.random.default_rng(0).permutation(len(loaded.target))[1400:]
    inputs = np.rint(loaded.images[unseen][..., np.newaxis] / 16 * 255 - 128).astype(np.int8)
    np.testing.assert_array_equal(inputs[:20], golden("image"))
    assert (predict(inputs).argmax(axis=1) == loaded.target[unseen]).mean() >= 0.97


def test_gradients_are_those_of_the_loss() -> None:
    random = np.random.default_rng(3)
    network = Network(random)
    for parameter in network.parameters:  # no bias of 0: there a dead window stands on the kink of its RELU
        parameter.value = parameter.value + random.normal(size=parameter.value.shape) / 10
    images = random.normal(size=(2, 8, 8, 1))
    labels = np.array([3, 7])
    network.backward(network.forward(images), labels)
    gradients = [parameter.gradient for parameter in network.parameters]
    for parameter, gradient in zip(network.parameters, gradients, strict=True):
        value = parameter.value
        direction = random.normal(size=value.shape)
        losses: list[float] = []
        for step in (1e-6, -1e-6):
            parameter.value = value + step * direction
            losses.append(network.backward(network.forward(images), labels))
        parameter.value = value
        assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(float((gradient * direction).sum()), rel=1e-4, abs=1e-7)


@needs_tflm
def test_training_script_writes_both_files(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    command = [sys.executable, str(FOLDER / "train.py"), "--epochs", "3", "-o", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["digits_int8.tflite", "golden.npz"]
    assert (tmp_path / "digits_int8.tflite").stat().st_size == MODEL.stat().st_size


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc) on this machine")
def test_program_tells_what_the_readme_says(tmp_path: Path) -> None:
    compile_model(MODEL, CompileOptions(name="digits")).write(tmp_path)
    (tmp_path / "board.c").write_text(BOARD)
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", f"-I{tmp_path}"]
    sources = [FOLDER / "main.c", *(tmp_path / name for name in ("board.c", "digits.c", "digits_weights.c"))]
    subprocess.run(["cc", *flags, *map(str, sources), "-o", str(tmp_path / "program")], check=True)
    said = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said == ["This is a 2, 100 % sure.", "This is a 5, 99 % sure.", "This is a 7, 100 % sure."]
    assert "\n".join(f"    {line}" for line in said) in (FOLDER / "README.md").read_text()
