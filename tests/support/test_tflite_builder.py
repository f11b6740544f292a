"""The writer of .tflite files: its tables are the schema's, and what is written can be read back."""

from __future__ import annotations

import importlib
import inspect
import math
import re
from collections.abc import Callable
from typing import cast

import numpy as np
import numpy.typing as npt
import pytest
from tflite.BuiltinOperator import BuiltinOperator
from tflite.Model import Model

from tests.support import options
from tests.support.options import Conv2DOptions, EmptyOptions, Options
from tests.support.tflite_builder import (
    ModelSpec,
    OperatorSpec,
    QuantSpec,
    SubgraphSpec,
    TensorSpec,
    constant,
    model,
    slots_of,
)

TABLES = sorted(
    (table for table in vars(options).values() if inspect.isclass(table) and issubclass(table, Options)),
    key=lambda table: table.__name__,
)


@pytest.mark.parametrize("table", [table for table in TABLES if table not in (Options, EmptyOptions)])
def test_options_have_the_slots_of_the_schema(table: type[Options]) -> None:
    source = inspect.getsource(importlib.import_module(f"tflite.{table.__name__}"))
    prepends = re.findall(r"Prepend(\w+)Slot\((\d+), .*?, ([\w.]+)\)\n", source)
    schema = {int(slot): (kind, float(default)) for kind, slot, default in prepends}
    pointers = ("Ints", "Text")
    mine = {
        position: ("UOffsetTRelative" if slot.kind in pointers else slot.kind, float(slot.default))
        for position, slot in enumerate(slots_of(table))
        if slot.kind != "Retired"
    }
    assert mine == schema


def at(table: object, path: str) -> object:
    """What the schema's accessors answer: "Subgraphs:0.Tensors:1.Name" calls Subgraphs(0), Tensors(1), Name()."""
    for step in path.split("."):
        name, _, index = step.partition(":")
        accessor: Callable[..., object] = getattr(table, name)
        table = accessor(int(index)) if index else accessor()
        if isinstance(table, np.ndarray):
            table = [float(number) for number in cast("npt.NDArray[np.float64]", table)]
    return table


def read(spec: ModelSpec) -> Callable[[str], object]:
    root = Model.GetRootAs(spec.to_bytes(), 0)
    return lambda path: at(root, path)


def test_a_model_reads_back() -> None:
    weights = constant("w", np.arange(8, dtype=np.int8).reshape(2, 2, 2, 1), QuantSpec((0.5, 0.25), (0, 0)))
    tensors = (TensorSpec("x", (1, 4, 4, 1), quant=QuantSpec((0.1,), (3,))), weights, TensorSpec(None, (1, 2, 2, 2)))
    convolution = OperatorSpec(BuiltinOperator.CONV_2D, (0, 1, -1), (2,), Conv2DOptions(stride_w=2), version=5)
    root = read(model(tensors, (convolution,), (0,), (2,)))
    assert root("OperatorCodes:0.Version") == 5
    assert root("Subgraphs:0.Operators:0.InputsAsNumpy") == [0, 1, -1]
    assert root("Subgraphs:0.Tensors:1.Quantization.ScaleAsNumpy") == [0.5, 0.25]
    assert root("Subgraphs:0.Tensors:1.Buffer") == 1
    assert root("Buffers:1.DataAsNumpy") == list(range(8))
    assert root("Subgraphs:0.Tensors:2.Name") is None
    assert root("Subgraphs:0.Tensors:0.Quantization.ZeroPoint:0") == 3


def test_buffers_are_aligned() -> None:
    tensors = tuple(constant(f"t{n}", np.full(n, n, np.int8)) for n in range(1, 20))
    data = model(tensors, (), (), ()).to_bytes()
    for n in range(3, 20):
        assert data.index(bytes([n] * n)) % 16 == 0


def test_damage_is_written_as_asked() -> None:
    odd = TensorSpec("t", None, dtype=99, quant=QuantSpec((math.nan,), None), buffer=9999)
    graph = SubgraphSpec((odd,), (OperatorSpec(1, None, (77,), options_type=200, code_index=5),), None, None, None)
    root = read(ModelSpec((graph,), schema_version=7))
    assert root("Version") == 7
    assert root("Subgraphs:0.Tensors:0.ShapeIsNone") is True
    assert root("Subgraphs:0.Tensors:0.Type") == 99
    assert root("Subgraphs:0.Tensors:0.Buffer") == 9999
    assert str(root("Subgraphs:0.Tensors:0.Quantization.Scale:0")) == "nan"
    assert root("Subgraphs:0.Operators:0.BuiltinOptionsType") == 200
    assert root("Subgraphs:0.Operators:0.OpcodeIndex") == 5
    assert root("Subgraphs:0.Operators:0.InputsIsNone") is True


def test_shared_buffers_subgraphs_and_custom_operators() -> None:
    shared = (TensorSpec("a", (2,), buffer=1), TensorSpec("b", (2,), buffer=1, is_variable=True))
    custom = OperatorSpec(BuiltinOperator.CUSTOM, (0,), (1,), custom_code="Mine", custom_options=b"\1\2")
    graph = SubgraphSpec(shared, (custom,), (0,), (1,))
    root = read(ModelSpec((graph, graph), buffers=(b"\5\6",), metadata=(("note", 1),)))
    assert [root(f"{name}Length") for name in ("Subgraphs", "Buffers", "OperatorCodes")] == [2, 2, 1]
    assert root("OperatorCodes:0.CustomCode") == b"Mine"
    assert root("Subgraphs:1.Operators:0.CustomOptionsAsNumpy") == [1, 2]
    assert root("Subgraphs:1.Tensors:1.IsVariable") is True
    assert root("Metadata:0.Name") == b"note"
