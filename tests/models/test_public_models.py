"""Public models: every output byte is TensorFlow Lite Micro's, and the arena is as small as promised."""

from __future__ import annotations

import numpy as np
import pytest

from byrote.emit import golden_inputs
from byrote.ops import Profile
from byrote.options import CompileOptions
from byrote.schedule import Goal, Granularity
from byrote.verify.inputs import generate
from byrote.verify.oracle import litert_missing
from tests.models.public import baseline_output, compiled, stored_cases

SMALLEST_WHOLE = CompileOptions(goal=Goal.RAM, granularity=Granularity.WHOLE)

ARENA = {
    "kws_dscnn_int8": 8_640,
    "vww_mobilenetv1_int8": 37_248,
    "ic_resnet8_int8": 33_792,
    "ad_autoencoder_int8": 768,
    "person_detect_int8": 37_248,
    "micro_speech_int8": 4_200,
    "sww_streaming_int8": 3_712,
    "hello_world_int8": 64,
}
"""Bytes that whole tensors may take, scratch included."""


OTHERS = {
    "fan_lresnet_int8": 100,
    "mcunet_detection_int8": 8,
    "mltk_rock_paper_scissors_int8": 40,
    "kws_micronet_m_int8": 20,
    "arrhythmia_effnet1d_int8": 40,
    "mltk_anomaly_dynbatch_int8": 100,
}
"""Further models, and how many random inputs each gets here (a script runs more)."""


@pytest.mark.parametrize("name", ARENA)
def test_arena_of_whole_tensors(name: str) -> None:
    assert compiled(name, SMALLEST_WHOLE).report().ram.arena <= ARENA[name]


@pytest.mark.parametrize("name", ARENA)
@pytest.mark.parametrize("options", [CompileOptions(), SMALLEST_WHOLE], ids=["default", "whole"])
def test_every_byte_is_right(name: str, options: CompileOptions) -> None:
    """Stored cases, the reference engine's golden bytes, random and extreme inputs; four on the emulated core."""
    model = compiled(name, options)
    stored = stored_cases(name)
    assert stored
    inputs = [given for given, _ in stored]
    golden = golden_inputs(model.result.source.inputs)
    host = model.verify_with([*inputs, golden, *generate(model.result.graph.inputs, 100)], emulated_inputs=4)
    assert host.failures == ()
    assert host.exact
    for given, expected in stored:
        for mine, theirs in zip(model.run(*given), expected, strict=True):
            np.testing.assert_array_equal(mine, theirs.reshape(mine.shape))
    bytes_stored = baseline_output(name)
    if bytes_stored is not None:
        assert model.run(*golden)[0].tobytes() == bytes_stored


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("int8_io", [False, True], ids=["keep", "int8"])
def test_other_models_are_right(name: str, int8_io: bool) -> None:
    model = compiled(name, CompileOptions(int8_io=int8_io))
    count = 4 if int8_io else OTHERS[name]
    inputs = [] if int8_io else [given for given, _ in stored_cases(name)]
    outcome = model.verify_with([*inputs, *generate(model.result.graph.inputs, count)], emulated_inputs=2)
    assert outcome.failures == ()
    assert outcome.exact


def test_arena_of_a_detector_with_int8_edges() -> None:
    options = CompileOptions(goal=Goal.RAM, granularity=Granularity.WHOLE, int8_io=True)
    assert compiled("mcunet_detection_int8", options).report().ram.arena <= 165_120


@pytest.mark.parametrize("name", [*ARENA, *OTHERS])
def test_the_other_profile_is_right_too(name: str) -> None:
    if name == "person_detect_int8":
        pytest.skip("LiteRT refuses this file")
    if litert_missing():
        pytest.skip(str(litert_missing()))
    model = compiled(name, CompileOptions(target="host", profile=Profile.LITERT))
    stored = stored_cases(name, "ref")
    assert stored
    inputs = [given for given, _ in stored]
    outcome = model.verify_with([*inputs, *generate(model.result.graph.inputs, 8)])
    assert outcome.failures == ()
    for given, expected in stored:
        for mine, theirs in zip(model.run(*given), expected, strict=True):
            np.testing.assert_array_equal(mine, theirs.reshape(mine.shape))
