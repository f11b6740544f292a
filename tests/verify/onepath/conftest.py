from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.elf import Elf, load_elf
from byrote.verify.toolchain import build_firmware

CORES = ("cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "rv32imc")
COMPILERS = ("zig", "gcc", "clang")
BUILDS = [(core, compiler) for core in CORES for compiler in COMPILERS]


class Built(NamedTuple):
    """A linked program and the entry functions that its source has for this core."""

    elf: Elf
    entries: tuple[str, ...]


class Programs(Protocol):
    """Builds a C file that lies beside the tests; skips if the compiler is missing."""

    def __call__(self, source: str, core: str, compiler: str, optimise: str = "") -> Built: ...


_IN_C = re.compile(r"^ENTRY .*?(\w+)\(", re.MULTILINE)
_IN_ASSEMBLY = re.compile(r"FUNCTION\((\w+)\)")
_CALLED_ONLY = {"name", "hidden", "spoils", "through_t0", "saves", "save", "restore", "known_target"}


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    built: dict[tuple[str, str, str, str], Elf] = {}

    def get(source: str, core: str, compiler: str, optimise: str = "") -> Built:
        path = Path(__file__).parent / source
        text = path.read_text(encoding="utf-8")
        assembly = "FUNCTION" in text
        names = tuple(dict.fromkeys((_IN_ASSEMBLY if assembly else _IN_C).findall(text)))
        key = (source, core, compiler, optimise)
        if key not in built:
            target = load_target(core)
            found = find_compiler(compiler, target)
            if found is None:
                pytest.skip(f"{compiler} for {core} is not installed")
            build = build_firmware(
                [path],
                target,
                tmp_path_factory.mktemp("program"),
                entry="anchor" if assembly else names[0],
                keep=() if assembly else names,
                compiler=found,
                flags=("-fno-function-sections",) if assembly else (),
                optimise=(optimise,) if optimise else None,
            )
            built[key] = load_elf(build.path)
        present = {symbol.name for symbol in built[key].functions} - _CALLED_ONLY
        return Built(built[key], tuple(name for name in names if name in present))

    return get
