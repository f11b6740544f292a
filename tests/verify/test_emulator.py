from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byrote.targets import load_target
from byrote.verify.emulator import Machine

if TYPE_CHECKING:
    from tests.verify.conftest import Firmware

CORES = ("cortex-m0", "cortex-m3", "cortex-m4", "cortex-m7", "cortex-m33", "rv32imc")
BUILDS = [(core, compiler) for core in CORES for compiler in ("zig", "gcc", "clang")]


@pytest.mark.parametrize(("core", "compiler"), BUILDS)
@pytest.mark.parametrize("native", [True, False], ids=["native", "python"])
def test_counts_and_memory(firmware: Firmware, core: str, compiler: str, native: bool) -> None:
    machine = Machine(firmware("machine.c", core, compiler), load_target(core), native=native)
    arena = machine.allocate(64)
    short = machine.call("fill", arena, 8)
    long = machine.call("fill", arena, 24)
    per_byte, rest = divmod(long.instructions - short.instructions, 16)
    assert rest == 0
    assert 4 <= per_byte <= 7
    assert machine.read(arena, 25) == bytes(range(1, 25)) + b"\xa5"
    seen = machine.observe("fill", arena, 24, stores=((arena, arena + 24),), loads=())
    assert seen.profile.same_as(long.profile)
    assert dict(long.per_function) == {"fill": long.instructions}
    assert (seen.stray_stores, seen.stray_loads, seen.unaligned) == (0, 0, ())
    assert seen.stores >= 24
