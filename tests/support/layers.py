"""Convolutions and fully connected layers of real models' shapes, with weights and scales as training leaves them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from byrote.ir import Quant
from byrote.kernel import NodeView, Storage
from byrote.ops.case import case, constant, options, per_tensor, tensor
from byrote.ops.conv2d import OPERATOR as CONV_2D
from byrote.ops.fully_connected import OPERATOR as FULLY_CONNECTED
from byrote.ops.window import SAME, extent_of, output_size, resolve_padding
from tests.support.kernels import node_view

RELU = 1


@dataclass(frozen=True)
class Layer:
    """A convolution with padding SAME; `size` (0, 0): fully connected.  `relu`: clamped at the zero point."""

    name: str
    size: tuple[int, int]
    channels: int
    outputs: int
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    relu: bool = True
    unsigned_input: bool = True


LAYERS = (
    Layer("1x1 64->64", (25, 5), 64, 64),
    Layer("1x1 8->16", (24, 24), 8, 16),
    Layer("1x1 128->128", (6, 6), 128, 128),
    Layer("1x1 16->32 stride 2, signed out", (32, 32), 16, 32, stride=(2, 2), relu=False),
    Layer("3x3 16->16", (16, 16), 16, 16, (3, 3)),
    Layer("3x3 16->16, signed out", (8, 8), 16, 16, (3, 3), relu=False),
    Layer("3x3 32->64 stride 2", (16, 16), 32, 64, (3, 3), (2, 2)),
    Layer("10x4 1->64 stride 2 (first)", (49, 10), 1, 64, (10, 4), (2, 2), unsigned_input=False),
    Layer("3x3 3->8 stride 2 (first)", (48, 48), 3, 8, (3, 3), (2, 2), unsigned_input=False),
    Layer("3x3 3->8, odd width", (9, 9), 3, 8, (3, 3), unsigned_input=False),
    Layer("5x5 1->8", (11, 12), 1, 8, (5, 5)),
    Layer("5x5 3->12, more zero products for long turns", (7, 7), 3, 12, (5, 5)),
    Layer("10x8 1->8 stride 2 (first)", (24, 20), 1, 8, (10, 8), (2, 2), unsigned_input=False),
    Layer("FC 640->128", (0, 0), 640, 128, unsigned_input=False),
    Layer("FC 128->640, signed out", (0, 0), 128, 640, relu=False),
)


def view_of(layer: Layer, seed: int = 0) -> NodeView:
    """The layer with random weights, stored as `select` would inside a network."""
    rng = np.random.default_rng(seed)
    taps = layer.kernel[0] * layer.kernel[1] * layer.channels
    depth = (layer.outputs, layer.channels) if layer.size == (0, 0) else (layer.outputs, *layer.kernel, layer.channels)
    weights = np.clip(np.rint(rng.normal(0, 35, depth)), -127, 127).astype(np.int8)
    scales = tuple(float(s) for s in rng.uniform(0.003, 0.009, layer.outputs))
    x_scale = 0.05
    spread = 35 * 60 * np.sqrt(taps) * x_scale * 0.006
    output = per_tensor(float(spread / 50), -128 if layer.relu else -10)
    bias = rng.integers(-2000, 2000, layer.outputs).astype(np.int32)
    kinds = Quant(scales, (0,) * layer.outputs, 0)
    source = per_tensor(x_scale, -128 if layer.unsigned_input else 83)
    given_bias = constant(bias, Quant(tuple(x_scale * s for s in scales), (0,) * layer.outputs))
    clamp = RELU if layer.relu else 0
    if layer.size == (0, 0):
        x, out = tensor((1, layer.channels), source), tensor((1, layer.outputs), output)
        given = options(FusedActivationFunction=clamp)
        reading = FULLY_CONNECTED.read(
            case("FULLY_CONNECTED", (x, constant(weights, kinds), given_bias), (out,), given)
        )
    else:
        pad = resolve_padding(SAME, layer.size, extent_of(layer.kernel, (1, 1)), layer.stride)
        rows, columns = (output_size(layer.size[i], layer.kernel[i], layer.stride[i], *pad[i]) for i in range(2))
        x, out = tensor((1, *layer.size, layer.channels), source), tensor((1, rows, columns, layer.outputs), output)
        given = options(StrideH=layer.stride[0], StrideW=layer.stride[1], Padding=SAME, FusedActivationFunction=clamp)
        reading = CONV_2D.read(case("CONV_2D", (x, constant(weights, kinds), given_bias), (out,), given))
    plain = node_view(reading)
    storage = Storage(unsigned=layer.unsigned_input)
    return replace(plain, inputs=(storage, *plain.inputs[1:]), outputs=(Storage(unsigned=layer.relu),))
