"""The reference interpreter in a child process: the same answers, and its death is a message."""

from __future__ import annotations

import numpy as np
import pytest
from tflite.BuiltinOperator import BuiltinOperator as Code

from byrote.errors import UserError
from byrote.verify import oracle
from byrote.verify.oracle_process import calls_apart
from tests.support.sketch import Sketch, per_tensor

pytestmark = pytest.mark.skipif(oracle.tflm_missing() is not None, reason=str(oracle.tflm_missing()))


def test_answers_are_the_same() -> None:
    sketch = Sketch()
    x, other = sketch.input((1, 3, 4, 2), per_tensor(0.5)), sketch.input((1, 3, 4, 2), per_tensor(0.25))
    first, second = sketch.split(sketch.add_tensors(x, other, per_tensor(0.6)), 3, 2)
    model = sketch.model(second, first).to_bytes()
    values = np.random.default_rng(0).integers(-128, 128, (2, 2, 1, 3, 4, 2)).astype(np.int8)
    calls = [list(call) for call in values]
    here, there = oracle.tflm_calls(model, calls, keep=[x, first]), calls_apart("tflm", model, calls, [x, first])
    for ours, theirs in zip(here, there, strict=True):
        for one, two in zip((*ours.outputs, *ours.kept), (*theirs.outputs, *theirs.kept), strict=True):
            np.testing.assert_array_equal(one, two)
            assert one.dtype == two.dtype


def test_death_is_told() -> None:
    sketch = Sketch()
    x = sketch.input((1, 4), per_tensor(100.0))
    model = sketch.model(sketch.add_tensors(x, x, per_tensor(1e-5))).to_bytes()  # an output multiplier over 1
    with pytest.raises(UserError, match=r"tflm: the interpreter died of this model \(exit code -6\)"):
        calls_apart("tflm", model, [[np.ones((1, 4), np.int8)]])


def test_refusal_is_told() -> None:
    sketch = Sketch()
    x = sketch.input((1, 4), per_tensor(0.5))
    sketch.operator(Code.UNIQUE, (x,), (x,))
    with pytest.raises(UserError, match="'UNIQUE'"):
        calls_apart("tflm", sketch.model(x).to_bytes(), [[np.ones((1, 4), np.int8)]])
