from __future__ import annotations

from pathlib import Path

import pytest

from byrote.ir import UserError
from byrote.targets import Architecture, MemoryKind, load_target, target_names, targets


def test_all_targets_load() -> None:
    names = {"host", "cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "rv32imc"}
    assert names <= set(target_names())
    for target in targets():
        assert target.description
        assert target.flags("zig") is not None
        assert (target.emulator is None) == (target.architecture is Architecture.HOST)


def test_sizes_can_be_overridden() -> None:
    target = load_target("cortex-m4")
    assert target.ram == 256 * 1024
    small = target.resized(ram=20_000, flash=100_000)
    assert (small.ram, small.flash) == (20_000, 100_000)
    assert small.memories[0].origin == target.memories[0].origin
    assert target.resized() == target


def test_the_host_has_no_memories() -> None:
    host = load_target("host")
    assert host.ram is None
    assert host.memory(MemoryKind.FLASH) is None
    assert host.resized(ram=1000) == host


def test_unknown_target_lists_the_known_ones() -> None:
    with pytest.raises(UserError, match=r"unknown target 'cortex-m9' \(known targets: cortex-m0, .*cortex-m3"):
        load_target("cortex-m9")


def test_one_file_adds_a_target(tmp_path: Path) -> None:
    memory = '[[memories]]\nname = "f"\nkind = "flash"\norigin = 0\nsize = 64\n'
    (tmp_path / "mine.toml").write_text('description = "mine"\narchitecture = "thumb"\n' + memory)
    assert target_names(tmp_path) == ("mine",)
    assert load_target("mine", tmp_path).flash == 64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('architecture = "thumb"', "missing required field `description`"),
        ('description = "a"\narchitecture = "vax"', "Invalid enum value 'vax'"),
        ('description = "a"\narchitecture = "thumb"\ncolour = 1', "unknown field `colour`"),
        ('description = "a"\narchitecture = "thumb"\nclock_mhz = "fast"', r"\$.clock_mhz"),
        ('description = "a', "bad.toml"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(UserError, match=message):
        load_target("bad", tmp_path)
