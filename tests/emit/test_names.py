"""Text from a model never reaches C, JSON or paths as it is."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from byrote.cli.main import main
from byrote.driver import compile_model
from byrote.emit.names import comment, identifier, unique_macros
from byrote.options import CompileOptions
from tests.support.sketch import Sketch, per_tensor

NASTY = [
    "int",
    "x/y:0",
    "a/*b",
    "*/ #include </etc/passwd>",
    "日本",
    "",
    '"; system("true")',
    "n" * 10_000,
    "../../etc/passwd",
    "line\nbreak\\",
    "??/trigraph??'",
    "NULL\x00byte",
    "1st",
    "_Bool",
    "same",
    "same",
]


@pytest.mark.parametrize("name", NASTY)
def test_identifiers_are_identifiers(name: str) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,41}", identifier(name))


@pytest.mark.parametrize("name", NASTY)
def test_comments_cannot_end_or_continue(name: str) -> None:
    text = comment(name)
    assert not re.search(r"\*|\\|\?|\n|[^ -~]", text)
    assert len(text) <= 60


def test_macros_of_equal_names_appear_once() -> None:
    assert unique_macros(["a b", "a_b", "c"]) == ("A_B", None, "C")


def nasty_model() -> bytes:
    """A chain of dense layers whose tensors have all the nasty names; two inputs and outputs with one name."""
    sketch = Sketch()
    rng = np.random.default_rng(1)
    ends = [sketch.input((1, 4), per_tensor(0.1), name=name) for name in ("same", "same")]
    outputs: list[int] = []
    for end in ends:
        x = end
        for _ in range(len(NASTY) // 2):
            weights = rng.integers(-127, 128, (4, 4), dtype=np.int8)
            x = sketch.fully_connected(x, weights, np.zeros(4, np.int32), (0.02,), to=per_tensor(0.1))
        outputs.append(x)
    tensors = iter(NASTY * 8)
    spec = sketch.model(*outputs)
    graph = spec.subgraphs[0]
    renamed = tuple(replace(tensor, name=next(tensors)) for tensor in graph.tensors)
    return replace(spec, subgraphs=(replace(graph, tensors=renamed),)).to_bytes()


@pytest.mark.parametrize("name", NASTY[:13])
def test_a_model_with_nasty_names_is_valid_c(name: str, tmp_path: Path) -> None:
    model = tmp_path / "model.tflite"
    model.write_bytes(nasty_model())
    compiled = compile_model(model, CompileOptions(name=name))
    folder = tmp_path / "out"
    written = compiled.write(folder)
    assert all(path.parent == folder for path in written)
    sources = [str(folder / source) for source in compiled.program.sources]
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-c", *sources]
    subprocess.run(command, cwd=tmp_path, check=True)


def test_json_is_valid_with_nasty_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "日本 */.tflite".replace("/", "")
    model.write_bytes(nasty_model())
    assert main(["check", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "model"
