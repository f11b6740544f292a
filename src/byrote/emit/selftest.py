"""<name>_test.c: one inference on generated input, compared with the bytes that the model's definition gives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from byrote.emit.header import LICENCE, arena_definition
from byrote.emit.interface import Interface
from byrote.emit.literals import array
from byrote.ir import Array, DType, Port

_SEED, _FACTOR, _STEP = 12345, 1664525, 1013904223


def golden_inputs(ports: Sequence[Port]) -> tuple[Array, ...]:
    """The inputs that the test's generator makes: x = x * 1664525 + 1013904223 mod 2^32, a byte is x >> 24.

    Integers take as many bytes as they have; a float is its byte, as a signed number, over 16; a truth value its
    lowest bit.
    """
    state = _SEED
    found: list[Array] = []
    for port in ports:
        simple = port.type.dtype in (DType.FLOAT32, DType.BOOL)
        count = port.type.elements if simple else port.type.size
        values = np.empty(count, np.uint8)
        for index in range(count):
            state = (state * _FACTOR + _STEP) & 0xFFFFFFFF
            values[index] = state >> 24
        if port.type.dtype is DType.FLOAT32:
            found.append((values.view(np.int8).astype(np.float32) * np.float32(0.0625)).reshape(port.type.shape))
        elif port.type.dtype is DType.BOOL:
            found.append((values & 1).astype(np.bool_).reshape(port.type.shape))
        else:
            found.append(values.view(port.type.dtype.value).reshape(port.type.shape))
    return tuple(found)


def selftest(api: Interface, outputs: Sequence[Array]) -> str:
    """The file's text; `outputs` are the right ones for `golden_inputs`."""
    name, macro = api.name, api.macro
    parts = [
        LICENCE,
        "/*\n * A self-test: returns 0 if this build computes what the model says, else 1 + the index of the first\n"
        f" * wrong byte, counted over all outputs.  With -D{macro}_TEST_MAIN it is a program.\n */\n"
        f'#include "{name}.h"\n\n',
    ]
    for address, value in zip(api.outputs, outputs, strict=True):
        data = np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)
        parts.append(
            f"static const uint8_t golden_{address.index}[{data.size}] = {{\n{array(data, DType.UINT8)}\n}};\n\n"
        )
    parts.append(
        "static uint8_t next(uint32_t *state)\n{\n"
        f"    *state = *state * {_FACTOR}u + {_STEP}u;\n    return (uint8_t)(*state >> 24);\n}}\n\n"
        "static int32_t first_difference(const uint8_t *found, const uint8_t *golden, int32_t size)\n{\n"
        "    for (int32_t i = 0; i < size; i++)\n        if (found[i] != golden[i]) return i;\n    return -1;\n}\n\n"
        f"int32_t {name}_test({api.parameters})\n{{\n    uint32_t state = {_SEED}u;\n    int32_t wrong;\n"
    )
    if api.pushed is not None:
        parts.append(_push(api))
    else:
        parts += [_fill(api, index) for index in range(len(api.inputs))]
        parts.append(f"    {name}_run({api.arguments});\n")
    base = 0
    for address in api.outputs:
        size = address.port.type.size
        arena = api.arenas[address.arena].parameter
        parts.append(
            f"    wrong = first_difference({arena} + {macro}_OUTPUT_{address.index}_OFFSET, "
            f"golden_{address.index}, {size});\n"
            f"    if (wrong >= 0) return {base} + wrong + 1;\n"
        )
        base += size
    parts.append("    return 0;\n}\n\n")
    arenas = "".join(f"static uint8_t test_{arena_definition(api, a, macro=True)};\n" for a in api.arenas)
    tested = ", ".join(f"test_{a.parameter}" for a in api.arenas)
    parts.append(
        f"#ifdef {macro}_TEST_MAIN\n{arenas}\nint main(void)\n{{\n    return {name}_test({tested}) != 0;\n}}\n#endif\n"
    )
    return "".join(parts)


def _push(api: Interface) -> str:
    """Statements that generate the input row by row."""
    assert api.pushed is not None
    ctype = api.inputs[0].port.type.dtype.ctype
    return (
        f"    static uint8_t row[{api.pushed.row_size}];\n    {api.name}_push_reset({api.arguments});\n"
        f"    for (int32_t r = 0; r < {api.pushed.rows}; r++) {{\n"
        f"        for (int32_t i = 0; i < {api.pushed.row_size}; i++) row[i] = next(&state);\n"
        f"        if ({api.name}_push_row({api.arguments}, (const {ctype} *)(const void *)row)"
        f" != (r == {api.pushed.rows - 1})) return -1;\n    }}\n"
    )


def _fill(api: Interface, index: int) -> str:
    """Statements that generate one input."""
    kind = api.inputs[index].port.type
    pointer = f"{api.name}_input_{index}({api.arguments})"
    count = f"{kind.elements}"
    if kind.dtype is DType.FLOAT32:
        return f"    for (int32_t i = 0; i < {count}; i++) {pointer}[i] = (float)(int8_t)next(&state) * 0.0625f;\n"
    if kind.dtype is DType.BOOL:
        return f"    for (int32_t i = 0; i < {count}; i++) {pointer}[i] = next(&state) & 1u;\n"
    offset = f"{api.macro}_INPUT_{index}_OFFSET"
    arena = api.arenas[api.inputs[index].arena].parameter
    return f"    for (int32_t i = 0; i < {kind.size}; i++) {arena}[{offset} + i] = next(&state);\n"
