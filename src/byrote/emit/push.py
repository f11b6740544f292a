"""<name>_push_row: the run function taken apart, so that the caller delivers the input row by row.

The steps of the first segment wait for rows.  Runs of equal steps are the parts of the inference; a part repeats its
rows for some turns.  What needs no further row is done together with the last row before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from byrote.emit.calls import Delivery, Stretch
from byrote.emit.interface import Interface
from byrote.emit.statements import Block, Printer, Statement, blocks

RECEIVE = "receive"


@dataclass
class _Row:
    """What is done when one row arrives: statements before and after it is stored at `target`."""

    target: int
    before: list[tuple[Statement, tuple[int, ...]]] = field(default_factory=list[tuple[Statement, tuple[int, ...]]])
    after: list[tuple[Statement, tuple[int, ...]]] = field(default_factory=list[tuple[Statement, tuple[int, ...]]])


@dataclass(frozen=True)
class _Part:
    """`count` turns of the same rows; `entry` is C text that runs before the very first of them."""

    rows: tuple[_Row, ...]
    count: int
    entry: str


def push_function(api: Interface, printer: Printer, stretches: Sequence[Stretch]) -> str:
    """The functions that take the place of <name>_run."""
    pushed = api.pushed
    assert pushed is not None
    parts, tail = _parts(printer, stretches[0], pushed.row_size)
    tail += "".join(printer.stretch(stretch) for stretch in stretches[1:])
    needed = sum(len(part.rows) * part.count for part in parts)
    surplus = pushed.rows - needed
    ctype = api.inputs[0].port.type.dtype.ctype
    text = (
        f"void {api.name}_push_reset(uint8_t *arena)\n{{\n"
        f"    arena_word *const at = (arena_word *)(void *)(arena + {pushed.state_offset});\n"
        f"    at[0] = at[1] = at[2] = 0;\n}}\n\n"
        f"bool {api.name}_push_row(uint8_t *arena, const {ctype} *row)\n{{\n"
        f"    arena_word *const at = (arena_word *)(void *)(arena + {pushed.state_offset});\n"
        "    const uint8_t *const bytes = (const uint8_t *)row;\n"
        "    const int32_t t = (int32_t)at[1];\n    (void)t;\n    switch (at[0]) {\n"
    )
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        text += _case(index, part, pushed.row_size, tail if last else "")
    if surplus:
        text += f"    case {len(parts)}: /* rows that no window reads */\n"
        text += f"        next_row(at, 1, {surplus});\n        break;\n"
    end = len(parts) + (1 if surplus else 0)
    return text + (
        "    default:\n        break;\n    }\n"
        f"    if (at[0] < {end}u) return false;\n    at[0] = 0;\n    return true;\n}}\n"
    )


def _case(index: int, part: _Part, row_size: int, tail: str) -> str:
    text = f"    case {index}:\n"
    if part.entry:
        text += f"        if (t == 0 && at[2] == 0) {{\n{_indented(part.entry)}        }}\n"
    for number, row in enumerate(part.rows):
        keyword = "if" if number == 0 else "} else if"
        text += f"        {keyword} (at[2] == {number}) {{\n" if len(part.rows) > 1 else "        {\n"
        text += "".join(s.text("            ", a) for s, a in row.before)
        text += f"            move_bytes(arena + {row.target}, bytes, {row_size});\n"
        text += "".join(s.text("            ", a) for s, a in row.after)
    text += "        }\n"
    if tail:
        done = f"t == {part.count - 1} && at[2] == {len(part.rows) - 1}"
        text += f"        if ({done}) {{\n{_indented(tail)}        }}\n"
    return text + f"        next_row(at, {len(part.rows)}, {part.count});\n        break;\n"


def _indented(text: str) -> str:
    return "".join(f"        {line}\n" for line in text.splitlines())


def _parts(printer: Printer, stretch: Stretch, row_size: int) -> tuple[list[_Part], str]:
    """The parts that wait for rows, and the C text after the last row."""
    steps = [
        tuple(
            statement
            for call in step
            for statement in (
                (Statement(RECEIVE, (call.target, str(call.size)), ""),)
                if isinstance(call, Delivery)
                else printer.statements(call)
            )
        )
        for step in stretch.steps
    ]
    parts: list[_Part] = []
    waiting = ""
    for block in blocks(steps):
        if not any(statement.name == RECEIVE for statement in block.body):
            waiting += block.text("    ")
            continue
        parts.append(_Part(_rows(block, row_size), block.count, waiting))
        waiting = ""
    return parts, waiting


def _rows(block: Block, row_size: int) -> tuple[_Row, ...]:
    """The rows of one turn, each with what follows it."""
    rows: list[_Row] = []
    early: list[tuple[Statement, tuple[int, ...]]] = []
    for statement, advance in zip(block.body, block.advance, strict=True):
        if statement.name != RECEIVE:
            (rows[-1].after if rows else early).append((statement, advance))
            continue
        target, size = statement.arguments
        assert isinstance(target, int)
        assert not any(advance), "rows of a pushed input always arrive in the same slots"
        rows += [_Row(target + k * row_size) for k in range(int(size) // row_size)]
    rows[0].before[:0] = early
    return tuple(rows)
