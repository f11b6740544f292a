"""Random depthwise layers and their reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from byrote.ir import Requant, Rounding, requantize
from byrote.kernel import Layout, Storage
from byrote.ops.depthwise_conv2d.dsp import Depthwise
from byrote.ops.window import extent_of, output_size, resolve_padding, taps
from tests.planes.splits import Rows, pixels, planes

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    height: int
    width: int
    channels: int
    kernel: tuple[int, int] = (3, 3)
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    same: bool = True


@dataclass(frozen=True)
class Case:
    """A layer, its input [H, W, C] and output [OH, OW, C] as int8 values."""

    layer: Depthwise
    shape: Shape
    x: Ints
    y: Ints

    def rows(self, overread: int) -> Rows:
        """The input as the layer stores it."""
        layer = self.layer
        stored = self.x + (128 if layer.input.unsigned else 0)
        hwc = layer.input.layout is Layout.HWC
        data = pixels(stored) if hwc else planes(stored, layer.input.pitch or layer.in_width)
        extent = extent_of(self.shape.kernel, self.shape.dilation)[0]
        return Rows(data, extent, self.shape.stride[0], layer.padding[0][0], len(self.y), overread)

    def expected(self, first: int = 0, rows: int | None = None) -> bytes:
        """Output rows as stored; the output is dense."""
        y = self.y[first:] if rows is None else self.y[first : first + rows]
        stored = y + (128 if self.layer.output.unsigned else 0)
        return (pixels(stored) if self.layer.output.layout is Layout.HWC else planes(stored, y.shape[1])).tobytes()


def depthwise_case(
    rng: np.random.Generator,
    shape: Shape,
    *,
    input_storage: Storage,
    output_storage: Storage,
    input_zero: int = -128,
    output_zero: int = -128,
    clamp: tuple[int, int] = (-128, 127),
    rounding: Rounding = Rounding.DOUBLE,
    weights: Ints | None = None,
) -> Case:
    """A layer with random weights whose outputs use most of their range."""
    kernel = shape.kernel
    if weights is None:
        weights = rng.integers(-127, 128, (*kernel, shape.channels))
    bias = rng.integers(-2000, 2000, shape.channels)
    spread = np.sqrt(kernel[0] * kernel[1]) * 70 * 70
    reals = [float(v) for v in rng.uniform(20, 120, shape.channels) / spread]
    padding = resolve_padding(
        0 if shape.same else 1, (shape.height, shape.width), extent_of(kernel, shape.dilation), shape.stride
    )
    out = [
        output_size(size, extent, stride, *pads)
        for size, extent, stride, pads in zip(
            (shape.height, shape.width), extent_of(kernel, shape.dilation), shape.stride, padding, strict=True
        )
    ]
    requant = Requant.of(reals, rounding)
    x = rng.integers(-128, 128, (shape.height, shape.width, shape.channels))
    windows = taps((x - input_zero)[None], kernel, shape.stride, shape.dilation, padding)[0]
    acc = np.einsum("hwkc,kc->hwc", windows, weights.reshape(-1, shape.channels)) + bias
    y = np.clip(requantize(acc, requant) + output_zero, *clamp)
    layer = Depthwise(
        weights.astype(np.int8),
        bias.astype(np.int32),
        requant,
        shape.stride,
        shape.dilation,
        padding,
        input_zero,
        output_zero,
        clamp,
        shape.width,
        out[1],
        input_storage,
        output_storage,
    )
    return Case(layer, shape, x, y)
