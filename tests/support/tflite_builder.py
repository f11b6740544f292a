"""A writer of .tflite files for tests: frozen descriptions in, bytes out.

Nothing is checked: a description may be as odd or as damaged as a test needs (indices out of range, NaN scales, vectors
left out with None, any operator version). `tests.support.sketch` makes valid models in fewer words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import cast, get_type_hints

import flatbuffers
import numpy as np
import numpy.typing as npt
from tflite.BuiltinOptions import BuiltinOptions
from tflite.TensorType import TensorType

from tests.support.options import EmptyOptions, Options, Slot

TENSOR_TYPES: dict[str, int] = {
    name.lower(): value for name, value in vars(TensorType).items() if isinstance(value, int)
}
"""Element types by their numpy names."""


@dataclass(frozen=True)
class QuantSpec:
    """real = scale * (q - zero_point). One entry, or one per index of `axis`; None leaves a vector out."""

    scales: tuple[float, ...] | None
    zero_points: tuple[int, ...] | None = (0,)
    axis: int = 0


@dataclass(frozen=True)
class TensorSpec:
    """One tensor. With `data` it gets a buffer of its own, unless `buffer` names one by index (0 is the empty one)."""

    name: str | bytes | None
    shape: tuple[int, ...] | None
    dtype: str | int = "int8"
    quant: QuantSpec | None = None
    data: bytes | None = None
    buffer: int | None = None
    shape_signature: tuple[int, ...] | None = None
    is_variable: bool = False


@dataclass(frozen=True)
class OperatorSpec:
    """One operator. `code` is a BuiltinOperator; `options_type`, `code_index` override what follows from the rest."""

    code: int
    inputs: tuple[int, ...] | None
    outputs: tuple[int, ...] | None
    options: Options | None = None
    version: int = 1
    custom_code: str | None = None
    custom_options: bytes | None = None
    options_type: int | None = None
    code_index: int | None = None


@dataclass(frozen=True)
class SubgraphSpec:
    tensors: tuple[TensorSpec, ...]
    operators: tuple[OperatorSpec, ...]
    inputs: tuple[int, ...] | None
    outputs: tuple[int, ...] | None
    name: str | None = "main"


@dataclass(frozen=True)
class ModelSpec:
    """A file. `buffers`, numbered from 1, are for metadata and for tensors that name one (shared constants)."""

    subgraphs: tuple[SubgraphSpec, ...]
    buffers: tuple[bytes | None, ...] = ()
    metadata: tuple[tuple[str, int], ...] = ()
    description: str | None = None
    schema_version: int = 3
    identifier: bytes = b"TFL3"

    def to_bytes(self) -> bytes:
        """The .tflite file."""
        return _Writer(self).finish()


def model(
    tensors: Sequence[TensorSpec],
    operators: Sequence[OperatorSpec],
    inputs: Sequence[int],
    outputs: Sequence[int],
    buffers: Sequence[bytes | None] = (),
) -> ModelSpec:
    """A model of one subgraph."""
    graph = SubgraphSpec(tuple(tensors), tuple(operators), tuple(inputs), tuple(outputs))
    return ModelSpec((graph,), tuple(buffers))


def constant(name: str, array: npt.NDArray[np.generic], quant: QuantSpec | None = None) -> TensorSpec:
    """A constant tensor with the array's shape, type and values."""
    return TensorSpec(name, tuple(array.shape), str(array.dtype), quant, array.tobytes())


class _Writer:
    """Writes one model. Flatbuffers are written from the leaves up; every method returns an offset."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self.builder = flatbuffers.Builder(1024)
        self.buffers: list[bytes | None] = [None, *spec.buffers]
        self.codes: list[tuple[int, str | None, int]] = []

    def finish(self) -> bytes:
        subgraphs = [self.subgraph(graph) for graph in self.spec.subgraphs]
        metadata = [
            self.table((("Offset", self.text(name)), ("Uint32", buffer))) for name, buffer in self.spec.metadata
        ]
        codes = [self.code(*code) for code in self.codes]
        buffers = [self.table((("Offset", self.data(data)),)) for data in self.buffers]
        root = self.table(
            (
                ("Uint32", self.spec.schema_version),
                ("Offset", self.offsets(codes)),
                ("Offset", self.offsets(subgraphs)),
                ("Offset", self.text(self.spec.description)),
                ("Offset", self.offsets(buffers)),
                ("Offset", None),
                ("Offset", self.offsets(metadata) if metadata else None),
            )
        )
        self.builder.Finish(root, self.spec.identifier)
        return bytes(self.builder.Output())

    def subgraph(self, graph: SubgraphSpec) -> int:
        tensors = [self.tensor(tensor) for tensor in graph.tensors]
        operators = [self.operator(operator) for operator in graph.operators]
        return self.table(
            (
                ("Offset", self.offsets(tensors)),
                ("Offset", self.numbers("Int32", graph.inputs)),
                ("Offset", self.numbers("Int32", graph.outputs)),
                ("Offset", self.offsets(operators)),
                ("Offset", self.text(graph.name)),
            )
        )

    def tensor(self, tensor: TensorSpec) -> int:
        buffer = tensor.buffer
        if buffer is None and tensor.data is not None:
            self.buffers.append(tensor.data)
            buffer = len(self.buffers) - 1
        dtype = TENSOR_TYPES[tensor.dtype] if isinstance(tensor.dtype, str) else tensor.dtype
        return self.table(
            (
                ("Offset", self.numbers("Int32", tensor.shape)),
                ("Int8", dtype),
                ("Uint32", buffer or 0),
                ("Offset", self.text(tensor.name)),
                ("Offset", self.quant(tensor.quant) if tensor.quant else None),
                ("Bool", tensor.is_variable),
                ("Offset", None),
                ("Offset", self.numbers("Int32", tensor.shape_signature)),
            )
        )

    def quant(self, quant: QuantSpec) -> int:
        return self.table(
            (
                ("Offset", None),
                ("Offset", None),
                ("Offset", self.numbers("Float32", quant.scales)),
                ("Offset", self.numbers("Int64", quant.zero_points)),
                ("Uint8", 0),
                ("Offset", None),
                ("Int32", quant.axis),
            )
        )

    def operator(self, operator: OperatorSpec) -> int:
        index = operator.code_index
        if index is None:
            code = (operator.code, operator.custom_code, operator.version)
            if code not in self.codes:
                self.codes.append(code)
            index = self.codes.index(code)
        options_type, options = self.options(operator.options)
        if operator.options_type is not None:
            options_type = operator.options_type
        return self.table(
            (
                ("Uint32", index),
                ("Offset", self.numbers("Int32", operator.inputs)),
                ("Offset", self.numbers("Int32", operator.outputs)),
                ("Uint8", options_type),
                ("Offset", options),
                ("Offset", self.data(operator.custom_options)),
            )
        )

    def code(self, builtin: int, custom: str | None, version: int) -> int:
        name = self.text(custom)
        return self.table(
            (("Int8", min(builtin, 127)), ("Offset", name), ("Int32Or1", version), ("Int32", builtin)),
        )

    def options(self, options: Options | None) -> tuple[int, int | None]:
        """The member of the options union and the offset of its table."""
        if options is None:
            return BuiltinOptions.NONE, None
        if isinstance(options, EmptyOptions):
            return _options_type(options.name), self.table(())
        slots = slots_of(type(options))
        values = [getattr(options, field.name) for field in fields(options)]
        leaves = [self.leaf(value) for value in values]
        self.builder.StartObject(len(leaves))
        for position, (slot, leaf) in enumerate(zip(slots, leaves, strict=True)):
            self.put("Offset" if slot.kind in ("Ints", "Text", "Retired") else slot.kind, position, leaf, slot.default)
        return _options_type(type(options).__name__), self.end_object()

    def leaf(self, value: float | str | tuple[int, ...] | None) -> float | None:
        """A field's value, or the offset of what had to be written before its table."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, tuple):
            return self.numbers("Int32", value)
        return value

    def table(self, values: Iterable[tuple[str, float | None]]) -> int:
        """A table whose fields come in slot order as (kind, value)."""
        rows = tuple(values)
        self.builder.StartObject(len(rows))
        for position, (kind, value) in enumerate(rows):
            self.put(kind.removesuffix("Or1"), position, value, 1 if kind.endswith("Or1") else 0)
        return self.end_object()

    def put(self, kind: str, position: int, value: float | None, default: float) -> None:
        if kind != "Offset":
            prepend: Callable[[int, float | None, float], None] = getattr(self.builder, f"Prepend{kind}Slot")
            prepend(position, value, default)
        elif value is not None:
            self.builder.PrependUOffsetTRelativeSlot(position, value, 0)

    def numbers(self, kind: str, values: Sequence[float] | None) -> int | None:
        """A vector of numbers, None for an absent one."""
        if values is None:
            return None
        array = np.array(values, dtype=_NUMPY_TYPES[kind])
        return self.vector(array.tobytes(), len(values), array.itemsize)

    def offsets(self, offsets: Sequence[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return self.end_vector()

    def text(self, value: str | bytes | None) -> int | None:
        if value is None:
            return None
        return cast(int, self.builder.CreateString(value))

    def data(self, value: bytes | None) -> int | None:
        """The bytes of a buffer, aligned as interpreters want them."""
        return None if value is None else self.vector(value, len(value), 1, alignment=16)

    def vector(self, data: bytes, count: int, size: int, alignment: int = 0) -> int:
        self.builder.StartVector(size, count, alignment or size)
        self.builder.head -= len(data)
        self.builder.Bytes[self.builder.head : self.builder.head + len(data)] = data
        return self.end_vector()

    def end_object(self) -> int:
        return cast(int, self.builder.EndObject())

    def end_vector(self) -> int:
        return cast(int, self.builder.EndVector())


_NUMPY_TYPES = {"Int32": "<i4", "Int64": "<i8", "Float32": "<f4"}


def slots_of(options: type[Options]) -> tuple[Slot, ...]:
    """How the fields of an options class are stored, in slot order."""
    hints = get_type_hints(options, include_extras=True)
    return tuple(hints[field.name].__metadata__[0] for field in fields(options))


def _options_type(name: str) -> int:
    return int(getattr(BuiltinOptions, name))
