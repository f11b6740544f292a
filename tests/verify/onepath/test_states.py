"""The states of the fixpoint against real runs: constants, stack addresses, and what is the same for all inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byrote.verify.elf import Elf
from byrote.verify.onepath.engine import Engine
from byrote.verify.onepath.findings import Findings, Options
from byrote.verify.onepath.program import Program
from byrote.verify.onepath.prove import MACHINES
from byrote.verify.onepath.state import State
from byrote.verify.onepath.value import ALL_BYTES, Kind, Value, stack_places
from tests.verify.onepath.conftest import CORES
from tests.verify.onepath.lockstep import Record, record
from tests.verify.onepath.single_step import TOP
from tests.verify.onepath.test_planted import random_bytes

if TYPE_CHECKING:
    from tests.verify.onepath.conftest import Programs

_ALWAYS_UNCHECKED = {15, 20}
"""The program counter, and the flags of the lanes, which the emulator does not show."""


def states(elf: Elf, entry: str, parameters: int) -> dict[int, list[State]]:
    machine = MACHINES[elf.architecture]
    engine = Engine(machine, Findings(Program(elf, machine), Options(parameters=parameters)))
    engine.run(elf.symbol(entry).address)
    found: dict[int, list[State]] = {}
    for address, state in engine.states():
        found.setdefault(address, []).append(state)
    return found


def holds(value: Value, one: int, two: int) -> bool:
    """Whether what is known about a value is true of two runs with different data."""
    if value.kind is Kind.CONSTANT:
        return one == two == value.number
    if stack_places(value):
        return one == two and one - TOP in stack_places(value)
    if value.kind is Kind.RETURN:
        return one == two
    clean = sum(0xFF << 8 * byte for byte in range(4) if value.mask != ALL_BYTES and not value.mask >> byte & 1)
    return one & clean == two & clean


def consistent(state: State, one: Record, two: Record) -> bool:
    registers = enumerate(zip(state.registers, one.registers, two.registers, strict=False))
    if not all(holds(value, a, b) for number, (value, a, b) in registers if number not in _ALWAYS_UNCHECKED):
        return False
    return all(holds(value, one.word(place), two.word(place)) for place, value in state.words.items() if place < 0)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("source", "parameters"), [("clean.c", 2), ("planted.c", 1), ("stack.c", 0)])
def test_states_are_true(programs: Programs, source: str, parameters: int, core: str) -> None:
    built = programs(source, core, "gcc" if core == "cortex-m4" else "zig")
    compared = 0
    for name in built.entries:
        known = states(built.elf, name, parameters)
        watched = frozenset(known)
        runs = [record(built.elf, name, random_bytes(seed) * 4, watched) for seed in (1, 2)]
        for one, two in zip(*runs, strict=False):
            if one.address != two.address:
                assert source == "planted.c", name
                break
            assert any(consistent(state, one, two) for state in known[one.address]), (name, hex(one.address))
            compared += 1
    assert compared > 20
