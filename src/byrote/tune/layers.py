"""Random layers of the sizes that real networks have: what the cost model is fitted to.

Values do not matter, because no instruction depends on them; zero points and weights are such that every kernel's
proofs have a chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from byrote.ir import Quant
from byrote.ops import OPERATORS
from byrote.ops.case import GivenOptions, case, constant, options, per_tensor, random_scale, tensor
from byrote.ops.reading import OperatorView, TensorView
from byrote.ops.window import output_size

_WIDTHS = (1, 4, 5, 6, 8, 10, 12, 16, 20, 24, 25, 32, 40, 48)
_CHANNELS = (8, 10, 12, 16, 24, 32, 40, 48, 64, 96, 128)
_BUDGET = 600_000
"""Multiply-accumulates of one layer, at most: the emulator's time."""

Generator = np.random.Generator
Layer = Callable[[Generator], OperatorView]


def _pick(rng: Generator, values: Sequence[int]) -> int:
    return int(values[int(rng.integers(len(values)))])


def _map(rng: Generator) -> tuple[int, int]:
    width = _pick(rng, _WIDTHS)
    return (width if rng.random() < 0.6 else _pick(rng, _WIDTHS)), width


def _activation(rng: Generator, shape: Sequence[int]) -> TensorView:
    zero = -128 if rng.random() < 0.7 else int(rng.integers(-128, 128))
    return tensor(shape, per_tensor(random_scale(rng, 0.01, 0.1), zero))


def _weights(rng: Generator, x: TensorView, shape: tuple[int, ...], axis: int) -> tuple[TensorView, TensorView]:
    scales = tuple(random_scale(rng, 0.002, 0.02) for _ in range(shape[axis]))
    values = np.clip(np.rint(rng.normal(0, 30, shape)), -127, 127).astype(np.int8)
    bias = rng.integers(-2000, 2001, shape[axis]).astype(np.int32)
    products = tuple(float(np.float32(x.scale * scale)) for scale in scales)
    zeros = (0,) * len(scales)
    return constant(values, Quant(scales, zeros, axis)), constant(bias, Quant(products, zeros))


def _result(rng: Generator, x: TensorView, weights: TensorView, terms: int, shape: Sequence[int]) -> TensorView:
    zero = -128 if rng.random() < 0.7 else int(rng.integers(-60, 60))
    scale = 74 * 30 * np.sqrt(terms) * x.scale * max(weights.quant.scales) / 60
    return tensor(shape, per_tensor(float(scale), zero))


def _window(rng: Generator, kernel: tuple[int, int]) -> tuple[tuple[int, int], int, GivenOptions]:
    """(stride, padding, options) of a window."""
    stride = (1, 1) if rng.random() < 0.65 else (2, 2)
    same = int(rng.random() < 0.25)
    relu = int(rng.random() < 0.7)
    given = options(
        StrideH=stride[0],
        StrideW=stride[1],
        DilationHFactor=1,
        DilationWFactor=1,
        DepthMultiplier=1,
        FilterHeight=kernel[0],
        FilterWidth=kernel[1],
        Padding=same,
        FusedActivationFunction=relu,
    )
    return stride, same, given


def _output(size: tuple[int, int], kernel: tuple[int, int], stride: tuple[int, int], valid: int) -> tuple[int, int]:
    def one(axis: int) -> int:
        if not valid:
            return -(-size[axis] // stride[axis])
        return output_size(size[axis], kernel[axis], stride[axis], 0, 0)

    return one(0), one(1)


def _kernel(rng: Generator, size: tuple[int, int]) -> tuple[int, int]:
    kernel = _pick(rng, (1, 1, 3, 3, 3, 5, 0))
    if kernel:
        return min(kernel, size[0]), min(kernel, size[1])
    return min(size[0], _pick(rng, (1, 4, 10))), min(size[1], _pick(rng, (3, 4)))


def _convolution(rng: Generator) -> OperatorView:
    while True:
        size = _map(rng)
        kernel = _kernel(rng, size)
        first = rng.random() < 0.2
        channels, outputs = _pick(rng, (1, 2, 3, 4)) if first else _pick(rng, _CHANNELS), _pick(rng, _CHANNELS)
        stride, valid, given = _window(rng, kernel)
        if kernel == (1, 1) and rng.random() < 0.4:
            outputs = channels
        out = _output(size, kernel, stride, valid)
        if out[0] * out[1] * outputs * channels * kernel[0] * kernel[1] <= _BUDGET:
            break
    x = _activation(rng, (1, *size, channels))
    weights, bias = _weights(rng, x, (outputs, *kernel, channels), 0)
    y = _result(rng, x, weights, channels * kernel[0] * kernel[1], (1, *out, outputs))
    return case("CONV_2D", (x, weights, bias), (y,), given)


def _depthwise(rng: Generator) -> OperatorView:
    while True:
        size = _map(rng)
        kernel = (3, 3) if min(size) >= 3 and rng.random() < 0.7 else _kernel(rng, size)
        channels = _pick(rng, _CHANNELS)
        stride, valid, given = _window(rng, kernel)
        out = _output(size, kernel, stride, valid)
        if out[0] * out[1] * channels * kernel[0] * kernel[1] <= _BUDGET:
            break
    x = _activation(rng, (1, *size, channels))
    weights, bias = _weights(rng, x, (1, *kernel, channels), 3)
    y = _result(rng, x, weights, kernel[0] * kernel[1], (1, *out, channels))
    return case("DEPTHWISE_CONV_2D", (x, weights, bias), (y,), given)


def _dense(rng: Generator) -> OperatorView:
    depth = _pick(rng, (8, 16, 64, 100, 128, 196, 256, 512, 640, 1024))
    outputs = _pick(rng, (1, 2, 3, 10, 12, 16, 40, 64, 128, 256))
    x = _activation(rng, (1, depth))
    weights, bias = _weights(rng, x, (outputs, depth), 0)
    scales = weights.quant.scales[:1]
    weights = constant(weights.constant("weights"), Quant(scales, (0,)))
    bias = constant(bias.constant("bias"), Quant((float(np.float32(x.scale * scales[0])),), (0,)))
    y = _result(rng, x, weights, depth, (1, outputs))
    return case("FULLY_CONNECTED", (x, weights, bias), (y,), options(FusedActivationFunction=int(rng.random() < 0.5)))


def _pool(name: str) -> Layer:
    def layer(rng: Generator) -> OperatorView:
        while True:
            size = _map(rng)
            whole = rng.random() < 0.4
            kernel = size if whole else (min(size[0], _pick(rng, (2, 3))), min(size[1], _pick(rng, (2, 3))))
            _, valid, given = _window(rng, kernel)
            channels = _pick(rng, _CHANNELS)
            if whole:
                stride, valid = kernel, 1
            else:
                stride = (2, 2) if rng.random() < 0.8 else (1, 1)
            entries = {**dict(given.entries), "StrideH": stride[0], "StrideW": stride[1], "Padding": valid}
            out = _output(size, kernel, stride, valid)
            if out[0] * out[1] * channels * kernel[0] * kernel[1] <= _BUDGET and kernel[0] * kernel[1] <= 900:
                break
        x = _activation(rng, (1, *size, channels))
        y = tensor((1, *out, channels), x.type.quant)
        return case(name, (x,), (y,), GivenOptions(tuple({**entries, "FusedActivationFunction": 0}.items())))

    return layer


def _pair(name: str) -> Layer:
    def layer(rng: Generator) -> OperatorView:
        size = _map(rng)
        shape = (1, *size, _pick(rng, _CHANNELS))
        x, z = _activation(rng, shape), _activation(rng, shape)
        y = tensor(shape, per_tensor(x.scale + z.scale, -128))
        return case(name, (x, z), (y,), options(FusedActivationFunction=int(rng.random() < 0.5)))

    return layer


def _softmax(rng: Generator) -> OperatorView:
    x = _activation(rng, (1, _pick(rng, (2, 3, 4, 6, 10, 12, 20, 35, 64, 100))))
    return case("SOFTMAX", (x,), (tensor(x.type.shape, per_tensor(1 / 256, -128)),), options(Beta=1.0))


_LAYERS: dict[str, Layer] = {
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": _dense,
    "AVERAGE_POOL_2D": _pool("AVERAGE_POOL_2D"),
    "MAX_POOL_2D": _pool("MAX_POOL_2D"),
    "ADD": _pair("ADD"),
    "SUB": _pair("SUB"),
    "MUL": _pair("MUL"),
    "SOFTMAX": _softmax,
}
_CASES = {operator.names[0]: operator.cases for operator in OPERATORS}


def random_layer(name: str, rng: Generator, *, odd: bool = False) -> OperatorView:
    """One operator that files call `name`, as real networks have it; `odd`: one of those that its tests use."""
    layer = _LAYERS.get(name)
    if layer is None or odd:
        return _CASES[name](rng, 1)[0]
    return layer(rng)
