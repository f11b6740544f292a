"""<name>_bounds.h: what verification proved and measured, as macros that a firmware can check against.

A bound stands in the header only if it is one: instructions and cycles where the path is proven to be the same for all
inputs, the stack where analysis found its bound.
"""

from __future__ import annotations

from dataclasses import replace

from byrote.emit import Program
from byrote.emit.header import LICENCE
from byrote.emit.names import comment
from byrote.emit.program import File
from byrote.verify.outcome import Outcome
from byrote.verify.verification import Verification

WIDTH = 100


def with_bounds(program: Program, found: Verification) -> Program:
    """The program with its bounds as one file more."""
    bounds = File(bounds_name(found.outcome), bounds_header(found.outcome))
    return replace(program, files=(*program.files, bounds))


def bounds_name(outcome: Outcome) -> str:
    """The file's name."""
    return f"{outcome.name}_bounds.h"


def bounds_header(outcome: Outcome) -> str:
    """C text: macros without dependences, for #if as well as for code."""
    prefix = outcome.name.upper()
    lines = [LICENCE.rstrip("\n"), "/*", f" * Model: {comment(outcome.model)}", " *"]
    lines += _wrapped(
        f"Bounds of one call of {outcome.name}_run on {outcome.target}, for every input. They hold for the generated "
        "files compiled as said here; another compiler or other flags need a verification of their own."
    )
    if outcome.build is not None:
        lines += [" *", f" * Compiler: {_plain(f'{outcome.build.compiler}, {outcome.build.version}')}"]
        lines += _wrapped(f"Flags: {' '.join((*outcome.build.flags, *outcome.build.optimise))}")
    lines += [" *", " * Taken for granted:"]
    for assumption in outcome.assumptions:
        lines += _wrapped(assumption, "- ")
    lines += [" */", f"#ifndef {prefix}_BOUNDS_H", f"#define {prefix}_BOUNDS_H", ""]
    lines += [f'#define {prefix}_BOUNDS_TARGET "{outcome.target}"', ""]
    for text, name, value in _bounds(outcome):
        lines += [
            f"/* {text} */",
            f"#define {prefix}_{name} {value}" if value else f"/* {prefix}_{name}: not known */",
            "",
        ]
    return "\n".join([*lines, "#endif", ""])


def _bounds(outcome: Outcome) -> tuple[tuple[str, str, str | None], ...]:
    """(what it means, name, C constant or None)."""
    proven = bool(outcome.one_path and outcome.instructions_equal)
    instructions = _constant(outcome.instructions) if proven else None
    cycles = _constant(outcome.cycles_high) if proven else None
    stack = _constant(outcome.stack.bound)
    return (
        (
            "Instructions, exactly, the same for every input; proven on the linked program.",
            "INSTRUCTIONS",
            instructions,
        ),
        ("Bytes of stack below the stack pointer of the caller, at most; interrupts come on top.", "STACK_MAX", stack),
        ("Cycles, at most: an estimate from the core's timing table, no hardware was measured.", "CYCLES_MAX", cycles),
    )


def _constant(value: int | None) -> str | None:
    return None if value is None else f"{value}u" if value < 1 << 32 else f"{value}ull"


def _plain(text: str) -> str:
    """Text that cannot end a comment; flags and assumptions are byrote's own, a compiler's version is not."""
    return "".join(c if " " <= c <= "~" and c not in "*\\?" else "." for c in text)


def _wrapped(text: str, bullet: str = "") -> list[str]:
    lines: list[str] = []
    line = bullet
    for word in _plain(text).split():
        if len(line) + len(word) > WIDTH and line.strip():
            lines.append(f" * {line.rstrip()}")
            line = " " * len(bullet)
        line += f"{word} "
    return [*lines, f" * {line.rstrip()}"]
