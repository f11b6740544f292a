"""Random windows, weights and scales for the cases of convolutions, pools and fully connected layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from byrote.ir import Quant
from byrote.ops.case import constant, per_tensor, random_int8, random_quant, random_scale, random_zero, tensor
from byrote.ops.reading import TensorView
from byrote.ops.window import SAME, extent_of, output_size, resolve_padding


@dataclass(frozen=True)
class RandomWindow:
    """Sizes in rows and columns."""

    size: tuple[int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: int

    @property
    def output(self) -> tuple[int, int]:
        extent = extent_of(self.kernel, self.dilation)
        pad = resolve_padding(self.padding, self.size, extent, self.stride)
        return (
            output_size(self.size[0], extent[0], self.stride[0], *pad[0]),
            output_size(self.size[1], extent[1], self.stride[1], *pad[1]),
        )


def _pair(rng: np.random.Generator, low: int, high: int) -> tuple[int, int]:
    return int(rng.integers(low, high)), int(rng.integers(low, high))


def random_window(rng: np.random.Generator, *, dilated: bool = True) -> RandomWindow:
    """A window that has at least one position; kernels wider than the input occur with padding SAME."""
    while True:
        kernel = _pair(rng, 1, 5) if rng.random() < 0.6 else ((3, 3) if rng.random() < 0.7 else (1, 1))
        stride = _pair(rng, 1, 4) if rng.random() < 0.5 else (1, 1)
        dilation = _pair(rng, 1, 4) if dilated and stride == (1, 1) and rng.random() < 0.4 else (1, 1)
        window = RandomWindow(_pair(rng, 1, 10), kernel, stride, dilation, int(rng.integers(0, 2)))
        extent = extent_of(kernel, dilation)
        if window.padding == SAME or (extent[0] <= window.size[0] and extent[1] <= window.size[1]):
            return window


def random_input(rng: np.random.Generator, shape: Sequence[int]) -> TensorView:
    """A computed int8 tensor of random quantisation."""
    return tensor(shape, random_quant(rng))


def random_weights(
    rng: np.random.Generator, x: TensorView, shape: tuple[int, ...], axis: int
) -> tuple[TensorView, TensorView | None]:
    """int8 weights, now and then with a dead channel, and a bias that is absent now and then."""
    channels = shape[axis]
    single = rng.random() < 0.3
    scales = [random_scale(rng, 0.001, 0.05) for _ in range(1 if single else channels)]
    if len(scales) > 1 and rng.random() < 0.05:
        scales[0] = 0.0
    weights = constant(random_int8(rng, shape), Quant(tuple(scales), (0,) * len(scales), 0 if single else axis))
    if rng.random() < 0.1:
        return weights, None
    largest = int(rng.choice([10, 1000, 30000]))
    bias = rng.integers(-largest, largest + 1, channels).astype(np.int32)
    products = tuple(float(np.float32(x.scale * scale)) for scale in scales)
    return weights, constant(bias, Quant(products, (0,) * len(products)))


def random_output(rng: np.random.Generator, x: TensorView, weights: TensorView, terms: int) -> Quant:
    """An output scale that spreads sums over the range; now and then so small that the multiplier exceeds 1."""
    if rng.random() < 0.08:
        return per_tensor(x.scale * max(weights.quant.scales) / float(rng.uniform(0.5, 6)), random_zero(rng))
    typical = 73 * 73 * np.sqrt(terms) * x.scale * max(weights.quant.scales) / 50
    return per_tensor(float(typical * rng.uniform(0.3, 3)), random_zero(rng))
