"""Outputs that no operator writes, and inputs that are outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from byrote.driver import compile_model
from byrote.verify import oracle
from tests.support.sketch import Sketch, per_tensor
from tests.support.tflite_builder import ModelSpec


def with_constant() -> ModelSpec:
    sketch = Sketch()
    x = sketch.input((1, 4), per_tensor(0.1))
    constant = sketch.constant(np.asarray([[1, -2, 3]], np.int8), per_tensor(0.5))
    return sketch.model(sketch.softmax(x), constant)


def with_folded_constant() -> ModelSpec:
    sketch = Sketch()
    x = sketch.input((1, 4), per_tensor(0.1))
    constant = sketch.constant(np.asarray([[1, -2, 3]], np.int8), per_tensor(0.5))
    return sketch.model(sketch.softmax(x), sketch.softmax(constant))


def with_input() -> ModelSpec:
    sketch = Sketch()
    x = sketch.input((1, 4), per_tensor(0.1))
    return sketch.model(x, sketch.softmax(x))


def with_the_same_twice() -> ModelSpec:
    sketch = Sketch()
    y = sketch.softmax(sketch.input((1, 4), per_tensor(0.1)))
    return sketch.model(y, y)


def with_a_reshaped_input() -> ModelSpec:
    sketch = Sketch()
    return sketch.model(sketch.reshape(sketch.input((1, 4), per_tensor(0.1)), (2, 2)))


MODELS = (with_constant, with_folded_constant, with_input, with_the_same_twice, with_a_reshaped_input)


@pytest.mark.parametrize("make", MODELS)
def test_odd_outputs_are_right(make: object, tmp_path: Path) -> None:
    assert callable(make)
    spec = make()
    assert isinstance(spec, ModelSpec)
    path = tmp_path / "model.tflite"
    path.write_bytes(spec.to_bytes())
    given = np.asarray([[-7, 100, 3, -128]], np.int8)
    found = compile_model(path).run(given)
    if oracle.tflm_missing():
        pytest.skip(str(oracle.tflm_missing()))
    for mine, theirs in zip(found, oracle.tflm(spec.to_bytes(), [given]), strict=True):
        np.testing.assert_array_equal(mine, theirs.reshape(mine.shape))
