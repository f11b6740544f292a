"""Types of tensors: element type, shape, quantisation, and the view of a tensor as rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


class DType(Enum):
    """Element types; the value is the name that numpy and reports use."""

    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float32"
    BOOL = "bool"

    @property
    def size(self) -> int:
        """Bytes per element."""
        return _SIZES[self]

    @property
    def ctype(self) -> str:
        """The C99 type of one element."""
        return _CTYPES[self]

    @property
    def limits(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type."""
        bits = 8 * self.size
        return (0, 2**bits - 1) if self is DType.UINT8 else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


_SIZES = {
    DType.INT8: 1,
    DType.UINT8: 1,
    DType.BOOL: 1,
    DType.INT16: 2,
    DType.INT32: 4,
    DType.FLOAT32: 4,
    DType.INT64: 8,
}
_CTYPES = {
    DType.INT8: "int8_t",
    DType.UINT8: "uint8_t",
    DType.BOOL: "uint8_t",
    DType.INT16: "int16_t",
    DType.INT32: "int32_t",
    DType.FLOAT32: "float",
    DType.INT64: "int64_t",
}


@dataclass(frozen=True)
class Quant:
    """Affine quantisation, real = scale * (q - zero_point); one entry, or one per index of `axis`."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0

    @property
    def scale(self) -> float:
        """The scale of a per-tensor quantisation."""
        assert len(self.scales) == 1
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """The zero point of a per-tensor quantisation."""
        assert len(self.zero_points) == 1
        return self.zero_points[0]


@dataclass(frozen=True)
class TensorType:
    """Element type, static shape and quantisation (None: not quantised)."""

    dtype: DType
    shape: tuple[int, ...]
    quant: Quant | None = None

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Bytes of the dense tensor."""
        return self.elements * self.dtype.size

    @property
    def rows(self) -> int:
        """Number of rows, the unit of streaming: NHWC has N*H rows of W*C, rank 3 has rows of its last axis."""
        if len(self.shape) >= 4:
            return math.prod(self.shape[:-2])
        if len(self.shape) == 3:
            return self.shape[0] * self.shape[1]
        return self.shape[0] if len(self.shape) == 2 else 1

    @property
    def row_size(self) -> int:
        """Bytes of one dense row."""
        return self.size // self.rows if self.rows else 0

    @property
    def zero_point(self) -> int:
        return self.quant.zero_point if self.quant else 0

    def with_shape(self, shape: tuple[int, ...]) -> TensorType:
        return TensorType(self.dtype, shape, self.quant)

    def __str__(self) -> str:
        return f"{self.dtype.value}[{','.join(map(str, self.shape))}]"
