"""Hypothesis strategies for small random int8 models that the reference interpreters take.

A model grows step by step from its input: each step applies an operator to a tensor made before (mostly the last), so
that chains, branches, residuals and dead ends all occur. Shapes stay small (a few hundred elements); strides, paddings,
dilations, fused activations, zero points and scales are drawn, multipliers over 1 among them. Weights come from one
drawn seed, so that hypothesis shrinks the structure and not a thousand numbers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from tflite.BuiltinOperator import BuiltinOperator as Code

from tests.support import options as table
from tests.support.options import EmptyOptions
from tests.support.sketch import SOFTMAX_QUANT, TANH_QUANT, Sketch, per_tensor
from tests.support.tflite_builder import ModelSpec, QuantSpec, TensorSpec

Array = npt.NDArray[np.generic]
LARGEST = 600
"""Elements of the largest tensor."""


@st.composite
def random_graph(
    draw: st.DrawFn, operators: Sequence[str] = (), largest_depth: int = 6, biases: bool = False
) -> ModelSpec:
    """A valid model of 1 to `largest_depth` steps over `operators` (default BASIC; see also MORE), then often a head.

    With `biases` every convolution and dense layer has a bias, as LiteRT wants it.
    """
    grower = _Grower(draw, biases)
    for _ in range(draw(st.integers(1, largest_depth))):
        grower.step(draw(st.sampled_from(operators or BASIC)))
    if draw(st.booleans()):
        grower.head()
    return grower.finish()


def inputs_of(spec: ModelSpec, seed: int) -> tuple[Array, ...]:
    """Inputs for a model: as the seed counts up by turns random, all lowest, all highest, and both alternating."""
    graph = spec.subgraphs[0]
    return tuple(_input(graph.tensors[index], seed) for index in graph.inputs or ())


def shuffled(spec: ModelSpec, seed: int) -> ModelSpec:
    """The same model with its operators listed in a random order, which is odd, but legal."""
    random = np.random.default_rng(seed)
    graphs = [
        dataclasses.replace(
            graph, operators=tuple(graph.operators[i] for i in random.permutation(len(graph.operators)))
        )
        for graph in spec.subgraphs
    ]
    return dataclasses.replace(spec, subgraphs=tuple(graphs))


def _input(tensor: TensorSpec, seed: int) -> Array:
    shape = tensor.shape or ()
    values = np.random.default_rng(seed).integers(-128, 128, shape)
    kind = seed % 4
    if kind:
        values = np.resize([(-128, -128), (127, 127), (-128, 127)][kind - 1], shape)
    return values.astype(np.int8) if tensor.dtype == "int8" else (values / 32).astype(np.float32)


class _Grower:
    """A model in growth: `tensors` are the activations that a step may read, newest last."""

    def __init__(self, draw: st.DrawFn, biases: bool) -> None:
        self.draw = draw
        self.biases = biases
        self.random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        self.sketch = Sketch()
        self.tensors: list[int] = []
        rows, columns = draw(st.integers(1, 9)), draw(st.integers(1, 9))
        shape = (1, rows, columns, draw(st.integers(1, 6)))
        floating = draw(st.integers(0, 7)) == 7
        x = self.sketch.input(shape, None, "float32") if floating else self.sketch.input(shape, self.quant())
        self.tensors.append(self.sketch.quantize(x, self.quant()) if floating else x)

    def step(self, operator: str) -> None:
        """One operator more; it is left out where no tensor suits it."""
        made = _STEPS[operator](self, self.pick())
        self.tensors.extend(tensor for tensor in made if math.prod(self.sketch.shape(tensor)) <= LARGEST)

    def head(self) -> None:
        """A classifier: the mean or all of the last tensor, a dense layer, softmax."""
        x = self.tensors[-1]
        if self.draw(st.booleans()):
            x = self.sketch.mean(x, (1, 2), self.quant())
        elif self.draw(st.booleans()):
            x = self.sketch.reshape(x, (1, -1))
        y = self.fully_connected(x)
        self.tensors.append(self.sketch.softmax(y) if self.draw(st.booleans()) else y)

    def finish(self) -> ModelSpec:
        """The last tensor is an output, any other dead end perhaps: those that are not stay as dead code."""
        read = {tensor for operator in self.sketch.operators for tensor in operator.inputs or ()}
        last = self.tensors[-1] if self.sketch.operators else self.sketch.reshape(self.tensors[-1], (-1,))
        ends = [tensor for tensor in self.tensors[:-1] if tensor not in read and tensor not in self.sketch.inputs]
        outputs = [end for end in ends if self.draw(st.booleans())]
        if self.draw(st.integers(0, 7)) == 7:
            last = self.sketch.dequantize(last)
        return self.sketch.model(last, *outputs)

    # What is drawn

    def pick(self) -> int:
        """A tensor to read: in three of four cases the newest that is not tiny, so that a mean seldom ends it all."""
        large = [tensor for tensor in self.tensors if math.prod(self.sketch.shape(tensor)) > 8]
        return large[-1] if large and self.draw(st.integers(0, 3)) else self.draw(st.sampled_from(self.tensors))

    def quant(self, scale: float | None = None) -> QuantSpec:
        """An activation's quantisation; a zero point at an end of the range is rare (RELU leaves nothing above 127)."""
        drawn = self.draw(st.integers(-6, 0)) if scale is None else 0
        zero_point = self.draw(st.sampled_from((0, -128, *[None] * 7, 127)))
        zero_point = int(self.random.integers(-128, 80)) if zero_point is None else zero_point
        exact = (scale or 0.3 * 2.0**drawn) * self.random.uniform(0.7, 1.4)
        return per_tensor(float(np.float32(exact)), zero_point)

    def activation(self) -> int:
        return self.draw(st.sampled_from((*[table.NONE] * 4, table.RELU, table.RELU, table.RELU6, table.RELU_N1_TO_1)))

    def padding(self, shape: Sequence[int], height: int, width: int) -> int:
        """SAME, or VALID where the window fits."""
        fits = height <= shape[1] and width <= shape[2]
        return self.draw(st.sampled_from((table.SAME, table.VALID))) if fits else table.SAME

    def weights(self, *shape: int) -> npt.NDArray[np.int8]:
        """Random, or all at the ends of the range (the largest sums)."""
        values = self.random.integers(-127, 128, shape)
        if self.draw(st.integers(0, 7)) == 7:
            values = np.where(values > 0, 127, -127)
        return values.astype(np.int8)

    def weight_scales(self, count: int) -> tuple[float, ...]:
        return tuple(float(np.float32(0.01 * 2.0 ** self.random.uniform(-2, 2))) for _ in range(count))

    def bias(self, channels: int, depth: int) -> npt.NDArray[np.int32] | None:
        """As large as the sums that it is added to."""
        if not self.biases and self.draw(st.integers(0, 5)) == 5:
            return None
        largest = round(5000 * math.sqrt(depth))
        return self.random.integers(-largest, largest + 1, channels).astype(np.int32)

    def sum_quant(self, x: int, weight_scale: float, depth: int) -> QuantSpec:
        """For an output that is a sum of `depth` products: mostly spread over the range, else clipped or all alike.

        The far end makes multipliers up to about 4; sums stay under 2^24, so that none overflows 32 bits on the way.
        """
        step = self.sketch.scale(x) * weight_scale
        spread = step * 5000 * math.sqrt(depth) / 60
        gain = self.draw(st.sampled_from((*[1.0] * 7, 0.1, 8.0, 0.0)))
        return self.quant(max(spread * gain, step / 3))

    # Layers

    def convolution(
        self, x: int, channels: int | None = None, to: QuantSpec | None = None, steady: bool = False
    ) -> int:
        """CONV_2D; a steady one keeps rows and columns."""
        _, rows, columns, depth = self.sketch.shape(x)
        height, width = self.draw(st.integers(1, 4)), self.draw(st.integers(1, 4))
        dilation_h, dilation_w = (1, 1) if steady else (self.dilation(height), self.dilation(width))
        spans = ((height - 1) * dilation_h + 1, (width - 1) * dilation_w + 1)
        layer = table.Conv2DOptions(
            table.SAME if steady else self.padding((1, rows, columns), *spans),
            *((1, 1) if steady else self.strides(dilation_h, dilation_w)),
            self.activation(),
            dilation_w,
            dilation_h,
        )
        channels = channels or self.draw(st.integers(1, 8))
        scales = self.weight_scales(channels)
        taps = height * width * depth
        weights, bias = self.weights(channels, height, width, depth), self.bias(channels, taps)
        to = to or self.sum_quant(x, max(scales), taps)
        return self.sketch.conv2d(x, weights, bias, scales, to, layer)

    def depthwise(self, x: int) -> int:
        _, rows, columns, depth = self.sketch.shape(x)
        height, width = self.draw(st.integers(1, 4)), self.draw(st.integers(1, 4))
        dilation_h, dilation_w = self.dilation(height), self.dilation(width)
        spans = ((height - 1) * dilation_h + 1, (width - 1) * dilation_w + 1)
        layer = table.DepthwiseConv2DOptions(
            self.padding((1, rows, columns), *spans),
            *self.strides(dilation_h, dilation_w),
            1,
            self.activation(),
            dilation_w,
            dilation_h,
        )
        channels = depth * self.draw(st.sampled_from((1, 1, 1, 2, 3)))
        scales = self.weight_scales(channels)
        weights, bias = self.weights(1, height, width, channels), self.bias(channels, height * width)
        return self.sketch.depthwise_conv2d(
            x, weights, bias, scales, self.sum_quant(x, max(scales), height * width), layer
        )

    def fully_connected(self, x: int) -> int:
        depth = math.prod(self.sketch.shape(x))
        channels = self.draw(st.integers(1, 12))
        scales = self.weight_scales(self.draw(st.sampled_from((1, 1, channels))))
        weights, bias = self.weights(channels, depth), self.bias(channels, depth)
        layer = table.FullyConnectedOptions(self.activation())
        return self.sketch.fully_connected(x, weights, bias, scales, self.sum_quant(x, max(scales), depth), layer)

    def strides(self, dilation_h: int, dilation_w: int) -> tuple[int, int]:
        """Width and height; interpreters do not combine strides with dilation."""
        if max(dilation_h, dilation_w) > 1:
            return 1, 1
        stride = st.sampled_from((1, 1, 1, 2, 2, 3))
        return self.draw(stride), self.draw(stride)

    def dilation(self, size: int) -> int:
        return self.draw(st.sampled_from((1, 1, 1, 1, 2, 3))) if size > 1 else 1

    def pool(self, code: int, x: int) -> int:
        shape = self.sketch.shape(x)
        height, width = (self.draw(st.sampled_from((1, 2, 2, 3, 4, size))) for size in shape[1:3])
        padding = self.padding(shape, height, width)
        strides = self.strides(1, 1)
        return self.sketch.pool(code, x, table.Pool2DOptions(padding, *strides, width, height, self.activation()))

    def join(self, code: int, x: int, other: int) -> int:
        """A sum, difference or product of two tensors, in a scale of about the larger one's."""
        larger = max(self.sketch.scale(x), self.sketch.scale(other))
        to = self.quant(larger * 2.0 ** self.draw(st.integers(-2, 2)))
        kinds = {Code.ADD: table.AddOptions, Code.SUB: table.SubOptions, Code.MUL: table.MulOptions}
        return self.sketch.binary(code, x, other, to, kinds[code](self.activation()))

    def add(self, x: int) -> int:
        """x with any tensor of its shape: an older one, a new layer's, or itself."""
        alike = [tensor for tensor in self.tensors if self.sketch.shape(tensor) == self.sketch.shape(x)]
        if self.draw(st.booleans()):
            alike.append(self.convolution(x, self.sketch.shape(x)[3], steady=True))
        return self.join(Code.ADD, x, self.draw(st.sampled_from(alike)))

    def second_input(self, x: int) -> int:
        other = self.sketch.input(self.sketch.shape(x), self.quant())
        self.tensors.append(other)
        return self.join(Code.ADD, other, x)

    def pad(self, x: int) -> int:
        sides = st.integers(0, 2)
        paddings = [(self.draw(sides), self.draw(sides)) for _ in range(2)]
        channels = (0, self.draw(st.sampled_from((0, 0, 0, 1))))
        return self.sketch.pad(x, ((0, 0), *paddings, channels))

    def reshape(self, x: int) -> int:
        batch, rows, columns, channels = self.sketch.shape(x)
        shapes = ((batch, columns, rows, channels), (batch, 1, rows * columns, channels), (batch, rows, 1, -1))
        return self.sketch.reshape(x, self.draw(st.sampled_from(shapes)), self.draw(st.booleans()))

    def window(self, x: int, strided: bool) -> int:
        """SLICE or STRIDED_SLICE of a part of every axis."""
        shape = self.sketch.shape(x)
        begin = [self.draw(st.integers(0, size - 1)) for size in shape]
        size = [self.draw(st.integers(1, whole - first)) for whole, first in zip(shape, begin, strict=True)]
        if not strided:
            return self.sketch.slice(x, begin, size)
        end = [first + count for first, count in zip(begin, size, strict=True)]
        return self.sketch.strided_slice(x, begin, end, [self.draw(st.integers(1, 2)) for _ in shape])

    def channel_constant(self, x: int, quant: QuantSpec) -> int:
        values = self.random.integers(-128, 128, (1, 1, 1, self.sketch.shape(x)[3])).astype(np.int8)
        return self.sketch.constant(values, quant)

    def like(self, x: int) -> QuantSpec:
        return self.sketch.quant(x) or self.quant()

    def prelu(self, x: int) -> int:
        alpha = self.random.integers(-127, 128, (1, 1, self.sketch.shape(x)[3])).astype(np.int8)
        return self.sketch.prelu(x, alpha, self.quant(0.01), self.quant(self.sketch.scale(x)))

    def concatenation(self, x: int) -> int:
        parts = (x, self.convolution(x, to=self.like(x), steady=True))
        return self.sketch.concatenation(parts if self.draw(st.booleans()) else parts[::-1], 3)

    def split(self, x: int) -> tuple[int, ...]:
        axis = self.draw(st.integers(1, 3))
        size = self.sketch.shape(x)[axis]
        counts = [count for count in (1, 2, 3) if size % count == 0]
        return self.sketch.split(x, axis, self.draw(st.sampled_from(counts)))

    def resize(self, x: int, *, blend: bool = False) -> int:
        height, width = self.draw(st.integers(1, 9)), self.draw(st.integers(1, 9))
        aligned, centred = self.draw(st.sampled_from(((False, False), (True, False), (False, True))))
        if blend:
            return self.sketch.resize_bilinear(
                x, height, width, table.ResizeBilinearOptions(None, None, aligned, centred)
            )
        layer = table.ResizeNearestNeighborOptions(aligned, centred)
        return self.sketch.resize_nearest_neighbor(x, height, width, layer)


_Step = Callable[[_Grower, int], tuple[int, ...]]


def _one(method: Callable[[_Grower, int], int]) -> _Step:
    return lambda grower, x: (method(grower, x),)


_BASIC: dict[str, _Step] = {
    "CONV_2D": _one(lambda g, x: g.convolution(x)),
    "DEPTHWISE_CONV_2D": _one(lambda g, x: g.depthwise(x)),
    "ADD": _one(lambda g, x: g.add(x)),
    "second input": _one(lambda g, x: g.second_input(x)),
    "AVERAGE_POOL_2D": _one(lambda g, x: g.pool(Code.AVERAGE_POOL_2D, x)),
    "MAX_POOL_2D": _one(lambda g, x: g.pool(Code.MAX_POOL_2D, x)),
    "MEAN": _one(lambda g, x: g.sketch.mean(x, (1, 2), g.quant(g.sketch.scale(x) / 2), keep_dims=True)),
    "SOFTMAX": _one(lambda g, x: g.sketch.softmax(x)),
    "RESHAPE": _one(lambda g, x: g.reshape(x)),
    "PAD": _one(lambda g, x: g.pad(x)),
    "RELU": _one(lambda g, x: g.sketch.unary(Code.RELU, x, g.quant(g.sketch.scale(x)))),
    "RELU6": _one(lambda g, x: g.sketch.unary(Code.RELU6, x)),
    "QUANTIZE": _one(lambda g, x: g.sketch.quantize(x, g.quant(g.sketch.scale(x)))),
}
_MORE: dict[str, _Step] = {
    "SUB": _one(lambda g, x: g.join(Code.SUB, x, g.channel_constant(x, g.quant(g.sketch.scale(x))))),
    "MUL": _one(lambda g, x: g.join(Code.MUL, x, g.channel_constant(x, g.quant(0.01)))),
    "square": _one(lambda g, x: g.join(Code.MUL, x, x)),
    "MINIMUM": _one(lambda g, x: g.sketch.binary(Code.MINIMUM, x, g.channel_constant(x, g.like(x)), g.like(x))),
    "MAXIMUM": _one(lambda g, x: g.sketch.binary(Code.MAXIMUM, x, g.channel_constant(x, g.like(x)), g.like(x))),
    "LOGISTIC": _one(lambda g, x: g.sketch.unary(Code.LOGISTIC, x, SOFTMAX_QUANT)),
    "TANH": _one(lambda g, x: g.sketch.unary(Code.TANH, x, TANH_QUANT)),
    "LEAKY_RELU": _one(lambda g, x: g.sketch.leaky_relu(x, 0.1, g.quant(g.sketch.scale(x)))),
    "PRELU": _one(lambda g, x: g.prelu(x)),
    "HARD_SWISH": _one(
        lambda g, x: g.sketch.unary(
            Code.HARD_SWISH, x, g.quant(g.sketch.scale(x)), EmptyOptions("HardSwishOptions"), version=1
        )
    ),
    "ABS": _one(
        lambda g, x: g.sketch.unary(Code.ABS, x, g.quant(g.sketch.scale(x)), EmptyOptions("AbsOptions"), version=1)
    ),
    "CONCATENATION": _one(lambda g, x: g.concatenation(x)),
    "SPLIT": lambda g, x: g.split(x),
    "SLICE": _one(lambda g, x: g.window(x, strided=False)),
    "STRIDED_SLICE": _one(lambda g, x: g.window(x, strided=True)),
    "TRANSPOSE": _one(lambda g, x: g.sketch.transpose(x, g.draw(st.permutations((1, 2, 3)).map(lambda p: (0, *p))))),
    "RESIZE_NEAREST_NEIGHBOR": _one(lambda g, x: g.resize(x)),
    "RESIZE_BILINEAR": _one(lambda g, x: g.resize(x, blend=True)),
}
_STEPS = _BASIC | _MORE
BASIC = tuple(_BASIC)
"""Steps over the operators of plain convolutional classifiers."""
MORE = tuple(_MORE)
"""Steps over the other int8 operators of convolutional models."""
