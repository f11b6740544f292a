from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.elf import Elf, load_elf
from byrote.verify.toolchain import build_firmware

CORES = ("cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "rv32imc")
COMPILERS = ("zig", "gcc", "clang")
BUILDS = [(core, compiler) for core in CORES for compiler in COMPILERS]

Program = Callable[..., tuple[Elf, tuple[str, ...]]]
"""(C file beside the tests, target, compiler, optimisation) -> the linked program and its entry functions."""

_ENTRY = re.compile(r"^ENTRY .*?(\w+)\(|FUNCTION\((\w+)\)", re.MULTILINE)
_NO_ENTRY = {"name", "hidden", "spoils", "through_t0"}


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    built: dict[tuple[str, str, str, str], Elf] = {}

    def get(source: str, target_name: str, compiler_name: str, optimise: str = "") -> tuple[Elf, tuple[str, ...]]:
        path = Path(__file__).parent / source
        names = [one or two for one, two in _ENTRY.findall(path.read_text()) if (one or two) not in _NO_ENTRY]
        key = (source, target_name, compiler_name, optimise)
        if key not in built:
            target = load_target(target_name)
            compiler = find_compiler(compiler_name, target)
            if compiler is None:
                pytest.skip(f"{compiler_name} for {target_name} is not installed")
            flags = ("-ffunction-sections",) if names[0] != "carry_flag" else ("-fno-function-sections",)
            build = build_firmware(
                [path],
                target,
                tmp_path_factory.mktemp("program"),
                entry="anchor" if "anchor" in path.read_text() else names[0],
                keep=names if "anchor" not in path.read_text() else (),
                compiler=compiler,
                flags=flags,
                optimise=(optimise,) if optimise else None,
            )
            built[key] = load_elf(build.path)
        elf = built[key]
        present = {symbol.name for symbol in elf.functions}
        return elf, tuple(name for name in dict.fromkeys(names) if name in present)

    return get
