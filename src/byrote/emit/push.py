"""<name>_push_row: the run function taken apart, so that the caller delivers the input row by row.

The steps of the first segment wait for rows.  Runs of equal steps are the parts of the inference; a part repeats its
rows for some turns.  What needs no further row is done together with the last row before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from byrote.emit.calls import Delivery, Stretch
from byrote.emit.interface import Interface, Pushed
from byrote.emit.statements import Block, Place, Printer, Statement, address, blocks

RECEIVE = "receive"


@dataclass
class _Row:
    """What is done when one row arrives: statements before and after it is stored.

    It goes to `target`, in turn t to target + t * advance.
    """

    target: Place
    advance: int = 0
    before: list[tuple[Statement, tuple[int, ...]]] = field(default_factory=list[tuple[Statement, tuple[int, ...]]])
    after: list[tuple[Statement, tuple[int, ...]]] = field(default_factory=list[tuple[Statement, tuple[int, ...]]])


@dataclass(frozen=True)
class _Part:
    """`count` turns of the same rows; `entry` is C text that runs before the very first of them."""

    rows: tuple[_Row, ...]
    count: int
    entry: str


def push_function(api: Interface, printer: Printer, stretches: Sequence[Stretch]) -> str:
    """The functions that take the place of <name>_run.

    One function per row of a part; <name>_run_rows calls them in a fixed sequence, <name>_push_row one at a time.
    """
    pushed = api.pushed
    assert pushed is not None
    parts, tail = _parts(printer, stretches[0], pushed.row_size)
    tail += "".join(printer.stretch(stretch) for stretch in stretches[1:])
    text = ""
    for index, part in enumerate(parts):
        if part.entry:
            unused = api.unused(part.entry)
            text += f"static void {api.name}_before_{index}({api.parameters})\n{{\n{unused}{part.entry}}}\n\n"
        for number, row in enumerate(part.rows):
            text += _row_function(api, f"{api.name}_part_{index}_row_{number}", row)
    text += f"static void {api.name}_finish({api.parameters})\n{{\n{api.unused(tail)}{tail}}}\n\n"
    return text + _run_rows(api, parts) + _push_row(api, parts, pushed)


def _row_function(api: Interface, name: str, row: _Row) -> str:
    assert api.pushed is not None
    body = "".join(s.text("    ", a) for s, a in row.before)
    body += f"    move_bytes({address(row.target, row.advance)}, row, {api.pushed.row_size});\n"
    body += "".join(s.text("    ", a) for s, a in row.after)
    unused = "    (void)t;\n" + api.unused(body)
    return f"static void {name}({api.parameters}, const uint8_t *row, int32_t t)\n{{\n{unused}{body}}}\n\n"


def _run_rows(api: Interface, parts: Sequence[_Part]) -> str:
    """All rows in order, from somewhere outside the arena."""
    pushed, ctype = api.pushed, api.inputs[0].port.type.dtype.ctype
    assert pushed is not None
    text = f"void {api.name}_run_rows({api.parameters}, const {ctype} *input)\n{{\n"
    text += "    const uint8_t *row = (const uint8_t *)input;\n"
    for index, part in enumerate(parts):
        if part.entry:
            text += f"    {api.name}_before_{index}({api.arguments});\n"
        text += f"    for (int32_t t = 0; t < {part.count}; t++) {{\n"
        for number in range(len(part.rows)):
            text += f"        {api.name}_part_{index}_row_{number}({api.arguments}, row, t);\n"
            text += f"        row += {pushed.row_size};\n"
        text += "    }\n"
    return f"{text}    {api.name}_finish({api.arguments});\n}}\n\n"


def _push_row(api: Interface, parts: Sequence[_Part], pushed: Pushed) -> str:
    """One row, by what the progress in the arena says."""
    ctype = api.inputs[0].port.type.dtype.ctype
    last = api.arenas[-1].parameter
    progress = f"    arena_word *const at = (arena_word *)(void *)({last} + {pushed.state_offset});\n"
    text = (
        f"void {api.name}_push_reset({api.parameters})\n{{\n{progress}{api.unused(progress)}"
        "    at[0] = at[1] = at[2] = 0;\n}\n\n"
        f"bool {api.name}_push_row({api.parameters}, const {ctype} *row)\n{{\n{progress}"
        "    const uint8_t *const bytes = (const uint8_t *)row;\n"
        "    const int32_t t = (int32_t)at[1];\n    switch (at[0]) {\n"
    )
    for index, part in enumerate(parts):
        text += _case(api, index, part, last=index == len(parts) - 1)
    surplus = pushed.rows - sum(len(part.rows) * part.count for part in parts)
    if surplus:
        text += f"    case {len(parts)}: /* rows that no window reads */\n"
        text += f"        next_row(at, 1, {surplus});\n        break;\n"
    end = len(parts) + (1 if surplus else 0)
    return text + (
        "    default:\n        break;\n    }\n"
        f"    if (at[0] < {end}u) return false;\n    at[0] = 0;\n    return true;\n}}\n"
    )


def _case(api: Interface, index: int, part: _Part, *, last: bool) -> str:
    name, arenas = api.name, api.arguments
    text = f"    case {index}:\n"
    if part.entry:
        text += f"        if (t == 0 && at[2] == 0) {name}_before_{index}({arenas});\n"
    for number in range(len(part.rows)):
        condition = "" if len(part.rows) == 1 else f"{'else ' if number else ''}if (at[2] == {number}) "
        text += f"        {condition}{name}_part_{index}_row_{number}({arenas}, bytes, t);\n"
    if last:
        text += f"        if (t == {part.count - 1} && at[2] == {len(part.rows) - 1}) {name}_finish({arenas});\n"
    return text + f"        next_row(at, {len(part.rows)}, {part.count});\n        break;\n"


def _parts(printer: Printer, stretch: Stretch, row_size: int) -> tuple[list[_Part], str]:
    """The parts that wait for rows, and the C text after the last row."""
    steps = [
        tuple(
            statement
            for call in step
            for statement in (
                (Statement(RECEIVE, (printer.place(call.target), str(call.size)), ""),)
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
        assert isinstance(target, Place)
        assert isinstance(size, str)
        rows += [
            _Row(Place(target.arena, target.offset + k * row_size), advance[0]) for k in range(int(size) // row_size)
        ]
    rows[0].before[:0] = early
    return tuple(rows)
