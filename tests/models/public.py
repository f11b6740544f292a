"""Public models, which are not part of the repository: a folder `shared` beside the checkout may hold them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from byrote.driver import Compiled, compile_model
from byrote.ir import Array
from byrote.options import CompileOptions
from byrote.verify.inputs import Inputs


def shared() -> Path | None:
    """The folder, if it is there."""
    for parent in Path(__file__).resolve().parents:
        if (parent / "shared" / "models").is_dir():
            return parent / "shared"
    return None


def model_path(name: str) -> Path:
    """A model's file; skips the test without it."""
    folder = shared()
    if folder is None or not (folder / "models" / f"{name}.tflite").exists():
        pytest.skip(f"the public model {name} is not here (shared/models beside the checkout)")
    return folder / "models" / f"{name}.tflite"


@cache
def compiled(name: str, options: CompileOptions) -> Compiled:
    """A compiled model; skips without the file."""
    return compile_model(model_path(name), options)


def stored_cases(name: str, reference: str = "tflm") -> tuple[tuple[Inputs, Inputs], ...]:
    """(inputs, outputs of the reference) as stored beside a model."""
    with np.load(model_path(name).with_suffix(".npz")) as archive:
        arrays: dict[str, Array] = {key: archive[key] for key in archive.files}

    def row(kind: str, case: int) -> Inputs:
        return tuple(arrays[f"{kind}{case}_{i}"] for i in range(16) if f"{kind}{case}_{i}" in arrays)

    return tuple((row("x", case), row(reference, case)) for case in range(3) if f"{reference}{case}_0" in arrays)


def baseline_output(name: str) -> bytes | None:
    """The output bytes that the reference engine gave for `baseline_inputs`, if they are stored."""
    folder = shared()
    path = folder / "baseline.json" if folder is not None else None
    if path is None or not path.exists():
        return None
    stored = json.loads(path.read_text())["outputs"].get(name)
    return bytes.fromhex(stored["tflm_x86"]) if stored else None
