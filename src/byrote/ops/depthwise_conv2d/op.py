"""DEPTHWISE_CONV_2D: every input channel has its own filters; per-channel requantisation, fused clamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, Quant, Requant, TensorType, requantize
from byrote.ir.op import Array
from byrote.ops.window import Padding, extent_of, output_size, taps


@dataclass(frozen=True)
class DepthwiseConv2D(Op):
    """Inputs: x [1, H, W, C], weights [1, kh, kw, C * multiplier] int8, bias [C * multiplier] int32.

    Output channel c * multiplier + m reads input channel c.
    """

    name: ClassVar[str] = "DEPTHWISE_CONV_2D"

    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: Padding
    input_zero: int
    requant: Requant
    clamp: tuple[int, int]
    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x, weights, bias = inputs
        if len(x.shape) != 4 or len(weights.shape) != 4 or x.shape[0] != 1 or weights.shape[0] != 1:
            raise ValueError(
                f"DEPTHWISE_CONV_2D needs an input [1, H, W, C] and weights [1, h, w, O], got {x}, {weights}"
            )
        if not x.shape[3] or weights.shape[3] % x.shape[3] or bias.shape != (weights.shape[3],):
            raise ValueError(f"channels of input {x}, weights {weights} and bias {bias} do not agree")
        extent = extent_of((weights.shape[1], weights.shape[2]), self.dilation)
        rows = output_size(x.shape[1], extent[0], self.stride[0], *self.padding[0])
        columns = output_size(x.shape[2], extent[1], self.stride[1], *self.padding[1])
        if rows < 1 or columns < 1:
            raise ValueError(f"the kernel {weights} does not fit into {x}")
        return (TensorType(DType.INT8, (1, rows, columns, weights.shape[3]), self.output),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x, weights, bias = (value.astype(np.int64) for value in inputs)
        kernel = (weights.shape[1], weights.shape[2])
        windows = taps(x - self.input_zero, kernel, self.stride, self.dilation, self.padding)
        filters = weights.reshape(-1, x.shape[3], weights.shape[3] // x.shape[3])
        acc = np.einsum("nhwkc,kcm->nhwcm", windows, filters).reshape(*windows.shape[:3], -1) + bias
        result = requantize(acc, self.requant) + self.output.zero_point
        return (np.minimum(np.maximum(result, self.clamp[0]), self.clamp[1]).astype(np.int8),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        rows_in, rows_out = inputs[0].rows, outputs[0].rows
        extent = extent_of((inputs[1].shape[1], inputs[1].shape[2]), self.dilation)[0]
        window = Access.window(rows_in, rows_out, extent=extent, stride=self.stride[0], before=self.padding[0][0])
        return ((window, None, None),)

    def macs(self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> int:
        return outputs[0].elements * inputs[1].shape[1] * inputs[1].shape[2]
