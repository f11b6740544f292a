from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.elf import Elf, load_elf
from byrote.verify.toolchain import build_firmware

Firmware = Callable[[str, str], Elf]
"""(target, compiler) -> machine.c linked for that target; skips if the compiler is missing."""

ENTRIES = (
    "loop",
    "fill",
    "stray",
    "peek",
    "load_half",
    "load_word",
    "store_word",
    "load_many",
    "use_stack",
    "sum_of_ten",
    "divide",
    "copy",
    "move",
    "set",
    "endless",
    "predicated",
    "predicated_across",
)


@pytest.fixture(scope="session")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> Firmware:
    built: dict[tuple[str, str], Elf] = {}

    def get(target_name: str, compiler_name: str) -> Elf:
        key = (target_name, compiler_name)
        if key not in built:
            target = load_target(target_name)
            compiler = find_compiler(compiler_name, target)
            if compiler is None:
                pytest.skip(f"{compiler_name} for {target_name} is not installed")
            path = Path(__file__).parent / "machine.c"
            folder = tmp_path_factory.mktemp("firmware")
            flags = ("-Wno-unused-parameter",)
            build = build_firmware(
                [path], target, folder, entry=ENTRIES[0], keep=ENTRIES[1:], compiler=compiler, flags=flags
            )
            built[key] = load_elf(build.path)
        return built[key]

    return get
