"""Passes keep every output byte; each is tried on random models and on the case that it is made for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tflite.BuiltinOperator import BuiltinOperator as Code

from byrote.importers.tflite import import_tflite
from byrote.ir import Graph
from byrote.ir.interpret import interpret, outputs_of
from byrote.ops import Profile
from byrote.passes import PIPELINE, move_conversions, run_passes
from byrote.passes.channels import remove_channels
from byrote.passes.dead_code import remove_dead_code
from byrote.passes.reshapes import absorb_reshapes
from tests.support.options import RELU, Conv2DOptions, FullyConnectedOptions
from tests.support.random_graphs import BASIC, inputs_of, random_graph
from tests.support.sketch import Sketch, per_tensor
from tests.support.tflite_builder import ModelSpec

few = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
RNG = np.random.default_rng(5)


def graph_of(spec: ModelSpec) -> Graph:
    return import_tflite(spec.to_bytes(), "model", "model", Profile.TFLM)


def assert_same(before: Graph, after: Graph, spec: ModelSpec) -> None:
    for seed in range(4):
        given_inputs = tuple(np.asarray(array) for array in inputs_of(spec, seed))
        expected = outputs_of(before, interpret(before, given_inputs))
        for a, b in zip(expected, outputs_of(after, interpret(after, given_inputs)), strict=True):
            np.testing.assert_array_equal(a, b)


@few
@given(random_graph(BASIC))
def test_random_models_keep_every_byte(spec: ModelSpec) -> None:
    before = graph_of(spec)
    after, records = run_passes(before)
    assert len(records) == len(PIPELINE)
    assert after.macs <= before.macs or any(node.op.name == "CONV_2D" for node in after.nodes)
    assert_same(before, after, spec)


def dead_channel_model(padded: bool, zero: int) -> ModelSpec:
    """A convolution of 12 channels, 7 of them constant, that another one reads."""
    sketch = Sketch()
    x = sketch.input((1, 6, 6, 4), per_tensor(0.05, 3))
    weights = RNG.integers(-127, 128, (12, 3, 3, 4), dtype=np.int8)
    bias = RNG.integers(-200, 200, 12, dtype=np.int32)
    bias[2:7] = -(2**20)  # never reaches the clamp's lower end
    bias[8:10] = 2**20  # always at the upper end
    y = sketch.conv2d(x, weights, bias, (0.01,) * 12, to=per_tensor(0.1, zero), options=Conv2DOptions(activation=RELU))
    weights = RNG.integers(-127, 128, (8, 3, 3, 12), dtype=np.int8)
    options = Conv2DOptions(padding=0 if padded else 1)
    z = sketch.conv2d(
        y, weights, RNG.integers(-200, 200, 8, dtype=np.int32), (0.01,) * 8, to=per_tensor(0.5), options=options
    )
    return sketch.model(z)


@pytest.mark.parametrize("zero", [-128, -100])
@pytest.mark.parametrize("padded", [False, True])
def test_constant_channels_go_where_that_is_exact(padded: bool, zero: int) -> None:
    spec = dead_channel_model(padded, zero)
    before = graph_of(spec)
    after = remove_channels(before)
    assert_same(before, after, spec)
    # The five at the zero point always go; the two at the upper end only if every window sees all taps.
    kept = after.tensors[after.nodes[0].outputs[0]]
    assert kept.type.shape[-1] == 8
    assert kept.origin.channel_map is not None
    assert {0, 1, 7, 10, 11} <= set(kept.origin.channel_map)
    assert ({8, 9} <= set(kept.origin.channel_map)) == padded


def test_nothing_is_removed_where_all_is_needed() -> None:
    sketch = Sketch()
    x = sketch.input((1, 4, 4, 4), per_tensor(0.05))
    weights = RNG.integers(1, 128, (4, 1, 1, 4), dtype=np.int8)
    y = sketch.conv2d(x, weights, np.zeros(4, np.int32), (0.01,) * 4, to=per_tensor(0.1), options=Conv2DOptions())
    graph = graph_of(sketch.model(y))
    assert remove_channels(graph) is graph


def test_a_reshape_before_a_dense_layer_goes() -> None:
    sketch = Sketch()
    x = sketch.input((1, 4, 4, 2), per_tensor(0.05))
    flat = sketch.reshape(sketch.reshape(x, (1, 2, 16)), (1, 32))
    weights = RNG.integers(-127, 128, (3, 32), dtype=np.int8)
    y = sketch.fully_connected(
        flat, weights, np.zeros(3, np.int32), (0.01,), to=per_tensor(0.1), options=FullyConnectedOptions()
    )
    spec = sketch.model(y)
    before = graph_of(spec)
    after = remove_dead_code(absorb_reshapes(before))
    assert [node.op.name for node in after.nodes] == ["FULLY_CONNECTED"]
    assert_same(before, after, spec)


def test_conversions_at_the_edge_move_to_the_caller() -> None:
    sketch = Sketch()
    x = sketch.input((1, 8), None, "float32")
    q = sketch.quantize(x, per_tensor(0.05, 3))
    weights = RNG.integers(-127, 128, (3, 8), dtype=np.int8)
    y = sketch.fully_connected(
        q, weights, np.zeros(3, np.int32), (0.01,), to=per_tensor(0.1), options=FullyConnectedOptions()
    )
    graph = graph_of(sketch.model(sketch.dequantize(y)))
    moved, edges = move_conversions(graph)
    moved = remove_dead_code(moved)
    assert [node.op.name for node in moved.nodes] == ["FULLY_CONNECTED"]
    inner = (RNG.integers(-128, 128, (1, 8), dtype=np.int8),)
    outer = outputs_of(graph, interpret(graph, edges.outer_inputs(inner)))
    mine = edges.outer_outputs(outputs_of(moved, interpret(moved, inner)))
    np.testing.assert_array_equal(outer[0], mine[0])


def test_a_pad_goes_into_the_convolution_that_reads_it() -> None:
    sketch = Sketch()
    x = sketch.input((1, 5, 6, 2), per_tensor(0.05, 7))
    padded = sketch.pad(x, ((0, 0), (1, 2), (0, 3), (0, 0)))
    weights = RNG.integers(-127, 128, (3, 3, 3, 2), dtype=np.int8)
    options = Conv2DOptions(padding=1)
    y = sketch.conv2d(padded, weights, np.zeros(3, np.int32), (0.01,) * 3, to=per_tensor(0.1), options=options)
    spec = sketch.model(y)
    before = graph_of(spec)
    after, _ = run_passes(before)
    assert [node.op.name for node in after.nodes] == ["CONV_2D"]
    assert_same(before, after, spec)


def test_a_relu_goes_into_the_operator_before_it() -> None:
    sketch = Sketch()
    x = sketch.input((1, 4, 4, 2), per_tensor(0.05))
    weights = RNG.integers(-127, 128, (3, 3, 3, 2), dtype=np.int8)
    y = sketch.conv2d(x, weights, np.zeros(3, np.int32), (0.01,) * 3, to=per_tensor(0.1, -20), options=Conv2DOptions())
    z = sketch.unary(Code.RELU, y, sketch.quant(y), None, sketch.shape(y))
    spec = sketch.model(z)
    before = graph_of(spec)
    after, _ = run_passes(before)
    assert [node.op.name for node in after.nodes] == ["CONV_2D"]
    assert_same(before, after, spec)
