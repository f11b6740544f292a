"""CONV_2D: int8 NHWC input, OHWI weights, int32 bias, per-channel requantisation, fused clamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, Quant, Requant, TensorType, requantize
from byrote.ir.op import Array
from byrote.ops.window import Padding, extent_of, output_size, taps


@dataclass(frozen=True)
class Conv2D(Op):
    """Inputs: x [1, H, W, C], weights [O, kh, kw, C / groups] int8, bias [O] int32."""

    name: ClassVar[str] = "CONV_2D"

    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: Padding
    input_zero: int
    requant: Requant
    clamp: tuple[int, int]
    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x, weights, bias = inputs
        if len(x.shape) != 4 or len(weights.shape) != 4 or x.shape[0] != 1:
            raise ValueError(f"CONV_2D needs an input [1, H, W, C] and weights of rank 4, got {x} and {weights}")
        if not weights.shape[3] or x.shape[3] % weights.shape[3]:
            raise ValueError(f"input channels of {x} are not a multiple of those of the weights {weights}")
        if weights.shape[0] % (x.shape[3] // weights.shape[3]) or bias.shape != (weights.shape[0],):
            raise ValueError(f"output channels of {weights}, bias {bias} and groups do not agree")
        extent = extent_of((weights.shape[1], weights.shape[2]), self.dilation)
        rows = output_size(x.shape[1], extent[0], self.stride[0], *self.padding[0])
        columns = output_size(x.shape[2], extent[1], self.stride[1], *self.padding[1])
        if rows < 1 or columns < 1:
            raise ValueError(f"the kernel {weights} does not fit into {x}")
        return (TensorType(DType.INT8, (x.shape[0], rows, columns, weights.shape[0]), self.output),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x, weights, bias = (value.astype(np.int64) for value in inputs)
        kernel = (weights.shape[1], weights.shape[2])
        windows = taps(x - self.input_zero, kernel, self.stride, self.dilation, self.padding)
        groups = x.shape[3] // weights.shape[3]
        per_group = weights.shape[0] // groups
        parts: list[Array] = []
        for group in range(groups):
            seen = windows[..., group * weights.shape[3] : (group + 1) * weights.shape[3]]
            used = weights[group * per_group : (group + 1) * per_group].reshape(per_group, -1)
            # float64 products are exact here: |w * x| summed stays far below 2^53
            parts.append(seen.reshape(*seen.shape[:3], -1).astype(np.float64) @ used.T.astype(np.float64))
        acc = np.concatenate(parts, axis=3).astype(np.int64) + bias
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
        weights = inputs[1]
        return outputs[0].elements * weights.elements // weights.shape[0]
