from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from byrote.targets import load_target
from byrote.verify import native_hooks
from byrote.verify.compilers import BuildError
from byrote.verify.elf import load_elf
from byrote.verify.emulator import EmulationError, Machine
from byrote.verify.observation import Run
from byrote.verify.toolchain import Build, build_firmware
from tests.support.cores import ALIGNED, CORES

if TYPE_CHECKING:
    from tests.verify.conftest import Firmware

BUILDS = [(core, compiler) for core in CORES for compiler in ("zig", "gcc", "clang")]


@pytest.fixture(params=BUILDS, ids=lambda build: f"{build[0]}-{build[1]}")
def build(request: pytest.FixtureRequest) -> tuple[str, str]:
    core, compiler = request.param
    return core, compiler


@pytest.fixture(params=[True, False], ids=["native", "python"])
def machine(request: pytest.FixtureRequest, firmware: Firmware, build: tuple[str, str]) -> Machine:
    return Machine(firmware(*build), load_target(build[0]), native=bool(request.param))


@pytest.fixture(params=CORES)
def zig(request: pytest.FixtureRequest, firmware: Firmware) -> Machine:
    return Machine(firmware(request.param, "zig"), load_target(request.param))


def test_counts_are_exact(machine: Machine) -> None:
    each = 3 if machine.target.name == "rv32imc" else 4
    for count in (1, 2, 100):
        run = machine.call("loop", count)
        assert run.instructions == 2 + each * count
        assert run.per_function == (("loop", run.instructions),)
        assert machine.observe("loop", count).profile.same_as(run.profile)
    start = machine.address("loop")
    assert machine.call("loop", 9).profile.count(start) == 1


def test_memory_is_shared_and_watched(machine: Machine) -> None:
    arena = machine.allocate(64)
    run = machine.call("fill", arena, 24)
    assert machine.read(arena, 25) == bytes(range(1, 25)) + b"\xa5"
    machine.write(arena, bytes(24))
    seen = machine.observe("fill", arena, 24, stores=((arena, arena + 24),), loads=())
    assert machine.read(arena, 25) == bytes(range(1, 25)) + b"\xa5"
    assert seen.profile.same_as(run.profile)
    assert (seen.stray_stores, seen.stray_loads, seen.unaligned) == (0, 0, ())
    assert seen.stores >= 24


def test_a_stray_store_is_caught_with_its_place(machine: Machine) -> None:
    arena = machine.allocate(128)
    seen = machine.observe("stray", arena, stores=((arena, arena + 64),))
    assert seen.stray_stores == 1
    access = seen.stray[0]
    assert (access.address, access.size, access.function, access.store) == (arena + 64, 1, "stray", True)
    function = machine.elf.symbol("stray")
    assert function.address < access.pc < function.end
    assert machine.observe("stray", arena, stores=((arena, arena + 65),)).stray_stores == 0


def test_a_stray_load_is_caught(machine: Machine) -> None:
    arena = machine.allocate(64)
    low, high = machine.stack_range
    for address, count in ((arena, 0), (arena + 7, 0), (arena + 8, 1), (low, 0), (high - 1, 0)):
        seen = machine.observe("peek", address, loads=((arena, arena + 8),))
        assert seen.stray_loads == count, hex(address)
    assert machine.observe("peek", arena + 8).stray_loads == 0


def test_the_stack_peak_is_the_lowest_byte_written(machine: Machine) -> None:
    assert machine.observe("use_stack", 1).stack == 80
    overflown = machine.observe("use_stack", 1, stack=60, stores=())
    assert (overflown.stack, overflown.stray_stores) == (40, 1)


def test_arguments_beyond_the_registers(machine: Machine) -> None:
    values = (3, 1, 4, 1, 5, 9, 2, 6, 5, 2**32 - 1)
    expected = sum((index + 1) * value for index, value in enumerate(values)) % 2**32
    assert machine.call("sum_of_ten", *values).result == expected


@pytest.mark.parametrize(
    ("symbol", "cases", "added"),
    [("predicated", ((0, 9, 8), (1, 4, 12)), 16), ("predicated_across", ((0, 7, 8), (1, 3, 12)), 17)],
)
def test_conditions_survive_the_memory_callback(
    machine: Machine, symbol: str, cases: tuple[tuple[int, int, int], ...], added: int
) -> None:
    arena = machine.allocate(16)
    for condition, value, place in cases:
        machine.write(arena, struct.pack("<4I", 3, 7, 0, 0))
        seen = machine.examine(symbol, arena, condition, stores=((arena, arena + 16),))
        assert seen.result == value + added
        assert seen.stray_stores == 0
        if machine.target.name not in ALIGNED:  # they have no conditions, and run what a compiler makes of it
            assert (seen.loads, seen.stores) == (1, 1)
        assert machine.read(arena + place, 4) == struct.pack("<I", value)
        assert machine.read(arena + 20 - place, 4) == bytes(4)


@pytest.mark.parametrize(("symbol", "size"), [("load_half", 2), ("load_word", 4), ("store_word", 4)])
def test_unaligned_accesses_are_counted_and_judged(machine: Machine, symbol: str, size: int) -> None:
    arena = machine.allocate(64)
    for offset in range(5):
        found = machine.observe(symbol, arena + offset).unaligned
        if offset % size == 0:
            assert found == ()
            continue
        assert len(found) == 1
        kinds = (found[0].odd_halfwords, found[0].half_words, found[0].odd_words)
        assert kinds == ((1, 0, 0) if size == 2 else (0, 1, 0) if offset % 2 == 0 else (0, 0, 1))
        assert found[0].function == symbol
        assert found[0].forbidden == (machine.target.name in ALIGNED)


def test_multiple_transfers_must_be_aligned(machine: Machine) -> None:
    arena = machine.allocate(64)
    assert machine.observe("load_many", arena).forbidden == ()
    seen = machine.observe("load_many", arena + 2)
    assert [item.function for item in seen.forbidden] == ["load_many"] * len(seen.forbidden)
    assert len(seen.forbidden) == (2 if machine.target.name == "rv32imc" else 1)


ALIGNMENT = (
    ("ldr r2, [r0]", False),
    ("ldr.w r2, [r0, #12]", False),
    ("str r2, [r0, r3]", False),
    ("ldrd r2, r3, [r0]", True),
    ("strd r2, r3, [r0]", True),
    ("stm r0!, {r2, r3}", True),
    ("ldm.w r0, {r2, r3, r12}", True),
    ("stmdb r0!, {r2, r3}", True),
)


@pytest.mark.parametrize("core", ["cortex-m4", "cortex-m33"])
def test_which_instructions_must_be_aligned(tmp_path: Path, core: str) -> None:
    target = load_target(core)
    source = tmp_path / "access.c"
    source.write_text(
        "".join(
            f'__attribute__((naked)) void f{index}(void *p) {{ __asm volatile("{text}\\n bx lr"); }}\n'
            for index, (text, _) in enumerate(ALIGNMENT)
        )
    )
    names = [f"f{index}" for index in range(len(ALIGNMENT))]
    build = build_firmware([source], target, tmp_path, entry="f0", keep=names, flags=["-Wno-unused-parameter"])
    machine = Machine(load_elf(build.path), target)
    arena = machine.allocate(64)
    for name, (text, faults) in zip(names, ALIGNMENT, strict=True):
        assert machine.observe(name, arena + 16, 0, 0, 4).unaligned == (), text
        (found,) = machine.observe(name, arena + 18, 0, 0, 4).unaligned
        assert found.forbidden == faults, text


def test_the_runtime_copies_and_fills(zig: Machine) -> None:
    arena = zig.allocate(128)
    data = bytes(range(100, 140))
    for start in (0, 1, 4):
        for size in (0, 1, 3, 4, 7, 40):
            zig.write(arena, data.ljust(128, b"\0"))
            zig.call("copy", arena + 64 + start, arena, size)
            assert zig.read(arena + 64 + start, size + 1) == data[:size] + b"\0"
            zig.write(arena, data)
            zig.call("move", arena + start, arena, size)
            assert zig.read(arena + start, size) == data[:size]
            zig.write(arena + start, data)
            zig.call("move", arena, arena + start, size)
            assert zig.read(arena, size) == data[:size]
            zig.call("set", arena + start, 0x1AB, size)
            assert zig.read(arena + start, size) == b"\xab" * size


@pytest.mark.parametrize("native", [True, False], ids=["native", "python"])
def test_an_endless_loop_ends(firmware: Firmware, native: bool) -> None:
    machine = Machine(firmware("cortex-m4", "zig"), load_target("cortex-m4"), native=native)
    with pytest.raises(EmulationError, match=r"^endless: no end after 1000 blocks in endless \(pc 0x080"):
        machine.call("endless", limit=1000)


def test_faults_name_the_address_and_the_function(zig: Machine) -> None:
    with pytest.raises(EmulationError, match="peek: load from unmapped memory: 1 bytes at 0x00000010 in peek"):
        zig.call("peek", 0x10)
    flash = zig.target.memories[0].origin
    with pytest.raises(EmulationError, match=r"store_word: store to read-only memory: 4 bytes at .* in store_word"):
        zig.call("store_word", flash, 1)
    assert zig.call("loop", 3).instructions > 9, "usable after a fault"


def test_a_watched_run_that_differs_is_refused(zig: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = zig.allocate(16)
    assert zig.examine("fill", arena, 8).stray_stores == 0
    kept = zig.call

    def call(symbol: str, *arguments: int) -> Run:
        return kept(symbol, arguments[0], arguments[1] + 1)

    monkeypatch.setattr(zig, "call", call)
    with pytest.raises(EmulationError, match="fill: watching its memory changed what it does"):
        zig.examine("fill", arena, 8)


def test_without_a_compiler_the_callbacks_are_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert native_hooks.native_hooks(tmp_path / "kept") is not None
    assert len(list((tmp_path / "kept").iterdir())) == 1, "kept for the next time"

    def refuse(*_: object, **__: object) -> Build:
        raise BuildError(("cc",), "none")

    monkeypatch.setattr(native_hooks, "build_host_library", refuse)
    assert native_hooks.native_hooks(tmp_path / "empty") is None


def test_snapshot_and_restore(zig: Machine) -> None:
    arena = zig.allocate(8)
    zig.write(arena, b"before..")
    kept = zig.snapshot()
    zig.call("fill", arena, 8)
    zig.restore(kept)
    assert zig.read(arena, 8) == b"before.."


def test_allocation_respects_alignment_and_size(zig: Machine) -> None:
    first = zig.allocate(3, align=1)
    second = zig.allocate(5, align=64)
    assert second % 64 == 0
    assert second >= first + 3
    assert zig.stack_range[0] == second + 5
    with pytest.raises(MemoryError):
        zig.allocate(1 << 24)
    with pytest.raises(ValueError, match="no memory holds"):
        zig.read(zig.stack_top - 1, 64)
