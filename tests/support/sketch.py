"""Valid models in few words: a Sketch takes operators one after another, works out shapes, and gives a ModelSpec.

    sketch = Sketch()
    x = sketch.input((1, 8, 8, 3), per_tensor(0.05, -3))
    y = sketch.conv2d(x, weights, bias, (0.01,) * 4, to=per_tensor(0.1), options=Conv2DOptions(stride_w=2, stride_h=2))
    data = sketch.model(sketch.softmax(sketch.reshape(y, (1, -1)))).to_bytes()

Tensors are the indices that the file uses. `to` is the quantisation of an operator's output; operators that may not
rescale keep their input's. Operator versions are those of the int8 forms, as converters write them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from tflite.BuiltinOperator import BuiltinOperator as Code

from tests.support import options as table
from tests.support.options import Conv2DOptions, DepthwiseConv2DOptions, EmptyOptions, Options, Pool2DOptions
from tests.support.tflite_builder import ModelSpec, OperatorSpec, QuantSpec, TensorSpec, constant, model

Array = npt.NDArray[np.generic]
SOFTMAX_QUANT = QuantSpec((1 / 256,), (-128,))
TANH_QUANT = QuantSpec((1 / 128,), (0,))


def per_tensor(scale: float, zero_point: int = 0) -> QuantSpec:
    """The quantisation of an activation."""
    return QuantSpec((scale,), (zero_point,))


class Sketch:
    """A model of one subgraph in the making."""

    def __init__(self) -> None:
        self.tensors: list[TensorSpec] = []
        self.operators: list[OperatorSpec] = []
        self.inputs: list[int] = []

    def model(self, *outputs: int) -> ModelSpec:
        return model(self.tensors, self.operators, self.inputs, outputs)

    # Tensors

    def add(self, tensor: TensorSpec) -> int:
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def tensor(self, shape: Sequence[int], quant: QuantSpec | None, dtype: str | int = "int8", name: str = "") -> int:
        return self.add(TensorSpec(name or f"t{len(self.tensors)}", tuple(shape), dtype, quant))

    def input(self, shape: Sequence[int], quant: QuantSpec | None, dtype: str = "int8", name: str = "") -> int:
        self.inputs.append(self.tensor(shape, quant, dtype, name))
        return self.inputs[-1]

    def constant(self, array: Array, quant: QuantSpec | None = None, name: str = "") -> int:
        return self.add(constant(name or f"c{len(self.tensors)}", array, quant))

    def ints(self, *values: int) -> int:
        """A constant vector of int32, such as a shape."""
        return self.constant(np.array(values, np.int32))

    def shape(self, tensor: int) -> tuple[int, ...]:
        return self.tensors[tensor].shape or ()

    def quant(self, tensor: int) -> QuantSpec | None:
        return self.tensors[tensor].quant

    def scale(self, tensor: int) -> float:
        quant = self.quant(tensor)
        return quant.scales[0] if quant and quant.scales else 1.0

    # Operators

    def operator(
        self, code: int, inputs: Sequence[int], outputs: Sequence[int], options: Options | None = None, version: int = 1
    ) -> None:
        self.operators.append(OperatorSpec(code, tuple(inputs), tuple(outputs), options, version))

    def unary(
        self,
        code: int,
        x: int,
        to: QuantSpec | None = None,
        options: Options | None = None,
        shape: Sequence[int] | None = None,
        more: Sequence[int] = (),
        version: int = 2,
    ) -> int:
        """An operator with one output like its input, but for what `to` and `shape` say; `more` are further inputs."""
        like = self.tensors[x]
        y = self.tensor(self.shape(x) if shape is None else shape, to or like.quant, like.dtype)
        self.operator(code, (x, *more), (y,), options, version)
        return y

    def conv2d(
        self,
        x: int,
        weights: npt.NDArray[np.int8],
        bias: npt.NDArray[np.int32] | None,
        weight_scales: Sequence[float],
        to: QuantSpec,
        options: Conv2DOptions | None = None,
    ) -> int:
        """Weights (out channels, height, width, in channels), one scale per out channel."""
        options = options or Conv2DOptions()
        channels, height, width, _ = weights.shape
        more = self.parameters(x, weights, bias, weight_scales, axis=0)
        batch, rows, columns, _ = self.shape(x)
        rows = _window(rows, height, options.stride_h, options.dilation_h, options.padding)
        columns = _window(columns, width, options.stride_w, options.dilation_w, options.padding)
        return self.unary(Code.CONV_2D, x, to, options, (batch, rows, columns, channels), more, version=3)

    def depthwise_conv2d(
        self,
        x: int,
        weights: npt.NDArray[np.int8],
        bias: npt.NDArray[np.int32] | None,
        weight_scales: Sequence[float],
        to: QuantSpec,
        options: DepthwiseConv2DOptions | None = None,
    ) -> int:
        """Weights (1, height, width, in channels * multiplier), one scale per out channel."""
        options = options or DepthwiseConv2DOptions()
        _, height, width, channels = weights.shape
        batch, rows, columns, in_channels = self.shape(x)
        options = replace(options, depth_multiplier=channels // in_channels)
        more = self.parameters(x, weights, bias, weight_scales, axis=3)
        rows = _window(rows, height, options.stride_h, options.dilation_h, options.padding)
        columns = _window(columns, width, options.stride_w, options.dilation_w, options.padding)
        return self.unary(Code.DEPTHWISE_CONV_2D, x, to, options, (batch, rows, columns, channels), more, version=3)

    def fully_connected(
        self,
        x: int,
        weights: npt.NDArray[np.int8],
        bias: npt.NDArray[np.int32] | None,
        weight_scales: Sequence[float],
        to: QuantSpec,
        options: table.FullyConnectedOptions | None = None,
    ) -> int:
        """Weights (out channels, inputs); any leading axes of x become the batch, or stay with keep_num_dims."""
        options = options or table.FullyConnectedOptions()
        channels, depth = weights.shape
        more = self.parameters(x, weights, bias, weight_scales, axis=0)
        shape = self.shape(x)[:-1] if options.keep_num_dims else (math.prod(self.shape(x)) // depth,)
        return self.unary(Code.FULLY_CONNECTED, x, to, options, (*shape, channels), more, version=4)

    def parameters(
        self,
        x: int,
        weights: npt.NDArray[np.int8],
        bias: npt.NDArray[np.int32] | None,
        weight_scales: Sequence[float],
        axis: int,
    ) -> tuple[int, ...]:
        """Constant weights and bias of a layer that reads x."""
        zeros = (0,) * len(weight_scales)
        w = self.constant(weights, QuantSpec(tuple(weight_scales), zeros, axis))
        if bias is None:
            return (w,)
        scales = tuple(self.scale(x) * scale for scale in weight_scales)
        return w, self.constant(bias, QuantSpec(scales, zeros))

    def binary(self, code: int, a: int, b: int, to: QuantSpec, options: Options | None = None) -> int:
        """ADD, SUB, MUL, MINIMUM, MAXIMUM with broadcasting."""
        shape = np.broadcast_shapes(self.shape(a), self.shape(b))
        defaults = {Code.ADD: table.AddOptions(), Code.SUB: table.SubOptions(), Code.MUL: table.MulOptions()}
        options = options or defaults.get(code, EmptyOptions("MaximumMinimumOptions"))
        return self.unary(code, a, to, options, shape, (b,))

    def add_tensors(self, a: int, b: int, to: QuantSpec, activation: int = table.NONE) -> int:
        return self.binary(Code.ADD, a, b, to, table.AddOptions(activation))

    def pool(self, code: int, x: int, options: Pool2DOptions) -> int:
        """AVERAGE_POOL_2D or MAX_POOL_2D."""
        batch, rows, columns, channels = self.shape(x)
        rows = _window(rows, options.filter_height, options.stride_h, 1, options.padding)
        columns = _window(columns, options.filter_width, options.stride_w, 1, options.padding)
        return self.unary(code, x, options=options, shape=(batch, rows, columns, channels))

    def softmax(self, x: int, beta: float = 1.0) -> int:
        return self.unary(Code.SOFTMAX, x, SOFTMAX_QUANT, table.SoftmaxOptions(beta))

    def mean(self, x: int, axes: Sequence[int], to: QuantSpec, keep_dims: bool = False, code: int = Code.MEAN) -> int:
        """MEAN, or another reduction of the same form."""
        shape = np.zeros(self.shape(x)).sum(axis=tuple(axes), keepdims=keep_dims).shape
        return self.unary(code, x, to, table.ReducerOptions(keep_dims), shape, (self.ints(*axes),))

    def quantize(self, x: int, to: QuantSpec, dtype: str = "int8") -> int:
        """QUANTIZE from float or from another quantisation."""
        y = self.tensor(self.shape(x), to, dtype)
        self.operator(Code.QUANTIZE, (x,), (y,), EmptyOptions("QuantizeOptions"), 2)
        return y

    def dequantize(self, x: int) -> int:
        y = self.tensor(self.shape(x), None, "float32")
        self.operator(Code.DEQUANTIZE, (x,), (y,), EmptyOptions("DequantizeOptions"), 2)
        return y

    def leaky_relu(self, x: int, alpha: float, to: QuantSpec) -> int:
        return self.unary(Code.LEAKY_RELU, x, to, table.LeakyReluOptions(alpha))

    def prelu(self, x: int, alpha: npt.NDArray[np.int8], alpha_quant: QuantSpec, to: QuantSpec) -> int:
        return self.unary(Code.PRELU, x, to, more=(self.constant(alpha, alpha_quant),), version=1)

    # Operators that only move data; their shapes are numpy's

    def reshape(self, x: int, shape: Sequence[int], with_options: bool = True) -> int:
        """RESHAPE with a constant shape tensor (one entry may be -1); the same in the options unless told not to."""
        options = table.ReshapeOptions(tuple(shape)) if with_options else None
        result = np.zeros(self.shape(x)).reshape(tuple(shape)).shape
        return self.unary(Code.RESHAPE, x, options=options, shape=result, more=(self.ints(*shape),), version=1)

    def pad(self, x: int, paddings: Sequence[tuple[int, int]]) -> int:
        shape = [before + size + after for size, (before, after) in zip(self.shape(x), paddings, strict=True)]
        more = (self.constant(np.array(paddings, np.int32)),)
        return self.unary(Code.PAD, x, options=EmptyOptions("PadOptions"), shape=shape, more=more)

    def concatenation(self, parts: Sequence[int], axis: int, to: QuantSpec | None = None) -> int:
        shape = np.concatenate([np.zeros(self.shape(part)) for part in parts], axis).shape
        return self.unary(
            Code.CONCATENATION, parts[0], to, table.ConcatenationOptions(axis), shape, tuple(parts[1:]), version=2
        )

    def split(self, x: int, axis: int, parts: int) -> tuple[int, ...]:
        shape = np.split(np.zeros(self.shape(x)), parts, axis)[0].shape
        outputs = tuple(self.tensor(shape, self.quant(x), self.tensors[x].dtype) for _ in range(parts))
        self.operator(Code.SPLIT, (self.constant(np.array(axis, np.int32)), x), outputs, table.SplitOptions(parts), 2)
        return outputs

    def slice(self, x: int, begin: Sequence[int], size: Sequence[int]) -> int:
        """SLICE; a size of -1 means up to the end."""
        window = tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True))
        more = (self.ints(*begin), self.ints(*size))
        shape = np.zeros(self.shape(x))[window].shape
        return self.unary(Code.SLICE, x, options=EmptyOptions("SliceOptions"), shape=shape, more=more)

    def strided_slice(
        self, x: int, begin: Sequence[int], end: Sequence[int], strides: Sequence[int], shrink: Sequence[bool] = ()
    ) -> int:
        """STRIDED_SLICE without begin, end and ellipsis masks; `shrink` drops axes (one element is taken there)."""
        shrunk = [*shrink, *[False] * (len(begin) - len(shrink))]
        bounds = zip(begin, end, strides, shrunk, strict=True)
        window = tuple(b if drop else slice(b, e, s) for b, e, s, drop in bounds)
        options = table.StridedSliceOptions(shrink_axis_mask=sum(1 << axis for axis, drop in enumerate(shrunk) if drop))
        more = (self.ints(*begin), self.ints(*end), self.ints(*strides))
        return self.unary(
            Code.STRIDED_SLICE, x, options=options, shape=np.zeros(self.shape(x))[window].shape, more=more
        )

    def transpose(self, x: int, permutation: Sequence[int]) -> int:
        shape = [self.shape(x)[axis] for axis in permutation]
        more = (self.ints(*permutation),)
        return self.unary(Code.TRANSPOSE, x, options=EmptyOptions("TransposeOptions"), shape=shape, more=more)

    def resize_nearest_neighbor(
        self, x: int, height: int, width: int, options: table.ResizeNearestNeighborOptions | None = None
    ) -> int:
        batch, _, _, channels = self.shape(x)
        options = options or table.ResizeNearestNeighborOptions()
        more = (self.ints(height, width),)
        return self.unary(
            Code.RESIZE_NEAREST_NEIGHBOR, x, options=options, shape=(batch, height, width, channels), more=more
        )

    def resize_bilinear(
        self, x: int, height: int, width: int, options: table.ResizeBilinearOptions | None = None
    ) -> int:
        batch, _, _, channels = self.shape(x)
        more = (self.ints(height, width),)
        shape = (batch, height, width, channels)
        return self.unary(
            Code.RESIZE_BILINEAR, x, options=options or table.ResizeBilinearOptions(), shape=shape, more=more
        )

    def squeeze(self, x: int, axes: Sequence[int]) -> int:
        shape = np.zeros(self.shape(x)).squeeze(tuple(axes)).shape
        return self.unary(Code.SQUEEZE, x, options=table.SqueezeOptions(tuple(axes)), shape=shape, version=1)

    def expand_dims(self, x: int, axis: int) -> int:
        shape = np.expand_dims(np.zeros(self.shape(x)), axis).shape
        more = (self.constant(np.array(axis, np.int32)),)
        return self.unary(
            Code.EXPAND_DIMS, x, options=EmptyOptions("ExpandDimsOptions"), shape=shape, more=more, version=1
        )

    def pack(self, parts: Sequence[int], axis: int) -> int:
        shape = np.stack([np.zeros(self.shape(part)) for part in parts], axis).shape
        options = table.PackOptions(len(parts), axis)
        return self.unary(Code.PACK, parts[0], options=options, shape=shape, more=tuple(parts[1:]))

    def gather(self, x: int, indices: Array, axis: int) -> int:
        shape = np.take(np.zeros(self.shape(x)), indices.astype(np.int64), axis).shape
        more = (self.constant(indices),)
        return self.unary(Code.GATHER, x, options=table.GatherOptions(axis), shape=shape, more=more)

    def shape_of(self, x: int) -> int:
        """SHAPE as int32."""
        y = self.tensor((len(self.shape(x)),), None, "int32")
        self.operator(Code.SHAPE, (x,), (y,), table.ShapeOptions(out_type=2))
        return y


def _window(size: int, kernel: int, stride: int, dilation: int, padding: int) -> int:
    """Places that a window takes along one axis."""
    if padding == table.SAME:
        return -(-size // stride)
    return (size - (kernel - 1) * dilation - 1) // stride + 1
