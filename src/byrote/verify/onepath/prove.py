"""The one-path proof of an entry function of a linked program."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.targets import Architecture
from byrote.verify.elf import Elf
from byrote.verify.onepath.engine import Context, Engine
from byrote.verify.onepath.findings import Findings, Options
from byrote.verify.onepath.program import Program
from byrote.verify.onepath.report import PathReport
from byrote.verify.onepath.riscv import RV32
from byrote.verify.onepath.thumb import THUMB

MACHINES = {Architecture.THUMB: THUMB, Architecture.RV32: RV32}


@dataclass(frozen=True)
class Call:
    """One chain of calls, by the function at its end.

    `caller`: index of the chain without that function, None for the entry.  `stack`: distance of the stack pointer at
    the call from that at entry (never positive), `lowest`: the lowest distance while the function itself runs.
    """

    function: str
    caller: int | None
    stack: int
    lowest: int


@dataclass(frozen=True)
class Analysis:
    """What both the path proof and the stack bound are read from.

    `written`: the lowest distance from the stack pointer at entry of all stores to a known place of the stack.
    `visited`: addresses of all instructions that the entry may execute; a run that executes another one disproves the
    analysis (or its assumptions).
    """

    path: PathReport
    calls: tuple[Call, ...]
    written: int
    visited: frozenset[int]


def analyse(elf: Elf, entry: str, options: Options | None = None) -> Analysis:
    """Analyse a function and all that it calls.  Raises KeyError if the program has no such function."""
    machine = MACHINES[elf.architecture]
    program = Program(elf, machine)
    engine = Engine(machine, Findings(program, options or Options()))
    engine.run(elf.symbol(entry).address)
    findings = engine.findings
    path = PathReport(
        entry=entry,
        proven=not findings.violations,
        violations=tuple(sorted(findings.violations, key=lambda item: (item.site, item.fault.value))),
        timing=tuple(sorted(findings.timing)),
        lookups=tuple(sorted(findings.lookups)),
        scattered=tuple(sorted(findings.scattered)),
        functions=tuple(sorted({program.function(address) for address in engine.visited})),
        instructions=len(engine.visited),
    )
    calls = tuple(_call(program, context, lowest) for context, lowest in engine.lowest.items())
    return Analysis(path, calls, findings.written, frozenset(engine.visited))


def _call(program: Program, context: Context, lowest: int) -> Call:
    caller = context.parent.number if context.parent else None
    return Call(program.function(context.function), caller, context.stack, lowest)


def prove_path(elf: Elf, entry: str, options: Options | None = None) -> PathReport:
    """Whether the instructions that `entry` executes are the same for all inputs."""
    return analyse(elf, entry, options).path
