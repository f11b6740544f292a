"""The generated C on an emulated core: same bytes, same count for every input, no stray access, how much stack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from byrote.emit.interface import Interface
from byrote.result import Result
from byrote.targets import Architecture
from byrote.verify.elf import Elf, load_elf
from byrote.verify.emulator import Machine, Observation, Run
from byrote.verify.host import interface_of
from byrote.verify.inputs import Inputs
from byrote.verify.outcome import Check
from byrote.verify.toolchain import build_firmware


@dataclass(frozen=True)
class Emulated:
    """What the runs showed; counts are per inference."""

    checks: tuple[Check, ...]
    elf: Elf
    run: Run
    instructions: int
    equal: bool
    exact: bool
    observation: Observation


def emulate(
    result: Result,
    inputs: Sequence[Inputs],
    expected: Sequence[Inputs],
    folder: Path,
    say: Callable[[str], None],
    compiler: str | None = None,
) -> Emulated:
    """Build for the target and run every set of inputs; the first one also with all loads and stores watched."""
    target = result.target.resized(ram=result.options.ram, flash=result.options.flash)
    assert target.architecture is not Architecture.HOST
    say(f"building for {target.name}")
    for file in result.program.files:
        (folder / file.name).write_text(file.text, encoding="utf-8", newline="\n")
    entry = f"{result.name}_run"
    sources = [folder / name for name in result.program.sources]
    build = build_firmware(sources, target, folder / "firmware", entry=entry, compiler=compiler)
    elf = load_elf(build.path)
    machine = Machine(elf, target)
    api = interface_of(result)
    arena = machine.allocate(api.arena_size, 16)
    runs: list[Run] = []
    wrong = 0
    for index, (given, outputs) in enumerate(zip(inputs, expected[: len(inputs)], strict=True)):
        say(f"running on the emulated {target.name}, input {index + 1} of {len(inputs)}")
        machine.write(arena, bytes([0xA5]) * api.arena_size)
        _write(machine, api, arena, given)
        runs.append(machine.call(entry, arena))
        wrong += _wrong(machine, api, arena, outputs)
    _write(machine, api, arena, inputs[0])
    say("watching loads and stores")
    allowed = ((arena, arena + api.arena_size),)
    seen = machine.observe(entry, arena, stores=allowed, loads=allowed)
    wrong += _wrong(machine, api, arena, expected[0])
    counts = sorted({run.instructions for run in runs} | {seen.instructions})
    equal = len(counts) == 1
    unaligned = sum(access.count for access in seen.unaligned)
    checks = (
        Check(f"C on the emulated {target.name}", not wrong, f"{len(inputs)} inputs, {wrong} values differ"),
        Check(
            "same number of instructions for every input",
            equal,
            f"{counts[0]:,}" if equal else f"{counts[0]:,} to {counts[-1]:,}",
        ),
        Check(
            "stores only in arena and stack",
            not seen.stray_stores,
            _strays(seen, f"{seen.stores:,} stores", store=True),
        ),
        Check(
            "loads only of arena, stack and constants",
            not seen.stray_loads,
            _strays(seen, f"{seen.loads:,} loads", store=False),
        ),
        Check(
            "no unaligned access that the core forbids",
            not unaligned or "unaligned" in target.features,
            f"{unaligned:,} unaligned accesses",
        ),
    )
    return Emulated(checks, elf, runs[0], counts[-1], equal, not wrong, seen)


def _write(machine: Machine, api: Interface, arena: int, given: Inputs) -> None:
    for address, value in zip(api.inputs, given, strict=True):
        machine.write(arena + address.offset, np.ascontiguousarray(value).tobytes())


def _wrong(machine: Machine, api: Interface, arena: int, expected: Inputs) -> int:
    wrong = 0
    for address, value in zip(api.outputs, expected, strict=True):
        found = np.frombuffer(machine.read(arena + address.offset, address.port.type.size), np.uint8)
        wrong += int(np.count_nonzero(found != np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)))
    return wrong


def _strays(seen: Observation, detail: str, *, store: bool) -> str:
    first = next((access for access in seen.stray if access.store == store), None)
    return f"{detail}; first stray: {first}" if first else detail
