"""Every operator that a Sketch writes loads in the reference interpreters, which agree on the shape."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tflite.BuiltinOperator import BuiltinOperator as Code

from byrote.verify import oracle
from tests.support import options as table
from tests.support.options import EmptyOptions
from tests.support.sketch import SOFTMAX_QUANT, TANH_QUANT, Sketch, per_tensor
from tests.support.tflite_builder import QuantSpec

RANDOM = np.random.default_rng(0)
IN = per_tensor(0.05, -3)
OUT = per_tensor(0.04, 7)
SHAPE = (1, 6, 8, 4)


def int8(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    return RANDOM.integers(-127, 128, shape).astype(np.int8)


def bias(channels: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return RANDOM.integers(-999, 1000, channels).astype(np.int32)


POOL = table.Pool2DOptions(table.SAME, 2, 2, 3, 3)
STEEP = table.ResizeNearestNeighborOptions(half_pixel_centers=True)
CASES: dict[str, Callable[[Sketch, int], int]] = {
    "conv2d": lambda s, x: s.conv2d(x, int8(5, 3, 3, 4), bias(5), (0.01, 0.02, 0.03, 0.04, 0.05), OUT),
    "conv2d dilated": lambda s, x: s.conv2d(
        x, int8(2, 2, 3, 4), bias(2), (0.1, 0.2), OUT, table.Conv2DOptions(table.VALID, dilation_h=3)
    ),
    "depthwise": lambda s, x: s.depthwise_conv2d(x, int8(1, 3, 3, 8), bias(8), (0.01,) * 8, OUT),
    "fully connected": lambda s, x: s.fully_connected(x, int8(3, 48 * 4), bias(3), (0.001,), OUT),
    "fully connected rows": lambda s, x: s.fully_connected(
        x, int8(3, 4), None, (0.01,) * 3, OUT, table.FullyConnectedOptions(table.RELU, keep_num_dims=True)
    ),
    "add": lambda s, x: s.add_tensors(x, s.constant(int8(1, 1, 1, 4), OUT), OUT, table.RELU6),
    "sub": lambda s, x: s.binary(Code.SUB, x, s.constant(int8(4), IN), OUT),
    "mul": lambda s, x: s.binary(Code.MUL, x, s.constant(int8(4), OUT), OUT),
    "minimum": lambda s, x: s.binary(Code.MINIMUM, x, x, IN),
    "average pool": lambda s, x: s.pool(Code.AVERAGE_POOL_2D, x, POOL),
    "max pool": lambda s, x: s.pool(Code.MAX_POOL_2D, x, POOL),
    "softmax": lambda s, x: s.softmax(x, beta=2.0),
    "mean": lambda s, x: s.mean(x, (1, 2), OUT),
    "mean keeps": lambda s, x: s.mean(x, (1, 2), OUT, keep_dims=True),
    "quantize": lambda s, x: s.quantize(x, OUT),
    "dequantize": lambda s, x: s.dequantize(x),
    "relu": lambda s, x: s.unary(Code.RELU, x, OUT),
    "relu6": lambda s, x: s.unary(Code.RELU6, x),
    "logistic": lambda s, x: s.unary(Code.LOGISTIC, x, SOFTMAX_QUANT),
    "tanh": lambda s, x: s.unary(Code.TANH, x, TANH_QUANT),
    "hard swish": lambda s, x: s.unary(Code.HARD_SWISH, x, OUT, EmptyOptions("HardSwishOptions"), version=1),
    "leaky relu": lambda s, x: s.leaky_relu(x, 0.1, OUT),
    "prelu": lambda s, x: s.prelu(x, int8(1, 1, 4), QuantSpec((0.01,), (0,)), OUT),
    "reshape": lambda s, x: s.reshape(x, (2, -1)),
    "reshape without options": lambda s, x: s.reshape(x, (2, -1), with_options=False),
    "pad": lambda s, x: s.pad(x, ((0, 0), (1, 2), (3, 0), (0, 1))),
    "concatenation": lambda s, x: s.concatenation((x, x), 2),
    "split": lambda s, x: s.split(x, 2, 4)[1],
    "slice": lambda s, x: s.slice(x, (0, 1, 2, 0), (1, 3, -1, 2)),
    "strided slice": lambda s, x: s.strided_slice(x, (0, 1, 7, 0), (1, 6, 2, 4), (1, 2, -1, 1)),
    "strided slice shrinks": lambda s, x: s.strided_slice(x, (0, 2, 0, 0), (1, 3, 8, 4), (1, 1, 1, 1), (False, True)),
    "transpose": lambda s, x: s.transpose(x, (0, 3, 1, 2)),
    "resize": lambda s, x: s.resize_nearest_neighbor(x, 12, 5, STEEP),
    "blend": lambda s, x: s.resize_bilinear(x, 12, 5),
    "squeeze": lambda s, x: s.squeeze(x, (0,)),
    "expand dims": lambda s, x: s.expand_dims(x, 1),
    "pack": lambda s, x: s.pack((s.reshape(x, (24, 8)), s.reshape(x, (24, 8))), 1),
    "gather": lambda s, x: s.gather(x, np.array([2, 0, 2], np.int32), 2),
    "shape": lambda s, x: s.shape_of(x),
}


@pytest.mark.parametrize("name", CASES)
def test_operator_loads_with_our_shape(name: str) -> None:
    sketch = Sketch()
    x = sketch.input(SHAPE, IN)
    y = CASES[name](sketch, x)
    model = sketch.model(y).to_bytes()
    if oracle.tflm_missing():
        pytest.skip(str(oracle.tflm_missing()))
    (output,) = oracle.tflm(model, [int8(*SHAPE)])
    assert output.shape == sketch.shape(y)
    assert output.dtype == sketch.tensors[y].dtype
    assert len(np.unique(output)) > 1


@pytest.mark.skipif(oracle.litert_missing() is not None, reason=str(oracle.litert_missing()))
@pytest.mark.parametrize("name", sorted(set(CASES) - {"fully connected rows"}))  # LiteRT wants a bias
def test_operator_loads_in_litert(name: str) -> None:
    sketch = Sketch()
    x = sketch.input(SHAPE, IN)
    y = CASES[name](sketch, x)
    (output,) = oracle.litert(sketch.model(y).to_bytes(), [int8(*SHAPE)])
    assert output.shape == sketch.shape(y)
