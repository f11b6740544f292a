"""Random models: what byrote computes equals TFLM, byte for byte, on random and extreme inputs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from tflite.BuiltinOperator import BuiltinOperator

from byrote.driver import Compiled, compile_model
from byrote.errors import UserError
from byrote.importers.tflite import import_tflite
from byrote.ir import Array, Graph
from byrote.ir.interpret import interpret, outputs_of
from byrote.ops import OPERATORS, Profile
from byrote.options import CompileOptions
from byrote.schedule import Goal, Granularity
from byrote.verify import oracle
from byrote.verify.replay import Replay
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


VARIANTS = {
    "default": CompileOptions(),
    "plain kernels": CompileOptions(target="cortex-m0", granularity=Granularity.WHOLE),
    "least memory": CompileOptions(goal=Goal.RAM),
    "pushed": CompileOptions(goal=Goal.RAM, push_input=True),
    "fastest, input kept": CompileOptions(goal=Goal.SPEED, keep_input=True),
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_generated_c_equals_tflm(variant: str) -> None:
    run_random_models(VARIANTS[variant], examples=4)


def run_random_models(options: CompileOptions, examples: int) -> None:
    """Compile random models for a core, run their C on this computer, and replay their memory plans."""

    @settings(quick, max_examples=examples)
    @given(random_graph(STEPS))
    def check(spec: ModelSpec) -> None:
        needs_only_what_we_have(spec)
        model = spec.to_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.tflite"
            path.write_bytes(model)
            inputs = inputs_of(spec, 4)
            compiled = compiled_or_rejected(path, options)
            r = compiled.result
            Replay(r.graph, r.schedule, r.selection, r.homes, r.plan.offsets, r.plan.height).run()
            assert_same(compiled.run(*inputs), oracle.tflm(model, inputs))

    check()


def compiled_or_rejected(path: Path, options: CompileOptions) -> Compiled:
    """Models that cannot be pushed are given up."""
    try:
        return compile_model(path, options)
    except UserError as reason:
        if options.push_input and ("row by row" in str(reason) or "inputs" in str(reason)):
            reject()
        raise
