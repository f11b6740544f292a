"""The stack bound against the lowest stack pointer of an emulated run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byrote.targets import load_target
from byrote.verify.elf import Elf
from byrote.verify.emulator import Machine
from byrote.verify.onepath import Fault
from byrote.verify.stack import stack_bound
from tests.verify.onepath.conftest import BUILDS
from tests.verify.onepath.single_step import single_step

if TYPE_CHECKING:
    from tests.verify.onepath.conftest import Programs


@pytest.mark.parametrize(("core", "compiler"), BUILDS)
def test_bound_is_the_peak(programs: Programs, core: str, compiler: str) -> None:
    built = programs("stack.c", core, compiler)
    machine = Machine(built.elf, load_target(core))
    for name in built.entries:
        report = stack_bound(built.elf, name)
        assert report.failures == ()
        assert report.bound is not None
        peak = single_step(built.elf, name, 1000000).stack
        if name == "helper":
            assert peak <= report.bound, name
        else:
            assert peak == report.bound, name
            assert machine.observe(name, 3).stack == report.written, name
        assert sum(item.size for item in report.deepest) == report.bound
        assert report.deepest[0].function == name


@pytest.mark.parametrize("core", ["cortex-m0", "cortex-m4", "rv32imc"])
def test_sizes_that_the_compiler_states(programs: Programs, core: str) -> None:
    built = programs("stack.c", core, "zig")
    stated = stack_sizes(built.elf)
    checked = 0
    for name in built.entries:
        for item in stack_bound(built.elf, name).functions:
            address = built.elf.symbol(item.function).address
            if name != "tail" and address in stated:
                assert item.size == stated[address], item
                checked += 1
    assert checked >= 6


def stack_sizes(elf: Elf) -> dict[int, int]:
    """Function address -> bytes, from the section that clang writes."""
    section = elf.section(".stack_sizes")
    if section is None:
        pytest.skip("the program states no stack sizes")
    found: dict[int, int] = {}
    data, position = section.data, 0
    while position < len(data):
        address = int.from_bytes(data[position : position + 4], "little") & ~1
        position += 4
        size = shift = 0
        while True:
            byte = data[position]
            position += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        found[address] = size
    return found


@pytest.mark.parametrize("core", ["cortex-m0", "cortex-m4", "rv32imc"])
@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_no_bound(programs: Programs, core: str, compiler: str) -> None:
    built = programs("unbounded.c", core, compiler)
    expected = {"recursive": Fault.RECURSION, "indirect": Fault.RECURSION, "variable": Fault.STACK_POINTER}
    for name, fault in expected.items():
        report = stack_bound(built.elf, name)
        assert report.bound is None
        assert fault in {item.fault for item in report.failures}, (name, report.failures)
