"""<name>_example.c: the smallest program around a model."""

from __future__ import annotations

from byrote.emit.header import LICENCE
from byrote.emit.interface import Interface


def example(api: Interface) -> str:
    """A main function to start from."""
    name, macro = api.name, api.macro
    if api.pushed is not None:
        return _pushing(api)
    fills = "".join(
        f"        read_input_{a.index}({name}_input_{a.index}(arena)); /* {a.port.type.elements} values */\n"
        for a in api.inputs
    )
    uses = "".join(f"        use_output_{a.index}({name}_output_{a.index}(arena));\n" for a in api.outputs)
    stubs = "".join(
        f"/* Yours: fill the input with {a.port.type.elements} values. */\n"
        f"static void read_input_{a.index}({a.port.type.dtype.ctype} *values)\n{{\n"
        f"    for (int32_t i = 0; i < {a.port.type.elements}; i++) values[i] = 0;\n}}\n\n"
        for a in api.inputs
    )
    stubs += "".join(
        f"/* Yours: do something with {a.port.type.elements} values. */\n"
        f"static void use_output_{a.index}(const {a.port.type.dtype.ctype} *values)\n{{\n    (void)values;\n}}\n\n"
        for a in api.outputs
    )
    return (
        f'{LICENCE}#include "{name}.h"\n\n'
        "/* All memory that an inference needs; between two inferences it is free for anything else. */\n"
        f"static uint8_t arena[{macro}_ARENA_SIZE] __attribute__((aligned({macro}_ARENA_ALIGN)));\n\n"
        f"{stubs}int main(void)\n{{\n    for (;;) {{\n{fills}        {name}_run(arena);\n{uses}    }}\n}}\n"
    )


def _pushing(api: Interface) -> str:
    """A main function whose input arrives row by row: from a camera, a microphone."""
    name, macro = api.name, api.macro
    assert api.pushed is not None
    ctype = api.inputs[0].port.type.dtype.ctype
    uses = "".join(f"            use_output_{a.index}({name}_output_{a.index}(arena));\n" for a in api.outputs)
    stubs = "".join(
        f"/* Yours: do something with {a.port.type.elements} values. */\n"
        f"static void use_output_{a.index}(const {a.port.type.dtype.ctype} *values)\n{{\n    (void)values;\n}}\n\n"
        for a in api.outputs
    )
    return (
        f'{LICENCE}#include "{name}.h"\n\n'
        f"static uint8_t arena[{macro}_ARENA_SIZE] __attribute__((aligned({macro}_ARENA_ALIGN)));\n"
        f"static {ctype} row[{macro}_PUSH_ROW_SIZE / sizeof({ctype})];\n\n"
        "/* Yours: wait for the next row and fill it in. */\n"
        f"static void next_row_of_input({ctype} *values)\n{{\n    values[0] = 0;\n}}\n\n"
        f"{stubs}int main(void)\n{{\n    {name}_push_reset(arena);\n    for (;;) {{\n        next_row_of_input(row);\n"
        f"        if ({name}_push_row(arena, row)) {{\n{uses}        }}\n    }}\n}}\n"
    )
