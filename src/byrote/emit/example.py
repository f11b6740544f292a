"""<name>_example.c: the smallest program around a model."""

from __future__ import annotations

from byrote.emit.header import LICENCE, arena_definition
from byrote.emit.interface import Interface


def example(api: Interface) -> str:
    """A main function to start from."""
    name, arenas = api.name, _arenas(api)
    if api.pushed is not None:
        return _pushing(api)
    fills = "".join(
        f"        read_input_{a.index}({name}_input_{a.index}({api.arguments})); /* {a.port.type.elements} values */\n"
        for a in api.inputs
    )
    uses = "".join(f"        use_output_{a.index}({name}_output_{a.index}({api.arguments}));\n" for a in api.outputs)
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
        f"{arenas}\n"
        f"{stubs}int main(void)\n{{\n    for (;;) {{\n{fills}        {name}_run({api.arguments});\n{uses}    }}\n}}\n"
    )


def _arenas(api: Interface) -> str:
    """Definitions of all arenas."""
    return "".join(f"static uint8_t {arena_definition(api, arena, macro=True)};\n" for arena in api.arenas)


def _pushing(api: Interface) -> str:
    """A main function whose input arrives row by row: from a camera, a microphone."""
    name, macro, arenas = api.name, api.macro, _arenas(api)
    assert api.pushed is not None
    ctype = api.inputs[0].port.type.dtype.ctype
    uses = "".join(
        f"            use_output_{a.index}({name}_output_{a.index}({api.arguments}));\n" for a in api.outputs
    )
    stubs = "".join(
        f"/* Yours: do something with {a.port.type.elements} values. */\n"
        f"static void use_output_{a.index}(const {a.port.type.dtype.ctype} *values)\n{{\n    (void)values;\n}}\n\n"
        for a in api.outputs
    )
    return (
        f'{LICENCE}#include "{name}.h"\n\n'
        f"{arenas}static {ctype} row[{macro}_PUSH_ROW_SIZE / sizeof({ctype})];\n\n"
        "/* Yours: wait for the next row and fill it in. */\n"
        f"static void next_row_of_input({ctype} *values)\n{{\n    values[0] = 0;\n}}\n\n"
        f"{stubs}int main(void)\n{{\n    {name}_push_reset({api.arguments});\n    for (;;) {{\n"
        f"        next_row_of_input(row);\n"
        f"        if ({name}_push_row({api.arguments}, row)) {{\n{uses}        }}\n    }}\n}}\n"
    )
