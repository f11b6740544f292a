"""<name>_weights.c and .h: the constant arrays, in flash."""

from __future__ import annotations

from byrote.emit.functions import Arrays
from byrote.emit.header import LICENCE
from byrote.emit.literals import array, declaration
from byrote.emit.names import comment
from byrote.ir import Graph


def weights_header(name: str, arrays: Arrays) -> str:
    """Declarations, for the model's own files only."""
    lines = "".join(f"extern {declaration(array_name, table)};\n" for array_name, table in arrays.tables.items())
    guard = f"{name.upper()}_WEIGHTS_H"
    return (
        f"{LICENCE}#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n"
        f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{lines}\n#ifdef __cplusplus\n}}\n#endif\n#endif\n'
    )


def weights_source(name: str, arrays: Arrays, graph: Graph) -> str:
    """Definitions."""
    parts = [LICENCE, f'#include "{name}_weights.h"\n']
    for array_name, table in arrays.tables.items():
        users = ", ".join(
            f"{node} {comment(graph.nodes[node].op.name)} {comment(graph.nodes[node].origin.name)}"
            for node in arrays.users[array_name]
        )
        parts.append(
            f"\n/* {users} */\n{declaration(array_name, table)} = {{\n{array(table.values, table.dtype)}\n}};\n"
        )
    if not arrays.tables:
        parts.append("\ntypedef int nothing_constant;\n")
    return "".join(parts)
