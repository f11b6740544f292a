"""The reference interpreters give the answers stored beside public models, calls with state among them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from byrote.verify import oracle
from tests.models.public import model_path, stored_cases

ENGINES = {
    "tflm": (oracle.tflm_calls, oracle.tflm_missing),
    "ref": (oracle.litert_calls, oracle.litert_missing),
}
Engine = Callable[..., tuple[oracle.Run, ...]]


@pytest.mark.parametrize("reference", ENGINES)
@pytest.mark.parametrize("name", ["micro_speech_int8", "fan_lresnet_int8", "rnnoise_gru_int8"])
def test_stored_answers(name: str, reference: str) -> None:
    engine = engine_of(reference)
    model = model_path(name).read_bytes()
    for inputs, outputs in stored_cases(name, reference):
        (run,) = engine(model, [inputs])
        for ours, stored in zip(run.outputs, outputs, strict=True):
            np.testing.assert_array_equal(ours, stored)


@pytest.mark.parametrize("reference", ENGINES)
@pytest.mark.parametrize("name", ["mnist_lstm_int8", "keyword_scrambled_svdf_int8"])
def test_stored_sequences(name: str, reference: str) -> None:
    """One interpreter for all 24 steps of a case."""
    engine = engine_of(reference)
    model = model_path(name).read_bytes()
    for inputs, outputs in stored_cases(name, reference):
        runs = engine(model, [[sequence[step] for sequence in inputs] for step in range(len(inputs[0]))])
        for step, run in enumerate(runs):
            for ours, stored in zip(run.outputs, outputs, strict=True):
                np.testing.assert_array_equal(ours, stored[step])


def engine_of(reference: str) -> Engine:
    engine, missing = ENGINES[reference]
    reason = missing()
    if reason:
        pytest.skip(reason)
    return engine
