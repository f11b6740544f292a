"""<name>.c: constants, one specialised function per layer shape, and the run function."""

from __future__ import annotations

from pathlib import PurePosixPath

from byrote.emit.calls import Stretch, Window
from byrote.emit.functions import SUFFIX, Function
from byrote.emit.header import LICENCE, arena_definition
from byrote.emit.interface import Interface
from byrote.emit.literals import initialiser
from byrote.emit.names import comment
from byrote.emit.push import push_function
from byrote.emit.statements import Printer
from byrote.schedule import Phase


def source(api: Interface, printer: Printer, stretches: tuple[Stretch, ...], own_arena: bool) -> str:
    """The model's C file."""
    functions = printer.functions.functions
    includes = [f"{api.name}.h", f"{api.name}_weights.h", "push.h" if api.pushed else "move.h"]
    includes += sorted({PurePosixPath(f.header).name for f in functions})
    parts = [
        LICENCE,
        f"/* Model: {comment(api.model)} */\n\n",
        *(f'#include "{name}"\n' for name in includes),
        "\n/* One copy per distinct layer, specialised by its constants. */\n",
        "#define LAYER static __attribute__((noinline))\n\n",
    ]
    if printer.trace is not None:
        parts.append(f"void {printer.trace}(int32_t tensor, int32_t first, int32_t rows, const uint8_t *data);\n\n")
    parts += [_function(function) for function in functions]
    if own_arena:
        parts += [f"uint8_t {api.name}_{arena_definition(api, arena)};\n" for arena in api.arenas]
        parts.append("\n")
    if api.pushed is not None:
        return "".join(parts) + push_function(api, printer, stretches)
    body = "".join(printer.stretch(stretch) for stretch in stretches)
    parts.append(f"void {api.name}_run({api.parameters})\n{{\n{api.unused(body)}{body}}}\n")
    return "".join(parts)


def _function(function: Function) -> str:
    shape = function.shape
    parameters: list[str] = []
    tables: list[str] = []
    for (name, ctype, _), shared in zip(shape.tables, function.tables, strict=True):
        if shared is None:
            parameters.append(f"const {ctype} *{name}")
        tables.append(shared or name)
    arguments = ["&s", *tables]
    for index in range(shape.sources):
        window = function.variant.windows[index] if function.variant is not None else None
        parameters += _source_parameters(index, window)
        arguments.append(_rows_of(index, window))
    outputs = [f"out{k}" if k else "out" for k in range(shape.outputs)]
    accumulates = shape.phase is not Phase.RUN or not outputs
    pointers = (["acc"] if accumulates and shape.phase is Phase.FINISH else []) + outputs
    if accumulates and shape.phase is not Phase.FINISH:
        pointers = ["acc"]
    parameters += [f"uint8_t *{p}" for p in (outputs + (["acc"] if accumulates else []))]
    if shape.scratch:
        parameters.append("uint8_t *scratch")
        pointers.append("scratch")
    arguments += pointers
    if shape.phase is Phase.RUN:
        if function.variant is None:
            parameters.append("int32_t rows")
        arguments.append(str(function.variant.rows) if function.variant is not None else "rows")
    called = f"{shape.function}{SUFFIX[shape.phase]}"
    return (
        f"LAYER void {function.name}({', '.join(parameters)})\n{{\n"
        f"    static const struct {shape.struct} s = {{{initialiser(shape.fields)}}};\n"
        f"    {called}({', '.join(arguments)});\n}}\n\n"
    )


def _source_parameters(index: int, window: Window | None) -> list[str]:
    kept = [f"const uint8_t *kept{index}"] if window is None or window.held else []
    found = [*kept, f"const uint8_t *in{index}"]
    if window is None:
        found += [f"int32_t {what}{index}" for what in ("held", "top", "first", "end")]
    return found


def _rows_of(index: int, window: Window | None) -> str:
    if window is None:
        return f"rows_of(kept{index}, in{index}, held{index}, top{index}, first{index}, end{index})"
    kept = f"kept{index}" if window.held else f"in{index}"
    return f"rows_of({kept}, in{index}, {window.held}, {window.top}, {window.first}, {window.end})"
