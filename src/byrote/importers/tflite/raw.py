"""What a .tflite file says, as plain values: nothing interpreted, nothing checked for sense."""

from __future__ import annotations

from dataclasses import dataclass, field

from byrote.ir import DType
from byrote.ir.op import Array
from byrote.ops import Options


@dataclass(frozen=True)
class RawTensor:
    """A tensor record; `dtype` is None for element types that byrote does not know, `type_name` says which."""

    index: int
    name: str
    dtype: DType | None
    type_name: str
    shape: tuple[int, ...]
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int
    buffer: int
    variable: bool
    sparse: bool


@dataclass(frozen=True)
class RawOperator:
    """An operator record; `name` is CUSTOM <code> for custom operators.  Input -1: absent."""

    index: int
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Options


@dataclass(frozen=True)
class RawModel:
    """The first subgraph and the buffers; `buffers[i]` is None for an index that has no data, else its bytes."""

    tensors: tuple[RawTensor, ...]
    operators: tuple[RawOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    buffers: tuple[Array | None, ...] = field(repr=False)
    subgraphs: int = 1
