"""What is refused, in which words; and what is odd but legal, and accepted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tflite.BuiltinOperator import BuiltinOperator as Code

from byrote.errors import UserError
from byrote.importers.tflite import import_tflite
from byrote.ir import Graph
from byrote.ops import Profile
from tests.support.options import Conv2DOptions, FullyConnectedOptions, ReshapeOptions
from tests.support.sketch import Sketch, per_tensor
from tests.support.tflite_builder import ModelSpec, OperatorSpec, QuantSpec, SubgraphSpec, TensorSpec

RNG = np.random.default_rng(3)


def graph_of(spec: ModelSpec | bytes) -> Graph:
    data = spec if isinstance(spec, bytes) else spec.to_bytes()
    return import_tflite(data, "model", "m.tflite", Profile.TFLM)


def refusal(spec: ModelSpec | bytes) -> str:
    with pytest.raises(UserError) as caught:
        graph_of(spec)
    return str(caught.value)


def dense(**changes: object) -> ModelSpec:
    """x [1, 8] -> FULLY_CONNECTED -> y [1, 4]: tensors 0 x, 1 weights, 2 bias, 3 y."""
    sketch = Sketch()
    x = sketch.input((1, 8), per_tensor(0.1), name="x")
    weights = RNG.integers(-127, 128, (4, 8), dtype=np.int8)
    y = sketch.fully_connected(x, weights, np.zeros(4, np.int32), (0.02,), per_tensor(0.2))
    return edited(sketch.model(y), **changes)


def edited(spec: ModelSpec, **changes: object) -> ModelSpec:
    """The model with another field in one tensor (`tensor=index`), or in the subgraph."""
    graph = spec.subgraphs[0]
    index = changes.pop("tensor", None)
    if isinstance(index, int):
        tensors = list(graph.tensors)
        tensors[index] = replace(tensors[index], **changes)  # pyright: ignore[reportArgumentType]
        graph = replace(graph, tensors=tuple(tensors))
    else:
        graph = replace(graph, **changes)  # pyright: ignore[reportArgumentType]
    return replace(spec, subgraphs=(graph,))


REFUSED: dict[str, tuple[Callable[[], ModelSpec | bytes], str]] = {
    "buffer index": (
        lambda: dense(tensor=1, data=None, buffer=9999),
        "m.tflite: tensor 1 'c1': buffer index 9999 is out of range, there are 2 (export the model again)",
    ),
    "huge dimensions": (
        lambda: dense(tensor=1, shape=(2**20, 2**20)),
        "m.tflite: tensor 1 'c1': shape [1048576, 1048576] has 1099511627776 elements, more than 16777216",
    ),
    "more elements than bytes": (
        lambda: dense(tensor=1, shape=(4, 9)),
        "m.tflite: tensor 1 'c1': shape [4, 9] needs 36 bytes, its buffer has 32 (export the model again)",
    ),
    "negative dimension": (
        lambda: dense(tensor=0, shape=(1, -8)),
        "m.tflite: tensor 0 'x': shape [1, -8] has a dimension below 1 (export it with a static shape)",
    ),
    "scale NaN": (
        lambda: dense(tensor=3, quant=QuantSpec((float("nan"),))),
        "m.tflite: tensor 3 't3': scale nan is not a finite non-negative number (calibrate the model again)",
    ),
    "scale infinite": (
        lambda: dense(tensor=3, quant=QuantSpec((float("inf"),))),
        "m.tflite: tensor 3 't3': scale inf is not a finite non-negative number (calibrate the model again)",
    ),
    "zero point": (
        lambda: dense(tensor=3, quant=QuantSpec((0.1,), (300,))),
        "m.tflite: tensor 3 't3': zero point 300 is outside int8 (calibrate the model again)",
    ),
    "weight zero point": (
        lambda: dense(tensor=1, quant=QuantSpec((0.02,), (5,))),
        "m.tflite: operator 0 FULLY_CONNECTED: weights 'c1' have zero point 5, only 0 is supported "
        "(quantise weights symmetrically)",
    ),
    "input tensor that does not exist": (
        lambda: dense(inputs=(7,)),
        "m.tflite: graph input: tensor 7 does not exist, there are 4 (export the model again)",
    ),
    "no output": (lambda: dense(outputs=()), "m.tflite: the graph: it has no output (export the model again)"),
    "not a model": (
        lambda: b"\x18\x00\x00\x00TFL3",
        "m.tflite: the file is truncated: 8 bytes (export the model again)",
    ),
    "float model": (
        lambda: dense(tensor=0, dtype="float32", quant=None),
        "m.tflite: operator 0 FULLY_CONNECTED: tensor 'x' is float32, supported here is int8 "
        "(convert the model to full int8)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_where_what_and_what_to_do(case: str) -> None:
    make, text = REFUSED[case]
    assert refusal(make()) == text


def test_a_truncated_file_is_refused_at_any_length() -> None:
    data = dense().to_bytes()
    for length in range(8, len(data) // 2, 11):
        assert refusal(data[:length]).startswith("m.tflite: ")


def chain(*operators: OperatorSpec, tensors: int = 4) -> ModelSpec:
    quant = QuantSpec((0.1,))
    specs = tuple(TensorSpec(f"t{i}", (1, 4), "int8", quant) for i in range(tensors))
    return ModelSpec((SubgraphSpec(specs, operators, (0,), (tensors - 1,)),))


def relu(source: int, target: int) -> OperatorSpec:
    return OperatorSpec(Code.RELU, (source,), (target,))


def test_a_cycle_is_refused() -> None:
    text = refusal(chain(OperatorSpec(Code.ADD, (0, 2), (1,)), relu(1, 2), relu(2, 3)))
    assert text.endswith("its input depends on its own output (export the model again)")


def test_a_tensor_written_twice_is_refused() -> None:
    text = refusal(chain(relu(0, 1), relu(0, 1), relu(1, 2), relu(2, 3)))
    assert text == (
        "m.tflite: operator 1 RELU: tensor 1 't1' is already written by operator 0 (export the model again)"
    )


def test_a_tensor_that_nothing_writes_is_refused() -> None:
    text = refusal(chain(relu(1, 2), relu(2, 3)))
    assert text == "m.tflite: operator 0 RELU: nothing writes tensor 1 't1' (export the model again)"


def test_all_unsupported_operators_are_named_at_once() -> None:
    text = refusal(
        chain(
            OperatorSpec(Code.SVDF, (0,), (1,)),
            OperatorSpec(Code.CUSTOM, (1,), (2,), custom_code="Magic\n"),
            OperatorSpec(Code.WHILE, (2,), (3,)),
        )
    )
    assert [line.split(": ")[1] for line in text.splitlines()] == [
        "operator 0 SVDF",
        "operator 1 CUSTOM Magic.",
        "operator 2 WHILE",
    ]


def test_what_the_outputs_do_not_need_may_be_unsupported() -> None:
    spec = chain(relu(0, 3), OperatorSpec(Code.SVDF, (0,), (1,)))
    assert [node.op.name for node in graph_of(spec).nodes] == ["RELU"]


# Odd, but legal


def test_operators_may_be_listed_out_of_order() -> None:
    graph = graph_of(chain(relu(2, 3), relu(1, 2), relu(0, 1)))
    assert [node.origin.index for node in graph.nodes] == [2, 1, 0]


def test_batch_may_be_unknown_in_the_signature() -> None:
    assert graph_of(dense(tensor=0, shape_signature=(-1, 8))).inputs[0].type.shape == (1, 8)


def test_vectors_may_be_missing() -> None:
    spec = chain(relu(0, 3))
    graph = spec.subgraphs[0]
    loose = replace(graph.tensors[3], quant=QuantSpec((0.1,), None))
    assert graph_of(edited(spec, tensors=(*graph.tensors[:3], loose))).nodes


def test_a_reshape_may_have_no_options_or_an_open_dimension() -> None:
    for shape in ((2, 4), (-1, 4)):
        sketch = Sketch()
        x = sketch.input((1, 8), per_tensor(0.1))
        to = sketch.ints(*shape)
        y = sketch.tensor((2, 4), per_tensor(0.1))
        sketch.operators.append(OperatorSpec(Code.RESHAPE, (x, to), (y,)))
        assert graph_of(sketch.model(y)).outputs[0].type.shape == (2, 4)
    sketch = Sketch()
    x = sketch.input((1, 8), per_tensor(0.1))
    y = sketch.tensor((2, 4), per_tensor(0.1))
    sketch.operators.append(OperatorSpec(Code.RESHAPE, (x,), (y,), ReshapeOptions(new_shape=(2, -1))))
    assert graph_of(sketch.model(y)).outputs[0].type.shape == (2, 4)


def test_operator_versions_do_not_matter() -> None:
    spec = dense()
    operator = replace(spec.subgraphs[0].operators[0], version=2)
    assert graph_of(edited(spec, operators=(operator,))).nodes


def test_a_dense_layer_may_read_a_map() -> None:
    sketch = Sketch()
    x = sketch.input((1, 2, 2, 2), per_tensor(0.1))
    weights = RNG.integers(-127, 128, (4, 8), dtype=np.int8)
    y = sketch.fully_connected(x, weights, None, (0.02,), per_tensor(0.2), FullyConnectedOptions())
    assert graph_of(sketch.model(y)).outputs[0].type.shape == (1, 4)


def test_a_bias_may_have_an_odd_quantised_dimension() -> None:
    assert graph_of(dense(tensor=2, quant=QuantSpec((0.002,), (0,), 3))).nodes


def test_a_weight_scale_of_zero_is_a_dead_channel() -> None:
    sketch = Sketch()
    x = sketch.input((1, 4, 4, 2), per_tensor(0.1))
    weights = RNG.integers(-127, 128, (3, 1, 1, 2), dtype=np.int8)
    y = sketch.conv2d(x, weights, None, (0.02, 0.0, 0.02), per_tensor(0.2), Conv2DOptions())
    graph = graph_of(sketch.model(y))
    data = graph.tensors[graph.nodes[0].inputs[1]].data
    assert data is not None
    assert not data[1].any()
    assert graph.warnings == ("tensor 1 'c1' has scale 0 in 1 of 3 channels: they are constant",)


def test_constants_may_share_a_buffer() -> None:
    spec = dense()
    graph = spec.subgraphs[0]
    shared = replace(graph.tensors[1], data=None, buffer=1)
    spec = replace(edited(spec, tensors=(graph.tensors[0], shared, *graph.tensors[2:])), buffers=(bytes(32),))
    assert graph_of(spec).nodes


def test_a_file_that_is_cut_short_is_one_sentence() -> None:
    whole = dense().to_bytes()
    said = refusal(whole[: len(whole) * 3 // 4])
    assert said == "m.tflite: the file is damaged or cut short: a part of it cannot be read (export it again)"
