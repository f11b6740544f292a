"""What AVERAGE_POOL_2D and MAX_POOL_2D share: attributes, shape and access rules, reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.ir import Access, DType, Op, TensorType
from byrote.ops.quantized import activation_clamp, same_quantisation
from byrote.ops.reading import OperatorView, Unreadable
from byrote.ops.window import Padding, check_window, output_size, resolve_padding


@dataclass(frozen=True)
class Pool2D(Op):
    """Input x [1, H, W, C] int8; the output has the input's quantisation.  Padding takes no part."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: Padding
    clamp: tuple[int, int]

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x = inputs[0]
        if len(x.shape) != 4 or x.shape[0] != 1:
            raise ValueError(f"{self.name} needs an input [1, H, W, C], got {x}")
        rows = output_size(x.shape[1], self.kernel[0], self.stride[0], *self.padding[0])
        columns = output_size(x.shape[2], self.kernel[1], self.stride[1], *self.padding[1])
        if rows < 1 or columns < 1:
            raise ValueError(f"a window of {self.kernel[0]}x{self.kernel[1]} does not fit into {x}")
        return (x.with_shape((1, rows, columns, x.shape[3])),)

    def covers(self, x: TensorType) -> bool:
        """Whether there is one window, which sees the whole input."""
        top, left = self.padding[0][0], self.padding[1][0]
        single = self.infer((x,))[0].shape[1:3] == (1, 1)
        return single and self.kernel[0] - top >= x.shape[1] and self.kernel[1] - left >= x.shape[2]

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        x = inputs[0]
        if self.covers(x):
            return ((Access.whole(x.rows, 1, accumulates=True),),)
        before = self.padding[0][0]
        window = Access.window(x.rows, outputs[0].rows, extent=self.kernel[0], stride=self.stride[0], before=before)
        return ((window,),)

    def macs(self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> int:
        del inputs
        return outputs[0].elements * self.kernel[0] * self.kernel[1]


@dataclass(frozen=True)
class PoolAttributes:
    """What the file says about a pool."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: Padding
    clamp: tuple[int, int]


def read_pool(view: OperatorView) -> PoolAttributes:
    """Attributes with explicit padding and clamp."""
    x, output, options = view.input(0), view.output(), view.options
    x.require(DType.INT8)
    output.require(DType.INT8)
    if len(x.type.shape) != 4:
        raise Unreadable(f"input {x.type} has to be of rank 4")
    same_quantisation(view)
    kernel = (options.integer("FilterHeight"), options.integer("FilterWidth"))
    stride = (options.integer("StrideH"), options.integer("StrideW"))
    check_window(kernel, stride)
    size = (x.type.shape[1], x.type.shape[2])
    padding = resolve_padding(options.integer("Padding"), size, kernel, stride)
    return PoolAttributes(
        kernel, stride, padding, activation_clamp(options.integer("FusedActivationFunction"), output.quant)
    )
