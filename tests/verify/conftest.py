from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.elf import Elf, load_elf
from byrote.verify.toolchain import build_firmware

Firmware = Callable[[str, str, str], Elf]
"""(name of a C file beside the tests, target, compiler) -> the linked program; skips if the compiler is missing."""

ENTRIES = {
    "machine.c": ("fill", "stray", "load_word", "load_pair", "use_stack", "sum_of_six", "divide", "copy", "endless")
}


@pytest.fixture(scope="session")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> Firmware:
    built: dict[tuple[str, str, str], Elf] = {}

    def get(source: str, target_name: str, compiler_name: str) -> Elf:
        key = (source, target_name, compiler_name)
        if key in built:
            return built[key]
        target = load_target(target_name)
        compiler = find_compiler(compiler_name, target)
        if compiler is None:
            pytest.skip(f"{compiler_name} for {target_name} is not installed")
        first, *others = ENTRIES[source]
        path = Path(__file__).parent / source
        folder = tmp_path_factory.mktemp("firmware")
        build = build_firmware([path], target, folder, entry=first, keep=others, compiler=compiler)
        built[key] = load_elf(build.path)
        return built[key]

    return get
