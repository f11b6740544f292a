"""Generated C: warning-clean in C99 and C++11 by gcc and clang, right at every -O, and as it was yesterday."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from byrote.driver import Compiled, compile_model
from byrote.options import CompileOptions

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits_int8.tflite"
GOLDEN = Path(__file__).parent / "golden"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
C, CPP = ("-std=c99",), ("-x", "c++", "-std=c++11")
ZIG = (sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")


@dataclass(frozen=True)
class Compilation:
    """A compiler as a command, the language it is told, and levels of optimisation.

    Clang before 18 optimises every kernel with unknown constants before it inlines it, which takes half a minute where
    kernels are long; so clang as installed gets few levels there (`brief`), and the new one that zig contains gets all.
    """

    command: tuple[str, ...]
    language: tuple[str, ...]
    brief: tuple[str, ...] = LEVELS

    @property
    def missing(self) -> bool:
        if self.command[0] == sys.executable:
            return importlib.util.find_spec("ziglang") is None or shutil.which("gcc") is None
        return shutil.which(self.command[0]) is None

    def build(self, folder: Path, level: str, sources: Sequence[str], defines: Sequence[str] = ()) -> Path:
        """The program, in a folder; gcc links what zig compiles, which would build its own libraries first."""
        compiler = [*self.command, level, *WARNINGS, *self.language, *defines]
        for source in sources:  # zig takes only one
            subprocess.run([*compiler, "-c", source], cwd=folder, check=True)
        linker = "gcc" if self.command[0] == sys.executable else self.command[0]
        objects = [Path(source).with_suffix(".o").name for source in sources]
        subprocess.run([linker, *objects, "-o", "test"], cwd=folder, check=True)
        return folder / "test"


COMPILATIONS = {
    "gcc": Compilation(("gcc",), C),
    "g++": Compilation(("g++",), CPP),
    "clang": Compilation(("clang",), C, ("-O0", "-O2")),
    "clang++": Compilation(("clang++",), CPP, ("-O0", "-O1")),
    "zig cc": Compilation(ZIG, C),
    "zig c++": Compilation(ZIG, CPP),
}


@cache
def digits(target: str) -> Compiled:
    return compile_model(DIGITS, CompileOptions(name="digits", target=target))


@pytest.mark.parametrize("compiler", COMPILATIONS)
@pytest.mark.parametrize("target", ["host", "cortex-m4"])
def test_self_test_passes_at_every_level(compiler: str, target: str, tmp_path: Path) -> None:
    how = COMPILATIONS[compiler]
    if how.missing:
        pytest.skip(f"{compiler} is not installed")
    model = digits(target)
    model.write(tmp_path)
    for level in LEVELS if target == "host" else how.brief:
        program = how.build(tmp_path, level, [*model.program.sources, "digits_test.c"], ["-DDIGITS_TEST_MAIN"])
        subprocess.run([program], check=True)
    example = [*how.command, *WARNINGS, *how.language, "-c", "digits_example.c", "-o", "example.o"]
    subprocess.run(example, cwd=tmp_path, check=True)


def test_sanitizers_find_nothing(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    model = digits("cortex-m4")
    model.write(tmp_path)
    sources = [*model.program.sources, "digits_test.c"]
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1", "-g"]
    subprocess.run(["gcc", *sanitize, "-DDIGITS_TEST_MAIN", *sources, "-o", "test"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "test"], check=True)


def test_two_models_link_into_one_program(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    sources: list[str] = []
    for name in ("one", "two"):
        model = compile_model(DIGITS, CompileOptions(name=name, own_arena=False))
        model.write(tmp_path)
        sources += [*model.program.sources, f"{name}_test.c"]
    main = (
        '#include "one.h"\n#include "two.h"\n'
        "static uint8_t arena[ONE_ARENA_SIZE > TWO_ARENA_SIZE ? ONE_ARENA_SIZE : TWO_ARENA_SIZE]"
        " __attribute__((aligned(4)));\n"
        "int main(void) { return one_test(arena) || two_test(arena) || one_test(arena); }\n"
    )
    (tmp_path / "main.c").write_text(main)
    subprocess.run(["gcc", *WARNINGS, "main.c", *sources, "-o", "both"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "both"], check=True)


def test_no_heap_and_no_static_memory_beside_the_arena(tmp_path: Path) -> None:
    if shutil.which("nm") is None or shutil.which("gcc") is None:
        pytest.skip("gcc and nm are not installed")
    model = compile_model(DIGITS, CompileOptions(name="digits", own_arena=False))
    model.write(tmp_path)
    for source in model.program.sources:
        subprocess.run(["gcc", "-O2", "-c", source, "-o", "object.o"], cwd=tmp_path, check=True)
        symbols = subprocess.run(["nm", "object.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        kinds = {line.split()[-1]: line.split()[-2] for line in symbols.splitlines()}
        assert not {"malloc", "free", "memcpy", "memset", "memmove"} & set(kinds)
        assert not {name for name, kind in kinds.items() if kind in "bBdDcC"}


def test_golden_c(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The C of the digits model, host kernels; `--update-golden` writes what is generated now."""
    model = digits("host")
    model.write(tmp_path)
    for name in ("digits.c", "digits.h"):
        text = (tmp_path / name).read_text()
        if request.config.getoption("--update-golden"):
            GOLDEN.mkdir(exist_ok=True)
            (GOLDEN / name).write_text(text)
        assert text == (GOLDEN / name).read_text(), f"{name} changed: look at the difference, then --update-golden"
