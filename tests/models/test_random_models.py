"""Random models: what byrote computes equals TFLM, byte for byte, on random and extreme inputs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from tflite.BuiltinOperator import BuiltinOperator

from byrote.driver import compile_model
from byrote.importers.tflite import import_tflite
from byrote.ir import Array, Graph
from byrote.ir.interpret import interpret, outputs_of
from byrote.ops import OPERATORS, Profile
from byrote.verify import oracle
from tests.support.random_graphs import BASIC, MORE, inputs_of, random_graph
from tests.support.tflite_builder import ModelSpec

NAMES = {value: name for name, value in vars(BuiltinOperator).items() if isinstance(value, int)}
SUPPORTED = frozenset(name for operator in OPERATORS for name in operator.names)
OTHER_STEPS = {"second input": "ADD", "square": "MUL"}
STEPS = tuple(step for step in BASIC + MORE if OTHER_STEPS.get(step, step) in SUPPORTED)

pytestmark = pytest.mark.skipif(oracle.tflm_missing() is not None, reason=str(oracle.tflm_missing()))
quick = settings(
    deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


def needs_only_what_we_have(spec: ModelSpec) -> None:
    """Gives up a model whose head has an operator that is not supported (yet)."""
    if any(NAMES[operator.code] not in SUPPORTED for operator in spec.subgraphs[0].operators):
        reject()


def assert_same(found: tuple[Array, ...], expected: tuple[Array, ...]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.reshape(other.shape), other)


@settings(quick, max_examples=150)
@given(random_graph(STEPS))
def test_definitions_equal_tflm(spec: ModelSpec) -> None:
    needs_only_what_we_have(spec)
    model = spec.to_bytes()
    graph: Graph = import_tflite(model, "model", "model", Profile.TFLM)
    calls = [inputs_of(spec, seed) for seed in (4, 1, 2, 3)]
    for inputs, run in zip(calls, oracle.tflm_calls(model, calls), strict=True):
        assert_same(outputs_of(graph, interpret(graph, inputs)), run.outputs)


@settings(quick, max_examples=6)
@given(random_graph(STEPS))
def test_generated_c_equals_tflm(spec: ModelSpec) -> None:
    needs_only_what_we_have(spec)
    model = spec.to_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.tflite"
        path.write_bytes(model)
        inputs = inputs_of(spec, 4)
        assert_same(compile_model(path).run(*inputs), oracle.tflm(model, inputs))
