"""Every program whose path depends on data must be refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from byrote.targets import load_target
from byrote.verify.emulator import Machine
from byrote.verify.onepath import Fault, Options, PathReport, prove_path
from tests.verify.onepath.conftest import BUILDS, CORES

if TYPE_CHECKING:
    from tests.verify.onepath.conftest import Programs

DATA = {Fault.BRANCH, Fault.PREDICATED, Fault.JUMP}
TIMED = {"divided", "divisor"}


def prove(programs: Programs, source: str, core: str, compiler: str, name: str, optimise: str = "") -> PathReport:
    built = programs(source, core, compiler, optimise)
    return prove_path(built.elf, name, Options(parameters=1, slow_multiply=core == "cortex-m3"))


@pytest.mark.parametrize(("core", "compiler"), BUILDS)
def test_dependences_in_c(programs: Programs, core: str, compiler: str) -> None:
    built = programs("planted.c", core, compiler)
    assert len(built.entries) == 20
    for name in built.entries:
        report = prove(programs, "planted.c", core, compiler, name)
        assert not report.proven, name
        assert {item.fault for item in report.violations} & DATA, (name, report.violations)


@pytest.mark.parametrize("optimise", ["-O0", "-Os"])
@pytest.mark.parametrize("core", ["cortex-m0", "cortex-m4", "rv32imc"])
@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_dependences_at_other_optimisations(programs: Programs, core: str, compiler: str, optimise: str) -> None:
    for name in programs("planted.c", core, compiler, optimise).entries:
        assert not prove(programs, "planted.c", core, compiler, name, optimise).proven, name


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_dependences_of_single_instructions(programs: Programs, core: str, compiler: str) -> None:
    built = programs("planted_asm.c", core, compiler)
    assert len(built.entries) == {"cortex-m0": 11, "cortex-m3": 30, "rv32imc": 15}.get(core, 33)
    for name in built.entries:
        report = prove(programs, "planted_asm.c", core, compiler, name)
        faults = {item.fault for item in report.violations}
        if name in TIMED:
            assert report.proven, name
            assert len(report.timing) == 1, name
        elif name == "unknown":
            assert faults == {Fault.UNKNOWN_INSTRUCTION}
        else:
            assert faults
            assert faults <= DATA, (name, report.violations)


@pytest.mark.parametrize("core", CORES)
def test_planted_paths_do_differ(programs: Programs, core: str) -> None:
    """The faults are real: some input executes other instructions."""
    built = programs("planted.c", core, "zig")
    machine = Machine(built.elf, load_target(core))
    arena = machine.allocate(256)
    inputs = [bytes(256), b"\xff" * 256, b"\x7f" * 256, b"\x05" * 256, *(random_bytes(seed) for seed in range(5))]
    same: list[str] = []
    for name in built.entries:
        profiles = []
        for data in inputs:
            machine.write(arena, data)
            profiles.append(machine.call(name, arena).profile)
        if all(profiles[0].same_as(other) for other in profiles[1:]):
            same.append(name)
    assert same == []


def random_bytes(seed: int) -> bytes:
    return np.random.default_rng(seed).integers(0, 256, 256, np.uint8).tobytes()


def test_slow_multiply_is_reported_on_cortex_m3_only(programs: Programs) -> None:
    for core, expected in (("cortex-m3", 1), ("cortex-m4", 0)):
        assert len(prove(programs, "planted_asm.c", core, "zig", "long_product").timing) == expected


def test_a_violation_names_instruction_function_and_reason(programs: Programs) -> None:
    report = prove(programs, "planted_asm.c", "cortex-m4", "zig", "hidden_argument")
    (violation,) = report.violations
    assert violation.fault is Fault.BRANCH
    assert violation.site.function == "hidden"
    assert violation.site.text.startswith("beq")
    assert str(violation).endswith(f"{violation.site.text}: a branch depends on data")
