"""Kernels without a dependence must be proven, and then their counts are equal for all inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byrote.targets import load_target
from byrote.verify.emulator import Machine
from byrote.verify.onepath import Fault, Options, analyse, prove_path
from byrote.verify.stack import stack_report
from tests.verify.onepath.conftest import BUILDS, CORES
from tests.verify.onepath.single_step import DATA, single_step
from tests.verify.onepath.test_planted import random_bytes

if TYPE_CHECKING:
    from tests.verify.onepath.conftest import Programs


@pytest.mark.parametrize(
    ("core", "compiler", "optimise"),
    [*((core, compiler, "") for core, compiler in BUILDS), *((core, "zig", "-Os") for core in CORES)],
)
def test_kernels_are_proven(programs: Programs, core: str, compiler: str, optimise: str) -> None:
    built = programs("clean.c", core, compiler, optimise)
    for name in built.entries:
        report = prove_path(built.elf, name, Options(slow_multiply=core == "cortex-m3"))
        assert report.proven, [str(item) for item in report.violations]
        assert report.lookups or name != "looked_up"
        assert name in report.functions
        if core != "cortex-m3":
            assert report.timing == ()


@pytest.mark.parametrize("core", CORES)
def test_sequences_are_proven(programs: Programs, core: str) -> None:
    built = programs("clean_asm.c", core, "zig")
    assert len(built.entries) == (6 if core not in {"cortex-m0", "rv32imc"} else 3)
    for name in built.entries:
        report = prove_path(built.elf, name, Options(parameters=1))
        assert report.proven, [str(item) for item in report.violations]


@pytest.mark.parametrize("core", CORES)
def test_proven_kernels_execute_the_same_instructions(programs: Programs, core: str) -> None:
    built = programs("clean.c", core, "zig")
    machine = Machine(built.elf, load_target(core))
    arena, state = machine.allocate(512), machine.allocate(512)
    for name in built.entries:
        profiles = []
        for data in (bytes(256), b"\x80" * 256, b"\x7f" * 256, random_bytes(1)):
            machine.write(arena, data + data)
            machine.write(state, data + data)
            profiles.append(machine.call(name, arena, state).profile)
        assert all(profiles[0].same_as(other) for other in profiles), name
        assert set(profiles[0].addresses()) <= analyse(built.elf, name).visited, name


@pytest.mark.parametrize(("core", "compiler"), BUILDS)
def test_stack_of_kernels(programs: Programs, core: str, compiler: str) -> None:
    built = programs("clean.c", core, compiler)
    machine = Machine(built.elf, load_target(core))
    arena, state = machine.allocate(512), machine.allocate(512)
    for name in built.entries:
        report = stack_report(analyse(built.elf, name))
        assert report.bound is not None
        assert machine.observe(name, arena, state).stack == report.written, name
        assert report.written <= report.bound < report.written + 16


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", ["counted", "resumed", "tabled"])
def test_what_a_run_shows(programs: Programs, core: str, name: str) -> None:
    """Counts from a table in flash or kept in the arena are proven once a run has shown where loads get their bytes."""
    elf = programs("counted.c", core, "zig").elf
    assert not prove_path(elf, name).proven
    steps = single_step(elf, name, DATA, DATA + 256)
    report = prove_path(elf, name, Options(sources=steps.sources))
    assert report.proven, [str(item) for item in report.violations]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("name", ["looked_up", "passed_on", "tabled_data", "scattered"])
def test_what_a_run_shows_does_not_excuse_a_dependence(programs: Programs, core: str, name: str) -> None:
    """Loads of flash at data-dependent addresses, of words that hold data, and after stores that may go anywhere."""
    elf = programs("counted.c", core, "zig").elf
    steps = single_step(elf, name, DATA, DATA + 256)
    assert steps.sources
    report = prove_path(elf, name, Options(sources=steps.sources))
    assert not report.proven
    assert (name == "scattered") == any(item.fault is Fault.SCATTERED for item in report.violations)
