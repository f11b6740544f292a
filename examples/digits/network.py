"""A small convolutional network in numpy: forward, backward, and Adam.

Images are (batch, rows, columns, channels). Windows are placed as TensorFlow's SAME padding places them, so that the
trained weights mean the same in a .tflite file.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass
class Parameter:
    """A trained array with its gradient and Adam's two running means."""

    value: Array
    gradient: Array = field(init=False)
    mean: Array = field(init=False)
    variance: Array = field(init=False)

    def __post_init__(self) -> None:
        self.gradient, self.mean, self.variance = (np.zeros_like(self.value) for _ in range(3))


@dataclass
class Convolution:
    """A window of size x size pixels; weights (size, size, in, out), or (size, size, channels) when depthwise."""

    weights: Parameter
    bias: Parameter
    stride: int = 1
    relu: bool = True
    depthwise: bool = False

    def forward(self, x: Array) -> Array:
        self.shape = x.shape
        self.windows = self.windows_of(x)
        form = "nhwijc,ijc->nhwc" if self.depthwise else "nhwijc,ijco->nhwo"
        y = np.einsum(form, self.windows, self.weights.value, optimize=True) + self.bias.value
        self.passed = (y > 0) | (not self.relu)
        return y * self.passed

    def backward(self, gradient: Array) -> Array:
        """The gradient of the input from that of the output; keeps those of the parameters."""
        gradient = gradient * self.passed
        form = "nhwijc,nhwc->ijc" if self.depthwise else "nhwijc,nhwo->ijco"
        self.weights.gradient = np.einsum(form, self.windows, gradient, optimize=True)
        self.bias.gradient = gradient.sum(axis=(0, 1, 2))
        return self.scatter(gradient)

    def windows_of(self, x: Array) -> Array:
        """All windows: (batch, rows, columns, size, size, channels)."""
        size = self.weights.value.shape[0]
        before, after = self.padding(x.shape[1], size)
        padded = np.pad(x, ((0, 0), (before, after), (before, after), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(1, 2))
        return windows[:, :: self.stride, :: self.stride].transpose(0, 1, 2, 4, 5, 3)

    def scatter(self, gradient: Array) -> Array:
        """Each tap of each window gives its share of the gradient back to the pixel it came from."""
        batch, rows, columns, channels = self.shape
        size = self.weights.value.shape[0]
        before, after = self.padding(rows, size)
        padded = np.zeros((batch, rows + before + after, columns + before + after, channels))
        for i, j in np.ndindex(size, size):
            tap = self.weights.value[i, j]
            share = gradient * tap if self.depthwise else gradient @ tap.T
            above = slice(i, i + self.stride * gradient.shape[1], self.stride)
            left = slice(j, j + self.stride * gradient.shape[2], self.stride)
            padded[:, above, left] += share
        return padded[:, before : before + rows, before : before + columns]

    def padding(self, rows: int, size: int) -> tuple[int, int]:
        """Rows of zeros above and below."""
        total = max((-(-rows // self.stride) - 1) * self.stride + size - rows, 0)
        return total // 2, total - total // 2


class Network:
    """A convolution, two separable ones of which the second has a residual, pooling, and a dense layer.

    8x8x1 -conv 3x3-> 8x8x8 -depthwise 3x3 /2, 1x1-> 4x4x16 -[depthwise 3x3, 1x1, + input]-> 4x4x16
          -average 2x2-> 2x2x16 -dense-> 10 logits
    """

    def __init__(self, random: np.random.Generator) -> None:
        def convolution(*shape: int, stride: int = 1, relu: bool = True) -> Convolution:
            fan_in = int(np.prod(shape[:3])) if len(shape) == 4 else int(np.prod(shape[:2]))
            weights = random.normal(size=shape) * np.sqrt(2 / fan_in)
            bias = np.zeros(shape[-1])
            return Convolution(Parameter(weights), Parameter(bias), stride, relu, depthwise=len(shape) == 3)

        self.stem = (convolution(3, 3, 1, 8), convolution(3, 3, 8, stride=2), convolution(1, 1, 8, 16))
        self.block = (convolution(3, 3, 16), convolution(1, 1, 16, 16, relu=False))
        self.dense = Parameter(random.normal(size=(64, 10)) / 8)
        self.bias = Parameter(np.zeros(10))
        convolutions = (*self.stem, *self.block)
        self.parameters = (*(p for c in convolutions for p in (c.weights, c.bias)), self.dense, self.bias)

    def forward(self, x: Array) -> tuple[Array, ...]:
        """What every layer makes, in order: 3 of the stem, 2 of the block, the sum, the pooled image, the logits."""
        made = [x]
        for layer in (*self.stem, *self.block):
            made.append(layer.forward(made[-1]))
        joined = np.maximum(made[3] + made[5], 0)
        batch, rows, columns, channels = joined.shape
        pooled = joined.reshape(batch, rows // 2, 2, columns // 2, 2, channels).mean(axis=(2, 4))
        logits = pooled.reshape(batch, -1) @ self.dense.value + self.bias.value
        return (*made[1:], joined, pooled, logits)

    def backward(self, made: tuple[Array, ...], labels: npt.NDArray[np.int64]) -> float:
        """The mean cross entropy; keeps the gradients of all parameters."""
        *_, joined, pooled, logits = made
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        gradient = exponents / exponents.sum(axis=1, keepdims=True)
        rows = np.arange(len(labels))
        loss = float(-np.log(gradient[rows, labels] + 1e-12).mean())
        gradient[rows, labels] -= 1
        gradient /= len(labels)

        self.dense.gradient = pooled.reshape(len(labels), -1).T @ gradient
        self.bias.gradient = gradient.sum(axis=0)
        spread = (gradient @ self.dense.value.T).reshape(pooled.shape) / 4
        residual = spread.repeat(2, axis=1).repeat(2, axis=2) * (joined > 0)
        inner = residual
        for layer in reversed(self.block):
            inner = layer.backward(inner)
        outer = residual + inner
        for layer in reversed(self.stem):
            outer = layer.backward(outer)
        return loss


def adam(parameters: tuple[Parameter, ...], step: int, rate: float) -> None:
    """One step of Adam (Kingma and Ba, 2015) with its usual constants; steps count from 1."""
    for p in parameters:
        p.mean = 0.9 * p.mean + 0.1 * p.gradient
        p.variance = 0.999 * p.variance + 0.001 * p.gradient**2
        p.value = p.value - rate * (p.mean / (1 - 0.9**step)) / (np.sqrt(p.variance / (1 - 0.999**step)) + 1e-8)
