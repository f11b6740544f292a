from __future__ import annotations

import ctypes
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from byrote.ir import UserError
from byrote.targets import load_target, targets
from byrote.verify import compilers as found
from byrote.verify.compilers import BuildError, compilers, find_compiler, get_compiler
from byrote.verify.elf import load_elf
from byrote.verify.linker import linker_script
from byrote.verify.toolchain import build_firmware, build_host_library, build_host_program

SUM = "int sum(const int *x, int n); int sum(const int *x, int n) { int s = 0; while (n--) s += x[n]; return s; }\n"


def _source(folder: Path, text: str, name: str = "source.c") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["cc", "gcc", "clang", "zig"])
def test_host_library(tmp_path: Path, name: str) -> None:
    compiler = find_compiler(name, load_target("host"))
    if compiler is None:
        pytest.skip(f"{name} is not installed")
    build = build_host_library(
        [_source(tmp_path, SUM)], tmp_path / "out", compiler=compiler, flags=["-Wall", "-Werror"]
    )
    assert build.compiler.version
    library = ctypes.CDLL(str(build.path))
    values = (ctypes.c_int * 3)(1, 20, 300)
    assert library["sum"](values, 3) == 321


@pytest.mark.parametrize("name", ["gcc", "clang"])
@pytest.mark.parametrize(("index", "fault"), [(2, ""), (3, "out of bounds"), (-1, "divi")])
def test_sanitized_program(tmp_path: Path, name: str, index: int, fault: str) -> None:
    compiler = find_compiler(name, load_target("host"))
    if compiler is None:
        pytest.skip(f"{name} is not installed")
    text = (
        "#include <stdlib.h>\nint main(int c, char **v) { volatile int x[3] = {0, 0, 0}; int i = atoi(v[1]); (void)c;\n"
        " return i < 0 ? 1 / x[0] : x[i]; }\n"
    )
    build = build_host_program([_source(tmp_path, text)], tmp_path, compiler=compiler, sanitize=True)
    done = subprocess.run([build.path, str(index)], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (fault == "")
    assert fault in done.stderr


def test_a_compiler_error_shows_the_command_and_the_message(tmp_path: Path) -> None:
    source = _source(tmp_path, "int f(void) { return missing; }\n")
    with pytest.raises(BuildError, match="missing") as caught:
        build_firmware([source], load_target("cortex-m4"), tmp_path, entry="f")
    assert str(source) in caught.value.command
    assert str(caught.value).startswith(" ".join(caught.value.command))


CORES = tuple(target.name for target in targets() if target.emulator is not None)


@pytest.mark.parametrize("core", ["cortex-m4", "rv32imc"])
def test_what_is_undefined_is_named(tmp_path: Path, core: str) -> None:
    text = "void *malloc(__SIZE_TYPE__); double sin(double);\nvoid *f(void); void *f(void) { return malloc(4); }\n"
    source = _source(tmp_path, text + "double unused(double x); double unused(double x) { return sin(x); }\n")
    for compiler in compilers(load_target(core)):
        with pytest.raises(BuildError) as caught:
            build_firmware([source], load_target(core), tmp_path / compiler.name, entry="f", compiler=compiler)
        assert caught.value.undefined == ("malloc",), compiler.name


@pytest.mark.parametrize("core", ["cortex-m4", "rv32imc"])
def test_what_does_not_fit_is_measured(tmp_path: Path, core: str) -> None:
    target = load_target(core).resized(ram=4096)
    source = _source(
        tmp_path, "unsigned char arena[4000]; unsigned char *f(void); unsigned char *f(void) { return arena; }\n"
    )
    for compiler in compilers(target):
        folder = tmp_path / compiler.name
        build_firmware([source], target, folder, entry="f", compiler=compiler, stack=96)
        with pytest.raises(BuildError) as caught:
            build_firmware([source], target, folder, entry="f", compiler=compiler, stack=160)
        assert caught.value.overflow == (("ram", 64),), compiler.name


@pytest.mark.parametrize("core", CORES)
def test_compilers_may_call_memory_functions_and_arithmetic_helpers(tmp_path: Path, core: str) -> None:
    text = (
        "struct big { unsigned char bytes[200]; };\nvoid f(struct big *a, const struct big *b);\n"
        "void f(struct big *a, const struct big *b) { *a = *b; }\n"
        "struct big zero(void); struct big zero(void) { struct big x = {{0}}; return x; }\n"
        "long long divide(long long a, long long b); long long divide(long long a, long long b) { return a / b; }\n"
        "float scale(float a); float scale(float a) { return a * 0.3f; }\n"
    )
    source = _source(tmp_path, text)
    keep = ("zero", "divide", "scale")
    for compiler in compilers(load_target(core)):
        build = build_firmware(
            [source], load_target(core), tmp_path / compiler.name, entry="f", keep=keep, compiler=compiler
        )
        elf = load_elf(build.path)
        assert elf.undefined == ()
        assert elf.entry == elf.symbol("f").address
        assert build.messages == ""


def test_images_are_reproducible(tmp_path: Path) -> None:
    source = _source(tmp_path, SUM)
    for compiler in compilers(load_target("cortex-m4")):
        images = [
            build_firmware([source], load_target("cortex-m4"), tmp_path / place, entry="sum", compiler=compiler).path
            for place in ("here", "there")
        ]
        assert images[0].read_bytes() == images[1].read_bytes(), compiler.name


def test_unknown_and_missing_compilers_come_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    target = load_target("cortex-m4")

    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(found.shutil, "which", nothing)
    monkeypatch.setattr(found.importlib.util, "find_spec", nothing)
    assert compilers(target) == ()
    with pytest.raises(UserError, match=r"no C compiler for cortex-m4 is installed \(pip install ziglang\)"):
        get_compiler(target)
    with pytest.raises(UserError, match="compiler 'gcc' for cortex-m4 is not installed"):
        get_compiler(target, "gcc")


def test_further_memories_have_sections_of_their_own() -> None:
    target = load_target("cortex-m7")
    fast = replace(target.memories[1], name="dtcm", origin=0x20100000, size=0x1000)
    script = linker_script(replace(target, memories=(*target.memories, fast)), stack=512)
    assert "dtcm (rwx) : ORIGIN = 0x20100000, LENGTH = 0x1000" in script
    assert ".dtcm : { *(.dtcm .dtcm.*) } > dtcm AT> flash" in script
    assert ". = . + 512;" in script
