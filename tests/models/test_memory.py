"""The least memory that public models need, executed: arena in bytes, input resident or pushed row by row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from byrote.driver import compile_model
from byrote.ir.interpret import interpret, outputs_of
from byrote.options import CompileOptions
from byrote.schedule import Goal
from byrote.verify.inputs import generate
from tests.models.mobilenet import mobilenet_v2
from tests.models.public import compiled

RESIDENT = {
    "kws_dscnn_int8": 4_300,
    "vww_mobilenetv1_int8": 28_700,
    "ic_resnet8_int8": 12_500,
    "person_detect_int8": 13_000,
    "micro_speech_int8": 2_300,
    "sww_streaming_int8": 3_400,
    "mcunet_detection_int8": 72_500,
}
PUSHED = {
    "kws_dscnn_int8": 3_900,
    "vww_mobilenetv1_int8": 10_900,
    "ic_resnet8_int8": 11_000,
    "person_detect_int8": 10_600,
    "micro_speech_int8": 700,
    "sww_streaming_int8": 3_000,
    "mcunet_detection_int8": 22_800,
}


def options(name: str, *, push: bool, target: str = "cortex-m4") -> CompileOptions:
    return CompileOptions(goal=Goal.RAM, push_input=push, int8_io=name.startswith("mcunet"), target=target)


@pytest.mark.parametrize("name", RESIDENT)
def test_smallest_arena(name: str) -> None:
    assert compiled(name, options(name, push=False)).report().ram.arena <= RESIDENT[name]


@pytest.mark.parametrize("name", PUSHED)
def test_smallest_arena_of_pushed_input(name: str) -> None:
    assert compiled(name, options(name, push=True)).report().ram.arena <= PUSHED[name]


@pytest.mark.parametrize("push", [False, True], ids=["resident", "pushed"])
@pytest.mark.parametrize("name", RESIDENT)
def test_smallest_plans_run_exactly(name: str, push: bool) -> None:
    model = compiled(name, options(name, push=push))
    outcome = model.verify_with(generate(model.result.graph.inputs, 4), emulated_inputs=2)
    assert outcome.failures == ()
    assert outcome.exact
    assert outcome.stack.peak is not None
    assert outcome.stack.peak <= 256 + 36


@pytest.mark.parametrize(("push", "limit"), [(False, 200_000), (True, 108_000)], ids=["resident", "pushed"])
def test_a_large_network_with_random_weights(push: bool, limit: int, tmp_path: Path) -> None:
    """MobileNetV2 at 224x224: the C gives what the operators' definitions give."""
    path = tmp_path / "mobilenet.tflite"
    path.write_bytes(mobilenet_v2())
    model = compile_model(path, CompileOptions(goal=Goal.RAM, push_input=push))
    assert model.report().ram.arena <= limit
    given = generate(model.result.graph.inputs, 4)[3]
    expected = outputs_of(model.result.source, interpret(model.result.source, given))
    np.testing.assert_array_equal(model.run(*given)[0], expected[0])
