"""The reference interpreters, on models small enough to compute by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from tflite.BuiltinOperator import BuiltinOperator as Code

from byrote.errors import UserError
from byrote.verify import oracle
from byrote.verify.oracle import Array
from tests.support.options import EmptyOptions, UnpackOptions
from tests.support.sketch import Sketch, per_tensor

needs_tflm = pytest.mark.skipif(oracle.tflm_missing() is not None, reason=str(oracle.tflm_missing()))
needs_litert = pytest.mark.skipif(oracle.litert_missing() is not None, reason=str(oracle.litert_missing()))
Engine = Callable[..., tuple[oracle.Run, ...]]
ENGINES = [
    pytest.param(oracle.tflm_calls, marks=needs_tflm, id="tflm"),
    pytest.param(oracle.litert_calls, marks=needs_litert, id="litert"),
]


def ramp(*shape: int) -> npt.NDArray[np.int8]:
    return (np.arange(np.prod(shape)) % 256 - 128).astype(np.int8).reshape(shape)


@pytest.mark.parametrize("engine", ENGINES)
def test_outputs_come_in_model_order_and_calls_repeat(engine: Engine) -> None:
    sketch = Sketch()
    x = sketch.input((1, 4, 4, 2), per_tensor(0.5))
    first, second = sketch.split(x, 3, 2)
    flipped = sketch.transpose(first, (0, 2, 1, 3))
    data = ramp(1, 4, 4, 2)
    runs = engine(sketch.model(second, flipped).to_bytes(), [[data], [data + 1], [data]])
    for run, given in zip(runs, (data, data + 1, data), strict=True):
        np.testing.assert_array_equal(run.outputs[0], given[..., 1:])
        np.testing.assert_array_equal(run.outputs[1], given[..., :1].transpose(0, 2, 1, 3))


@pytest.mark.parametrize("engine", ENGINES)
def test_intermediate_tensors_are_kept(engine: Engine) -> None:
    sketch = Sketch()
    x = sketch.input((1, 6, 6, 1), per_tensor(0.5, -128))
    y = x
    chain = [x]
    for _ in range(4):
        weights = np.full((1, 1, 1, 1), 127, np.int8)
        y = sketch.conv2d(y, weights, np.zeros(1, np.int32), (1 / 254,), per_tensor(0.5, -128))
        chain.append(y)
    chain.append(sketch.reshape(y, (36,)))
    data = ramp(1, 6, 6, 1)
    (run,) = engine(sketch.model(chain[-1]).to_bytes(), [[data]], keep=chain)
    for before, after in zip(run.kept[:-2], run.kept[1:-1], strict=True):
        halves = (before.astype(np.int64) + 128) / 2
        assert np.abs(after.astype(np.int64) + 128 - halves).max() <= 0.5
    np.testing.assert_array_equal(run.kept[-1], run.outputs[0])
    np.testing.assert_array_equal(run.kept[0], data)


@needs_tflm
@needs_litert
def test_fully_connected_is_where_the_engines_round_differently() -> None:
    random = np.random.default_rng(0)
    sketch = Sketch()
    x = sketch.input((1, 64), per_tensor(0.02))
    weights = random.integers(-127, 128, (2048, 64)).astype(np.int8)
    y = sketch.fully_connected(x, weights, None, (0.005,), per_tensor(0.05))
    model = sketch.model(y).to_bytes()
    data = random.integers(-128, 128, (1, 64)).astype(np.int8)
    difference = np.abs(oracle.tflm(model, [data])[0].astype(int) - oracle.litert(model, [data])[0].astype(int))
    assert difference.max() == 1
    assert 0 < np.count_nonzero(difference) < 64


@needs_tflm
def test_what_tflm_says_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    sketch = Sketch()
    x = sketch.input((1, 4), per_tensor(0.5))
    y = sketch.unary(Code.ZEROS_LIKE, x, options=EmptyOptions("ZerosLikeOptions"))
    sketch.operator(Code.UNIQUE, (y,), (x,), UnpackOptions())
    with pytest.raises(UserError, match=r"TFLM: does not run this model: .*'UNIQUE'"):
        oracle.tflm(sketch.model(y).to_bytes(), [ramp(1, 4)])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("inputs", [[], [ramp(1, 5)], [ramp(1, 4), ramp(1, 4)]])
def test_wrong_inputs_are_refused(engine: Engine, inputs: list[Array]) -> None:
    sketch = Sketch()
    x = sketch.input((1, 4), per_tensor(0.5))
    model = sketch.model(sketch.reshape(x, (4,))).to_bytes()
    with pytest.raises(UserError, match="does not run"):
        engine(model, [inputs])
