"""FULLY_CONNECTED: vectors of the input times a constant matrix; per-channel requantisation, fused clamp."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from byrote.ir import Access, DType, Op, Quant, Requant, TensorType, requantize
from byrote.ir.op import Array
from byrote.ops.quantized import clipped


def uneven_rows(x: TensorType, out: TensorType) -> str | None:
    """Why an output row is not made from a whole number of input rows."""
    if x.rows % out.rows == 0:
        return None
    return f"the {x.rows} rows of {x} do not divide among the {out.rows} rows of {out}"


@dataclass(frozen=True)
class FullyConnected(Op):
    """Inputs: x of any shape, weights [O, K] int8, bias [O] int32; every K elements of x are one vector.

    The output is [vectors, O]; with `keep_dims` it is [..., O], the leading axes as in x.
    """

    name: ClassVar[str] = "FULLY_CONNECTED"
    flattens: ClassVar[bool] = True

    keep_dims: bool
    input_zero: int
    requant: Requant
    clamp: tuple[int, int]
    output: Quant

    def infer(self, inputs: Sequence[TensorType]) -> tuple[TensorType, ...]:
        x, weights, bias = inputs
        if len(weights.shape) != 2 or not weights.elements or bias.shape != (weights.shape[0],):
            raise ValueError(f"FULLY_CONNECTED needs weights of shape [outputs, inputs], got {weights} and bias {bias}")
        outputs, depth = weights.shape
        if not x.elements or x.elements % depth or (self.keep_dims and x.shape[-1:] != (depth,)):
            raise ValueError(f"the input {x} does not consist of vectors of {depth} elements")
        shape = (*x.shape[:-1], outputs) if self.keep_dims else (x.elements // depth, outputs)
        return (TensorType(DType.INT8, shape, self.output),)

    def reference(self, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x, weights, bias = (value.astype(np.int64) for value in inputs)
        vectors = (x - self.input_zero).reshape(-1, weights.shape[1])
        # float64 products are exact here: |w * x| summed stays far below 2^53
        acc = (vectors.astype(np.float64) @ weights.T.astype(np.float64)).astype(np.int64) + bias
        result = clipped(requantize(acc, self.requant) + self.output.zero_point, self.clamp)
        shape = (*x.shape[:-1], weights.shape[0]) if self.keep_dims else result.shape
        return (result.reshape(shape),)

    def access(
        self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]
    ) -> tuple[tuple[Access | None, ...], ...]:
        x, out = inputs[0], outputs[0]
        if x.rows == out.rows:
            return ((Access.identity(out.rows), None, None),)
        needed = x.elements // out.rows  # elements per output row
        first = tuple(row * needed // x.row_size for row in range(out.rows))
        end = tuple(-(-(row + 1) * needed // x.row_size) for row in range(out.rows))
        return ((Access(first, end, accumulates=out.rows == 1), None, None),)

    def macs(self, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> int:
        return outputs[0].elements * inputs[1].shape[1]
