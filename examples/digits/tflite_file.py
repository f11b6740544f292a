"""A writer of .tflite files, as much of one as the digits need. The schema's functions come from the package tflite."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import flatbuffers
import numpy as np
import numpy.typing as npt
import tflite

TYPES = {"int8": tflite.TensorType.INT8, "int32": tflite.TensorType.INT32}


@dataclass(frozen=True)
class Quant:
    """real = scale * (q - zero_point), one entry or one per index of `axis`."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0


class TfliteFile:
    """A model of one subgraph. Operators are written in the order of the calls; tensors are known by their index."""

    def __init__(self) -> None:
        self.builder = flatbuffers.Builder(4096)
        self.buffers = [self.buffer(None)]
        self.tensors: list[int] = []
        self.codes: list[tuple[int, int]] = []
        self.operators: list[int] = []

    # Tensors

    def tensor(self, name: str, shape: Sequence[int], dtype: str, quant: Quant | None, buffer: int = 0) -> int:
        name_offset = self.builder.CreateString(name)
        shape_offset = self.vector(np.array(shape, np.int32))
        quant_offset = self.quant(quant) if quant else None
        tflite.TensorStart(self.builder)
        tflite.TensorAddName(self.builder, name_offset)
        tflite.TensorAddShape(self.builder, shape_offset)
        tflite.TensorAddType(self.builder, TYPES[dtype])
        tflite.TensorAddBuffer(self.builder, buffer)
        if quant_offset is not None:
            tflite.TensorAddQuantization(self.builder, quant_offset)
        self.tensors.append(tflite.TensorEnd(self.builder))
        return len(self.tensors) - 1

    def constant(self, name: str, values: npt.NDArray[np.generic], quant: Quant | None = None) -> int:
        self.buffers.append(self.buffer(values.tobytes()))
        return self.tensor(name, values.shape, str(values.dtype), quant, len(self.buffers) - 1)

    def buffer(self, data: bytes | None) -> int:
        offset = None if data is None else self.vector(np.frombuffer(data, np.uint8), alignment=16)
        tflite.BufferStart(self.builder)
        if offset is not None:
            tflite.BufferAddData(self.builder, offset)
        return tflite.BufferEnd(self.builder)

    def quant(self, quant: Quant) -> int:
        scales = self.vector(np.array(quant.scales, np.float32))
        zero_points = self.vector(np.array(quant.zero_points, np.int64))
        tflite.QuantizationParametersStart(self.builder)
        tflite.QuantizationParametersAddScale(self.builder, scales)
        tflite.QuantizationParametersAddZeroPoint(self.builder, zero_points)
        tflite.QuantizationParametersAddQuantizedDimension(self.builder, quant.axis)
        return tflite.QuantizationParametersEnd(self.builder)

    # Operators

    def convolution(self, x: int, weights: int, bias: int, y: int, stride: int, relu: bool, depthwise: bool) -> None:
        """CONV_2D or DEPTHWISE_CONV_2D with SAME padding."""
        kind = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
        fields = {
            "Padding": tflite.Padding.SAME,
            "StrideW": stride,
            "StrideH": stride,
            "FusedActivationFunction": _activation(relu),
            **({"DepthMultiplier": 1} if depthwise else {}),
        }
        code = tflite.BuiltinOperator.DEPTHWISE_CONV_2D if depthwise else tflite.BuiltinOperator.CONV_2D
        self.operator(code, 3, (x, weights, bias), y, kind, fields)

    def add(self, a: int, b: int, y: int) -> None:
        """ADD with RELU."""
        fields = {"FusedActivationFunction": _activation(relu=True)}
        self.operator(tflite.BuiltinOperator.ADD, 2, (a, b), y, "AddOptions", fields)

    def average_pool(self, x: int, y: int, size: int) -> None:
        fields = {
            "Padding": tflite.Padding.VALID,
            "StrideW": size,
            "StrideH": size,
            "FilterWidth": size,
            "FilterHeight": size,
        }
        self.operator(tflite.BuiltinOperator.AVERAGE_POOL_2D, 2, (x,), y, "Pool2DOptions", fields)

    def reshape(self, x: int, y: int, shape: Sequence[int]) -> None:
        wanted = self.constant("shape", np.array(shape, np.int32))
        self.operator(tflite.BuiltinOperator.RESHAPE, 1, (x, wanted), y, "ReshapeOptions", {})

    def fully_connected(self, x: int, weights: int, bias: int, y: int) -> None:
        code = tflite.BuiltinOperator.FULLY_CONNECTED
        self.operator(code, 4, (x, weights, bias), y, "FullyConnectedOptions", {})

    def softmax(self, x: int, y: int) -> None:
        self.operator(tflite.BuiltinOperator.SOFTMAX, 2, (x,), y, "SoftmaxOptions", {"Beta": 1.0})

    def operator(
        self, code: int, version: int, inputs: Sequence[int], output: int, options: str, fields: Mapping[str, float]
    ) -> None:
        if (code, version) not in self.codes:
            self.codes.append((code, version))
        input_offset = self.vector(np.array(inputs, np.int32))
        output_offset = self.vector(np.array([output], np.int32))
        _function(f"{options}Start")(self.builder)
        for name, value in fields.items():
            _function(f"{options}Add{name}")(self.builder, value)
        options_offset = _function(f"{options}End")(self.builder)
        tflite.OperatorStart(self.builder)
        tflite.OperatorAddOpcodeIndex(self.builder, self.codes.index((code, version)))
        tflite.OperatorAddInputs(self.builder, input_offset)
        tflite.OperatorAddOutputs(self.builder, output_offset)
        tflite.OperatorAddBuiltinOptionsType(self.builder, getattr(tflite.BuiltinOptions, options))
        tflite.OperatorAddBuiltinOptions(self.builder, options_offset)
        self.operators.append(tflite.OperatorEnd(self.builder))

    # The file

    def to_bytes(self, x: int, y: int) -> bytes:
        """The finished file with x as its input and y as its output."""
        codes = [self.code(code, version) for code, version in self.codes]
        graph_name = self.builder.CreateString("digits")
        x_offset, y_offset = (self.vector(np.array([tensor], np.int32)) for tensor in (x, y))
        tensors, operators = self.offsets(self.tensors), self.offsets(self.operators)
        tflite.SubGraphStart(self.builder)
        tflite.SubGraphAddName(self.builder, graph_name)
        tflite.SubGraphAddTensors(self.builder, tensors)
        tflite.SubGraphAddInputs(self.builder, x_offset)
        tflite.SubGraphAddOutputs(self.builder, y_offset)
        tflite.SubGraphAddOperators(self.builder, operators)
        graphs = self.offsets([tflite.SubGraphEnd(self.builder)])
        code_offset, buffers = self.offsets(codes), self.offsets(self.buffers)
        tflite.ModelStart(self.builder)
        tflite.ModelAddVersion(self.builder, 3)
        tflite.ModelAddOperatorCodes(self.builder, code_offset)
        tflite.ModelAddSubgraphs(self.builder, graphs)
        tflite.ModelAddBuffers(self.builder, buffers)
        self.builder.Finish(tflite.ModelEnd(self.builder), b"TFL3")
        return bytes(self.builder.Output())

    def code(self, code: int, version: int) -> int:
        tflite.OperatorCodeStart(self.builder)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(self.builder, code)
        tflite.OperatorCodeAddBuiltinCode(self.builder, code)
        tflite.OperatorCodeAddVersion(self.builder, version)
        return tflite.OperatorCodeEnd(self.builder)

    def offsets(self, offsets: Sequence[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return self.builder.EndVector()

    def vector(self, values: npt.NDArray[np.generic], alignment: int = 0) -> int:
        data = values.tobytes()
        self.builder.StartVector(values.itemsize, len(values), alignment or values.itemsize)
        self.builder.head -= len(data)
        self.builder.Bytes[self.builder.head : self.builder.head + len(data)] = data
        return self.builder.EndVector()


def _activation(relu: bool) -> int:
    return tflite.ActivationFunctionType.RELU if relu else tflite.ActivationFunctionType.NONE


def _function(name: str) -> Callable[..., int]:
    """A function of the schema by its name."""
    function: Callable[..., int] = getattr(tflite, name)
    return function
