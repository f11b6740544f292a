"""What does not fit is said with numbers, culprits and remedies; the sentences are part of the product."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from byrote.cli.main import main
from byrote.driver import compile_model
from byrote.options import CompileOptions
from byrote.schedule import Goal, Granularity
from tests.memories.network import residual
from tests.support.options import Conv2DOptions
from tests.support.sketch import Sketch, per_tensor


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return residual(tmp_path_factory.mktemp("model") / "residual.tflite")


def test_ram_that_is_too_small(model: Path) -> None:
    report = compile_model(model, CompileOptions(ram=1024)).report()
    (found,) = report.shortfalls
    assert (found.memory, found.needed, found.limit, found.excess) == ("RAM", 1536, 1024, 512)
    assert found.at == "layer 1 CONV_2D runs"
    assert [(b.layer, b.role, b.size) for b in found.buffers[:3]] == [
        (None, "input", 768),
        (0, "kept rows", 384),
        (0, "fresh rows", 192),
    ]
    assert found.text == (
        "RAM: 1,536 bytes are needed, 1,024 are there: 512 too many. When layer 1 CONV_2D runs, these are alive: "
        "t0 (input) 768, t3 of 0 CONV_2D (kept rows) 384, t3 of 0 CONV_2D (fresh rows) 192, 2 more of 240. "
        f"Bytes needed with --optimize ram --push-input {found.remedies[0].needed}: it fits."
    )
    assert found.remedies[0].needed <= 1024


def test_what_nothing_helps(model: Path) -> None:
    options = CompileOptions(ram=512, goal=Goal.RAM, push_input=True)
    (found,) = compile_model(model, options).report().shortfalls
    assert found.remedies == ()
    assert found.text.startswith("RAM: 924 bytes are needed, 512 are there: 412 too many. When ")
    assert found.text.endswith(". No other options need less RAM.")


def test_what_would_help(model: Path) -> None:
    options = CompileOptions(ram=4096, goal=Goal.SPEED, granularity=Granularity.WHOLE)
    (found,) = compile_model(model, options).report().shortfalls
    pushed, resident = found.remedies
    assert pushed.needed < resident.needed <= 4096
    assert (pushed.excess, resident.excess) == (0, 0)
    assert found.text == (
        f"RAM: {found.needed:,} bytes are needed, 4,096 are there: {found.excess:,} too many. "
        "When layer 2 CONV_2D runs, these are alive: "
        "t3 of 0 CONV_2D (whole tensor) 3,072, t6 of 1 CONV_2D (whole tensor) 3,072, "
        "t9 of 2 CONV_2D (whole tensor) 3,072. Bytes needed "
        f"with --optimize ram --schedule auto --push-input {pushed.needed:,}: it fits; "
        f"with --optimize ram --schedule auto {resident.needed:,}: it fits."
    )


def test_flash_that_is_too_small(model: Path) -> None:
    (found,) = compile_model(model, CompileOptions(flash=1024)).report().shortfalls
    assert found.excess == found.needed - 1024 > 0
    assert re.fullmatch(
        rf"flash: {found.needed:,} bytes are needed, 1,024 are there: {found.excess:,} too many\. "
        r"The largest constants: 1 CONV_2D t6 [\d,]+, 0 CONV_2D t3 \d+, 2 CONV_2D t9 \d+\. "
        r"The kernels with the smallest constants were taken already\.",
        found.text,
    )


def test_one_of_two_memories(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(model), "--ram", "a=1200,b=200", "--json"]) == 1
    printed = capsys.readouterr()
    (found,) = json.loads(printed.out)["shortfalls"]
    assert (found["memory"], found["excess"]) == ("b", 1288)
    assert {buffer["memory"] for buffer in found["buffers"]} == {"b"}
    assert printed.err == (
        "byrote: residual does not fit: b: 1,488 bytes are needed, 200 are there: 1,288 too many. When layer 1 CONV_2D "
        "runs, these are alive: t0 (input) 768, t3 of 0 CONV_2D (kept rows) 384, t3 of 0 CONV_2D (fresh rows) 192, "
        "1 more of 192. Bytes needed in all memories together with --optimize ram --push-input "
        f"{found['remedies'][0]['needed']}: it fits.\n"
    )


def test_conversions_and_a_kept_input_cost_ram(tmp_path: Path) -> None:
    """A float input is four times as large, and pushing it by rows spares most of it."""
    rng = np.random.default_rng(2)
    sketch = Sketch()
    x = sketch.quantize(sketch.input((1, 16, 16, 4), None, dtype="float32"), per_tensor(0.05))
    same = Conv2DOptions(padding=0, stride_h=1, stride_w=1)
    weights = rng.integers(-127, 128, (4, 3, 3, 4), dtype=np.int8)
    y = sketch.conv2d(x, weights, np.zeros(4, np.int32), (0.01,) * 4, to=per_tensor(0.1), options=same)
    path = tmp_path / "floats.tflite"
    path.write_bytes(sketch.model(y).to_bytes())
    options = CompileOptions(ram=1000, keep_input=True, goal=Goal.RAM)
    (found,) = compile_model(path, options).report().shortfalls
    assert [remedy.options for remedy in found.remedies][-1] == "without --keep-input"
    assert any("--io int8" in remedy.options for remedy in found.remedies)
    needed = [remedy.needed for remedy in found.remedies]
    assert needed == sorted(needed)
    assert needed[-1] < found.needed
    assert " without --keep-input " in found.text


def test_people_are_told_first(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(model), "--ram", "1K"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith(
        "residual for cortex-m4, profile tflm: does not fit RAM: 1,536 bytes are needed, 1,024 are there: 512 too many."
    )


def test_nothing_is_said_of_what_fits(model: Path) -> None:
    assert compile_model(model, CompileOptions()).report().shortfalls == ()
