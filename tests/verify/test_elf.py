from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from byrote.targets import load_target
from byrote.verify.elf import SymbolKind, load_elf
from byrote.verify.toolchain import build_firmware
from tests.support.cores import CORES

if TYPE_CHECKING:
    from tests.verify.conftest import Firmware


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("compiler", ["zig", "gcc", "clang"])
def test_functions_cover_the_code_without_overlap(firmware: Firmware, core: str, compiler: str) -> None:
    elf = firmware(core, compiler)
    text = elf.section(".text")
    assert text is not None
    assert text.executable
    for first, second in zip(elf.functions, elf.functions[1:], strict=False):
        assert first.end <= second.address
    for function in elf.functions:
        assert function.size > 0
        assert function.address % 2 == 0
        assert text.address <= function.address < function.end <= text.end
        assert elf.function_at(function.address) == function
        assert elf.function_at(function.end - 1) == function
        assert any(start <= function.address < end for start, end in elf.code)
        assert (
            elf.read(function.address, function.size) == text.data[function.address - text.address :][: function.size]
        )
    assert elf.function_at(text.address - 2) is None
    assert {"loop", "fill", "endless"} <= {function.name for function in elf.functions}


@pytest.mark.parametrize("compiler", ["zig", "gcc", "clang"])
def test_variables_sections_and_sizes(tmp_path: Path, compiler: str) -> None:
    source = tmp_path / "data.c"
    source.write_text(
        "static int state = 7; unsigned char arena[1000]; static const int table[4] = {1, 2, 3, 0x12345678};\n"
        "int f(int i); int f(int i) { state += table[i & 3]; arena[i] = 1; return state; }\n"
    )
    target = load_target("cortex-m4")
    try:
        build = build_firmware([source], target, tmp_path, entry="f", compiler=compiler)
    except Exception as error:
        pytest.skip(str(error))
    elf = load_elf(build.path)
    flash, ram = target.memories
    arena = elf.symbol("arena")
    assert (arena.size, arena.kind) == (1000, SymbolKind.OBJECT)
    assert ram.origin <= arena.address < arena.end <= ram.end
    assert elf.read(arena.address, 1000) == bytes(1000)
    assert 1004 <= elf.static_ram <= 1016
    state = elf.symbol("state")
    assert state.local
    assert elf.read(state.address, 4) == b"\x07\0\0\0"
    loads = [
        segment for segment in elf.segments if segment.address <= state.address < segment.address + segment.memory_size
    ]
    assert flash.origin <= loads[0].load_address < flash.end, "initial values are stored in flash"
    assert elf.flash_size >= 16 + 4
    with pytest.raises(KeyError, match="missing"):
        elf.symbol("missing")
    with pytest.raises(ValueError, match="no segment holds 4 bytes at 0x0"):
        elf.read(0, 4)


def test_literal_pools_are_not_code(tmp_path: Path) -> None:
    source = tmp_path / "pool.c"
    source.write_text(
        "__attribute__((naked)) int f(void) {\n"
        ' __asm volatile("ldr r0, 1f\\n bx lr\\n .balign 4\\n1: .word 0x12345678\\n .word 1\\n"); }\n'
    )
    elf = load_elf(build_firmware([source], load_target("cortex-m4"), tmp_path, entry="f", compiler="zig").path)
    start = elf.symbol("f").address
    assert elf.code[0] == (start, start + 4)
    assert all(end <= start + 4 or begin >= start + 12 for begin, end in elf.code)


def test_other_machines_are_refused(tmp_path: Path) -> None:
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x02\0\x3e\0\x01\0\0\0" + bytes(40)
    path = tmp_path / "host.elf"
    path.write_bytes(header[:52] + b"\x40\0\0\0\0\0\x40\0\0\0\0\0")
    with pytest.raises(ValueError, match="machine EM_X86_64 is not supported"):
        load_elf(path)
