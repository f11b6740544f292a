"""Random 3x3 convolutions and their reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from byrote.ir import Requant, Rounding, requantize
from byrote.kernel import Layout, Storage
from byrote.ops.conv2d.winograd import Convolution
from byrote.ops.window import output_size, resolve_padding, taps
from tests.planes.splits import Rows, pixels, planes

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ConvCase:
    """A layer, its input [H, W, C] and output [OH, OW, N] as int8 values."""

    layer: Convolution
    x: Ints
    y: Ints

    def rows(self) -> Rows:
        """The input as the layer stores it."""
        data = pixels(self.x + (128 if self.layer.input.unsigned else 0))
        return Rows(data, 3, 1, self.layer.padding[0][0], len(self.y), 0)

    def expected(self, first: int = 0, rows: int | None = None) -> bytes:
        """Output rows as stored; the output is dense."""
        y = self.y[first:] if rows is None else self.y[first : first + rows]
        stored = y + (128 if self.layer.output.unsigned else 0)
        return (pixels(stored) if self.layer.output.layout is Layout.HWC else planes(stored, y.shape[1])).tobytes()


def conv_case(
    rng: np.random.Generator,
    size: tuple[int, int],
    channels: tuple[int, int],
    *,
    input_storage: Storage,
    output_storage: Storage,
    input_zero: int = -128,
    output_zero: int = -128,
    clamp: tuple[int, int] = (-128, 127),
    rounding: Rounding = Rounding.DOUBLE,
    same: bool = True,
) -> ConvCase:
    """A layer of stride 1 with random weights whose outputs use most of their range; channels: (input, output)."""
    inputs, outputs = channels
    weights = rng.integers(-127, 128, (outputs, 3, 3, inputs))
    bias = rng.integers(-2000, 2000, outputs)
    requant = Requant.of([float(v) for v in rng.uniform(30, 120, outputs) / np.sqrt(9 * inputs) / 4900], rounding)
    padding = resolve_padding(0 if same else 1, size, (3, 3), (1, 1))
    x = rng.integers(-128, 128, (*size, inputs))
    windows = taps((x - input_zero)[None], (3, 3), (1, 1), (1, 1), padding)[0]
    acc = np.einsum("hwkc,nkc->hwn", windows, weights.reshape(outputs, 9, inputs)) + bias
    y = np.clip(requantize(acc, requant) + output_zero, *clamp)
    layer = Convolution(
        weights.astype(np.int8),
        bias.astype(np.int32),
        requant,
        (1, 1),
        (1, 1),
        padding,
        input_zero,
        output_zero,
        clamp,
        size[1],
        output_size(size[1], 3, 1, *padding[1]),
        input_storage,
        output_storage,
    )
    return ConvCase(layer, x, y)
