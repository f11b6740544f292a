"""Public models: every output byte is TensorFlow Lite Micro's, and the arena is as small as promised."""

from __future__ import annotations

import numpy as np
import pytest

from byrote.emit import golden_inputs
from byrote.options import CompileOptions
from byrote.schedule import Goal, Granularity
from byrote.verify.inputs import generate
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
