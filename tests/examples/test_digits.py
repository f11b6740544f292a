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

from byrote.verify import oracle
from examples.digits.network import Network

FOLDER = Path(__file__).parents[2] / "examples" / "digits"
MODEL = FOLDER / "digits_int8.tflite"
needs_tflm = pytest.mark.skipif(oracle.tflm_missing() is not None, reason=str(oracle.tflm_missing()))

HEADER = """
#include <stdint.h>
#define DIGITS_ARENA_SIZE 128
#define DIGITS_ARENA_ALIGN 16
#define DIGITS_INPUT_0_OFFSET 16
#define DIGITS_OUTPUT_0_OFFSET 96
void digits_run(uint8_t *arena);
"""
BOARD = """
#include <stdio.h>
#include "digits.h"
void board_putchar(char character);
void board_putchar(char character) { putchar(character); }
/* Stands for the compiled model: the n-th call is certain by n % that its first pixel's row holds the digit n + 6. */
void digits_run(uint8_t *arena)
{
    static int calls = 0;
    static const int8_t scores[3] = {-126, -100, 127};
    int8_t *output = (int8_t *)(arena + DIGITS_OUTPUT_0_OFFSET);
    int digit;
    for (digit = 0; digit < 10; ++digit) output[digit] = digit == calls + 6 ? scores[calls] : -128;
    printf("%d ", (int8_t)arena[DIGITS_INPUT_0_OFFSET + 2]);
    ++calls;
}
"""


def golden(name: str) -> npt.NDArray[np.int8]:
    with np.load(FOLDER / "golden.npz") as arrays:
        return arrays[name]


def predict(inputs: npt.NDArray[np.int8]) -> npt.NDArray[np.generic]:
    runs = oracle.tflm_calls(MODEL.read_bytes(), [[image[np.newaxis]] for image in inputs])
    return np.concatenate([run.outputs[0] for run in runs])


@needs_tflm
def test_golden_outputs_are_the_interpreters() -> None:
    np.testing.assert_array_equal(predict(golden("inputs")), golden("outputs"))


def test_golden_digits_are_recognised() -> None:
    assert (golden("outputs").argmax(axis=1) == golden("labels")).mean() >= 0.95
    assert MODEL.stat().st_size < 8192


@needs_tflm
def test_unseen_digits_are_recognised() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    loaded = datasets.load_digits()
    unseen = np.random.default_rng(0).permutation(len(loaded.target))[1400:]
    inputs = np.rint(loaded.images[unseen][..., np.newaxis] / 16 * 255 - 128).astype(np.int8)
    np.testing.assert_array_equal(inputs[:20], golden("inputs"))
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
def test_program_compiles_and_tells_what_it_sees(tmp_path: Path) -> None:
    (tmp_path / "digits.h").write_text(HEADER)
    (tmp_path / "board.c").write_text(BOARD)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", f"-I{tmp_path}"]
    program = tmp_path / "program"
    command = ["cc", *flags, str(FOLDER / "main.c"), str(tmp_path / "board.c"), "-o", str(program)]
    subprocess.run(command, check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert said == "79 This is a 6, 1 % sure.\n127 This is a 7, 11 % sure.\n-112 This is a 8, 100 % sure.\n"
