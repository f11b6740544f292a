"""C for several memories: warning-clean, right at every -O, arenas where the linker is told to put them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from byrote.driver import compile_model
from byrote.options import CompileOptions
from byrote.plan import Memory
from byrote.schedule import Goal
from tests.memories.network import residual

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
LANGUAGES = {"gcc": ["-std=c99"], "clang": ["-std=c99"], "g++": ["-x", "c++", "-std=c++11"]}
LANGUAGES["clang++"] = LANGUAGES["g++"]
MEMORIES = (Memory("dtcm", 3 << 10), Memory("sram", 64 << 10))


@pytest.mark.parametrize("push", [False, True])
@pytest.mark.parametrize("compiler", LANGUAGES)
def test_clean_and_right(compiler: str, push: bool, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    target, goal = ("cortex-m4", Goal.AUTO) if push else ("host", Goal.SPEED)
    options = CompileOptions(name="net", target=target, memories=MEMORIES, push_input=push, goal=goal)
    model = compile_model(residual(tmp_path / "residual.tflite"), options)
    model.write(tmp_path)
    flags = [*WARNINGS, *LANGUAGES[compiler]]
    place = '-DNET_ARENA_SRAM_PLACE=__attribute__((section("sram")))'
    sources = [*model.program.sources, "net_test.c"]
    for level in ("-O0", "-O2"):
        command = [compiler, level, *flags, place, "-DNET_TEST_MAIN", *sources, "-o", "test"]
        subprocess.run(command, cwd=tmp_path, check=True)
        subprocess.run([tmp_path / "test"], check=True)
    subprocess.run([compiler, *flags, "-c", "net_example.c", "-o", "example.o"], cwd=tmp_path, check=True)
    header = (tmp_path / "net.h").read_text()
    assert "NET_ARENA_SIZE" not in header
    assert "#define NET_ARENA_DTCM_ALIGN 4\n" in header
    assert f"#define NET_ARENA_SRAM_SIZE {model.program.arena_sizes[1]}\n" in header
    function = "net_run_rows(uint8_t *arena_dtcm, uint8_t *arena_sram, const int8_t *input)"
    assert (function if push else "net_run(uint8_t *arena_dtcm, uint8_t *arena_sram)") in header


def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    options = CompileOptions(name="net", target="cortex-m4", memories=MEMORIES, push_input=True)
    model = compile_model(residual(tmp_path / "residual.tflite"), options)
    model.write(tmp_path)
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1", "-g"]
    sources = [*model.program.sources, "net_test.c"]
    subprocess.run(["gcc", *sanitize, "-DNET_TEST_MAIN", *sources, "-o", "test"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "test"], check=True)
