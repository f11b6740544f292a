"""Reading the flatbuffer.  The schema accessors trust the file; this module does not.

Offsets of a damaged file point anywhere: every failure of an accessor becomes one UserError, every length is checked
against the size of the file before anything of that length is made.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable
from typing import Protocol, TypeVar, cast

import numpy as np
import tflite

from byrote.importers.tflite.raw import RawModel, RawOperator, RawTensor
from byrote.ir import DType, UserError, user_error
from byrote.ir.op import Array

T = TypeVar("T")

_FAULTS = (struct.error, IndexError, ValueError, TypeError, OverflowError, AttributeError, KeyError, MemoryError)
_DTYPES = {
    0: DType.FLOAT32,
    2: DType.INT32,
    3: DType.UINT8,
    4: DType.INT64,
    6: DType.BOOL,
    7: DType.INT16,
    9: DType.INT8,
}
_MOST_RECORDS = 50_000
"""Tensors or operators: no real model comes near; a hostile file could claim billions."""


def read_model(data: bytes, where: str) -> RawModel:
    """The records of a file.  Raises UserError if they cannot be read."""
    try:
        return _read(data, where)
    except UserError:
        raise
    except _FAULTS as error:
        raise user_error(
            where, "the file is damaged or cut short: a part of it cannot be read", "export it again"
        ) from error


def _read(data: bytes, where: str) -> RawModel:
    if len(data) < 16:
        raise user_error(where, f"the file is truncated: {len(data)} bytes", "export the model again")
    model = tflite.Model.GetRootAs(data, 0)
    count = _length(model.SubgraphsLength(), "subgraphs", where)
    if not count:
        raise user_error(where, "the file has no subgraph", "export the model again")
    graph = _present(model.Subgraphs(0))
    codes = [
        _operator_name(_present(model.OperatorCodes(i)))
        for i in range(_length(model.OperatorCodesLength(), "codes", where))
    ]
    tensors = tuple(
        _tensor(_present(graph.Tensors(i)), i, len(data), where)
        for i in range(_length(graph.TensorsLength(), "tensors", where))
    )
    operators = tuple(
        _operator(_present(graph.Operators(i)), i, codes, len(data), where)
        for i in range(_length(graph.OperatorsLength(), "operators", where))
    )
    buffers = tuple(
        _buffer(_present(model.Buffers(i)), i, len(data), where)
        for i in range(_length(model.BuffersLength(), "buffers", where))
    )
    return RawModel(
        tensors,
        operators,
        _ints(graph.InputsLength(), graph.InputsAsNumpy, len(data), where),
        _ints(graph.OutputsLength(), graph.OutputsAsNumpy, len(data), where),
        buffers,
        count,
    )


def _present(record: T | None) -> T:
    """A record of a vector; the accessors give None where the file has none."""
    if record is None:
        raise ValueError("a record is missing")
    return record


def _length(value: int, what: str, where: str) -> int:
    if not 0 <= value <= _MOST_RECORDS:
        raise user_error(where, f"the file claims to have {value} {what}", "export the model again")
    return value


def _ints(length: int, values: Callable[[], object], size: int, where: str) -> tuple[int, ...]:
    """A vector of integers; absent vectors are empty."""
    if not length:
        return ()
    if not 0 < length <= size:
        raise user_error(where, f"a vector claims to have {length} elements", "export the model again")
    return tuple(int(v) for v in np.atleast_1d(np.asarray(values())).tolist())


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def _tensor(record: tflite.Tensor, index: int, size: int, where: str) -> RawTensor:
    quant = record.Quantization()
    scales: tuple[float, ...] = ()
    zeros: tuple[int, ...] = ()
    axis = 0
    if quant is not None and quant.ScaleLength():
        if quant.ScaleLength() > size:
            raise user_error(where, f"tensor {index} claims to have {quant.ScaleLength()} scales")
        scales = tuple(float(v) for v in np.atleast_1d(np.asarray(quant.ScaleAsNumpy())).tolist())
        zeros = _ints(quant.ZeroPointLength(), quant.ZeroPointAsNumpy, size, where)
        axis = int(quant.QuantizedDimension())
    code = int(record.Type())
    return RawTensor(
        index=index,
        name=_text(record.Name()),
        dtype=_DTYPES.get(code),
        type_name=_names(tflite.TensorType).get(code, f"type {code}"),
        shape=_ints(record.ShapeLength(), record.ShapeAsNumpy, size, where),
        scales=scales,
        zero_points=zeros or (0,) * len(scales),
        axis=axis,
        buffer=int(record.Buffer()),
        variable=bool(record.IsVariable()),
        sparse=record.Sparsity() is not None,
    )


def _buffer(record: tflite.Buffer, index: int, size: int, where: str) -> Array | None:
    length = record.DataLength()
    if not length:
        return None
    if not 0 < length <= size:
        raise user_error(where, f"buffer {index} claims to have {length} bytes, the file has {size}")
    return np.asarray(record.DataAsNumpy())


def _names(constants: type) -> dict[int, str]:
    """value -> name of a schema enumeration."""
    return {v: k for k, v in vars(constants).items() if isinstance(v, int)}


def _operator_name(record: tflite.OperatorCode) -> str:
    code = max(int(record.BuiltinCode()), int(record.DeprecatedBuiltinCode()))
    name = _names(tflite.BuiltinOperator).get(code, f"operator {code}")
    if name != "CUSTOM":
        return name
    return "CUSTOM " + "".join(c if c.isprintable() else "." for c in _text(record.CustomCode()))


def _operator(record: tflite.Operator, index: int, codes: list[str], size: int, where: str) -> RawOperator:
    code = int(record.OpcodeIndex())
    if not 0 <= code < len(codes):
        raise user_error(where, f"operator {index} has code {code}, the file has {len(codes)} codes")
    return RawOperator(
        index,
        codes[code],
        _ints(record.InputsLength(), record.InputsAsNumpy, size, where),
        _ints(record.OutputsLength(), record.OutputsAsNumpy, size, where),
        SchemaOptions(record, size, where),
    )


class _SchemaTable(Protocol):
    def Init(self, buf: object, pos: object) -> None: ...  # noqa: N802 - generated by the schema compiler


class SchemaOptions:
    """`Options` over the options table of one operator; a missing table has every default."""

    def __init__(self, record: tflite.Operator, size: int, where: str) -> None:
        self._size, self._where = size, where
        self._table: _SchemaTable | None = None
        table = record.BuiltinOptions()
        name = _names(tflite.BuiltinOptions).get(int(record.BuiltinOptionsType()), "NONE")
        if table is None or name == "NONE":
            return
        kind = getattr(importlib.import_module(f"tflite.{name}"), name)
        self._table = cast(_SchemaTable, kind())
        self._table.Init(table.Bytes, table.Pos)

    def _get(self, name: str) -> Callable[[], object] | None:
        found = getattr(self._table, name, None)
        return cast("Callable[[], object]", found) if callable(found) else None

    def _call(self, accessor: Callable[[], object]) -> object:
        """Options are read only when an operator asks for them, behind `read_model` and its guard."""
        try:
            return accessor()
        except _FAULTS as error:
            what = f"its options are damaged ({type(error).__name__})"
            raise user_error(self._where, what, "export the model again") from error

    def integer(self, name: str, default: int = 0) -> int:
        accessor = self._get(name)
        return int(cast(int, self._call(accessor))) if accessor else default

    def real(self, name: str, default: float = 0.0) -> float:
        accessor = self._get(name)
        return float(cast(float, self._call(accessor))) if accessor else default

    def flag(self, name: str, default: bool = False) -> bool:
        accessor = self._get(name)
        return bool(self._call(accessor)) if accessor else default

    def integers(self, name: str) -> tuple[int, ...]:
        length, values = self._get(f"{name}Length"), self._get(f"{name}AsNumpy")
        if length is None or values is None:
            return ()
        count = int(cast(int, self._call(length)))
        found = self._call(lambda: _ints(count, values, self._size, self._where))
        return cast("tuple[int, ...]", found)
