"""Random models load in the reference interpreters, have the shapes they claim, and are worth running."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from byrote.verify import oracle
from tests.support.random_graphs import BASIC, MORE, inputs_of, random_graph, shuffled
from tests.support.tflite_builder import ModelSpec

needs_tflm = pytest.mark.skipif(oracle.tflm_missing() is not None, reason=str(oracle.tflm_missing()))
needs_litert = pytest.mark.skipif(oracle.litert_missing() is not None, reason=str(oracle.litert_missing()))
few = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def runs(spec: ModelSpec, litert: bool = False) -> None:
    model = spec.to_bytes()
    graph = spec.subgraphs[0]
    calls = [inputs_of(spec, seed) for seed in range(4)]
    for run in oracle.litert_calls(model, calls) if litert else oracle.tflm_calls(model, calls):
        shapes = [graph.tensors[index].shape for index in graph.outputs or ()]
        assert [output.shape for output in run.outputs] == shapes


@needs_tflm
@few
@given(random_graph())
def test_basic_models_load(spec: ModelSpec) -> None:
    runs(spec)


@needs_tflm
@few
@given(random_graph(BASIC + MORE, largest_depth=8))
def test_all_models_load(spec: ModelSpec) -> None:
    runs(spec)


@needs_litert
@few
@given(random_graph(BASIC + MORE, biases=True))
def test_models_with_biases_load_in_litert(spec: ModelSpec) -> None:
    runs(spec, litert=True)


@few
@given(random_graph(), st.integers(0, 99))
def test_shuffling_keeps_the_operators(spec: ModelSpec, seed: int) -> None:
    before, after = spec.subgraphs[0].operators, shuffled(spec, seed).subgraphs[0].operators
    assert Counter(map(repr, before)) == Counter(map(repr, after))


@needs_tflm
def test_most_outputs_are_spread() -> None:
    """Models whose outputs are all alike would prove nothing."""
    lively: list[bool] = []

    @settings(few, max_examples=100)
    @given(random_graph())
    def collect(spec: ModelSpec) -> None:
        outputs = oracle.tflm(spec.to_bytes(), inputs_of(spec, 4))
        largest = max(outputs, key=lambda output: output.size)
        lively.append(len(set(largest.ravel().tolist())) > min(4, largest.size // 2))

    collect()
    assert sum(lively) > 0.5 * len(lively)
