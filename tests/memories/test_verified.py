"""Models in several memories on emulated cores: same bytes, no store outside the arenas, everything in its memory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from byrote.cli.main import main
from byrote.driver import Compiled, compile_model
from byrote.options import CompileOptions
from byrote.plan import Memory
from byrote.schedule import Goal, Granularity
from byrote.verify.memory import plan_check, replay_check
from tests.memories.network import residual

TIGHT = (Memory("dtcm", 3 << 10), Memory("sram", 64 << 10))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return residual(tmp_path_factory.mktemp("model") / "residual.tflite")


def assert_verified(compiled: Compiled, arenas: int) -> None:
    assert len(compiled.result.arenas) == arenas
    assert compiled.result.fits
    outcome = compiled.verify(3)
    assert outcome.failures == ()
    assert outcome.stray_stores == 0
    assert outcome.one_path


@pytest.mark.parametrize(
    "options",
    [
        CompileOptions(target="cortex-m7", memories=TIGHT, goal=Goal.SPEED),
        CompileOptions(target="cortex-m4", memories=TIGHT, push_input=True),
        CompileOptions(
            target="rv32imc",
            memories=(Memory("tcm", 1800), Memory("sram", 3 << 10), Memory("psram", 1 << 20)),
            granularity=Granularity.WHOLE,
        ),
    ],
)
def test_verified_on_cores(model: Path, options: CompileOptions) -> None:
    assert_verified(compile_model(model, options), len(options.memories))


def test_what_fits_the_first_memory_is_as_with_one(model: Path) -> None:
    one = compile_model(model, CompileOptions(name="same", ram=64 << 10))
    several = (Memory("dtcm", 64 << 10), Memory("sram", 64 << 10))
    two = compile_model(model, CompileOptions(name="same", memories=several))
    assert two.program.files == one.program.files
    assert [memory.used for memory in two.report().ram.memories] == [one.report().ram.arena, 0]


def test_hot_buffers_lie_in_the_fast_memory(model: Path) -> None:
    result = compile_model(model, CompileOptions(memories=TIGHT, goal=Goal.SPEED)).result
    fast = result.arenas[0]
    inside = [
        buffer.name
        for buffer, offset in zip(result.problem.buffers, result.plan.offsets, strict=True)
        if buffer.size and offset < fast.end
    ]
    assert inside
    assert fast.memory.name == "dtcm"
    assert fast.size <= 2048, "the stack needs room, too"


def test_a_target_lists_two_memories(model: Path) -> None:
    result = compile_model(model, CompileOptions(target="cortex-m7")).result
    assert [memory.name for memory in result.memories] == ["dtcm", "sram"]
    assert result.target.ram == sum(memory.capacity or 0 for memory in result.memories)


def test_the_checks_of_the_plan_see_a_buffer_between_two_memories(model: Path) -> None:
    result = compile_model(model, CompileOptions(target="host", memories=TIGHT, goal=Goal.SPEED)).result
    assert plan_check(result).passed
    assert replay_check(result).passed
    first, second = result.arenas
    cut = replace(result, arenas=(replace(first, size=first.size - 4), second))
    assert plan_check(cut).passed is False
    assert replay_check(cut).passed is False


def test_the_same_values_from_c(model: Path) -> None:
    given = np.random.default_rng(5).integers(-128, 128, (1, 16, 16, 3)).astype(np.int8)
    expected = compile_model(model, CompileOptions(target="host")).run(given)
    for push in (False, True):
        options = CompileOptions(memories=TIGHT, push_input=push)
        found = compile_model(model, options).run(given)
        np.testing.assert_array_equal(found[0], expected[0])


def test_a_leaner_plan_is_taken_where_the_fastest_cannot_be_distributed(model: Path) -> None:
    fastest = compile_model(model, CompileOptions(goal=Goal.SPEED)).result.plan.height
    small = (Memory("dtcm", 2200), Memory("sram", 1600))
    result = compile_model(model, CompileOptions(goal=Goal.SPEED, memories=small)).result
    assert result.fits
    assert fastest > 3800


def test_too_small_is_exit_1(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(model), "--ram", "dtcm=1200,sram=200", "--json"]) == 1
    ram = json.loads(capsys.readouterr().out)["ram"]
    assert [(memory["name"], memory["limit"]) for memory in ram["memories"]] == [("dtcm", 1200), ("sram", 200)]


def test_evidence_can_be_checked_again(model: Path, tmp_path: Path) -> None:
    command = ["verify", str(model), "--ram", "dtcm=3K,sram=64K", "--inputs", "1", "--optimize", "speed"]
    assert main([*command, "--evidence", str(tmp_path / "evidence")]) == 0
    plan = json.loads((tmp_path / "evidence" / "plan.json").read_text())
    assert [arena["memory"] for arena in plan["arenas"]] == ["dtcm", "sram"]
    manifest = json.loads((tmp_path / "evidence" / "manifest.json").read_text())
    assert manifest["options"]["memories"] == [
        {"name": "dtcm", "capacity": 3072},
        {"name": "sram", "capacity": 65536},
    ]
    assert "| dtcm, bytes |" in (tmp_path / "evidence" / "SUMMARY.md").read_text()
