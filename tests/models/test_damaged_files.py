"""Damaged files end in a message or in a model, soon, in little memory; `scripts/fuzz_files.py` runs thousands more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import byrote.cli.summary
import byrote.driver
from byrote.cli.main import main
from tests.support.limited import limited
from tests.support.mutate import mutate
from tests.support.sketch import Sketch, per_tensor

MODEL = Path(__file__).parents[2] / "examples" / "digits" / "digits_int8.tflite"
LOADED_BEFORE_FORKING = (np, byrote.driver, byrote.cli.summary)


@pytest.mark.parametrize("block", range(2))
def test_damaged_files_are_refused_or_compiled(block: int, tmp_path: Path) -> None:
    original = MODEL.read_bytes()
    path = tmp_path / "model.tflite"
    codes: set[int] = set()
    for seed in range(20 * block, 20 * block + 20):
        path.write_bytes(mutate(original, seed))
        outcome = limited(lambda: main(["check", str(path)]))
        assert outcome.fault(1 << 30) is None, (seed, outcome)
        codes.add(outcome.code)
        assert outcome.output.startswith("byrote: ") == (outcome.code == 2)
    assert codes == {0, 2}


def test_small_models_are_refused_at_every_length(tmp_path: Path) -> None:
    """A file cut anywhere is refused; its strings and padding at the end may be missing without harm to a reader."""
    sketch = Sketch()
    weights = np.ones((2, 1, 1, 1), np.int8)
    y = sketch.conv2d(sketch.input((1, 2, 2, 1), per_tensor(0.1)), weights, None, (0.1, 0.2), per_tensor(0.1))
    model = sketch.model(y).to_bytes()
    path = tmp_path / "model.tflite"
    for length in range(0, len(model), 37):
        path.write_bytes(model[:length])
        outcome = limited(lambda: main(["check", str(path)]))
        assert outcome.fault(1 << 30) is None, (length, outcome)
        assert outcome.code == 2 or length > len(model) // 2
