"""<name>_example.c: the smallest program around a model."""

from __future__ import annotations

from byrote.emit.header import LICENCE
from byrote.emit.interface import Interface


def example(api: Interface) -> str:
    """A main function to start from."""
    name, macro = api.name, api.macro
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
