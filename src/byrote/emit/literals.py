"""Printing C: constants and arrays, the same bytes on every machine."""

from __future__ import annotations

from byrote.ir import Array, DType
from byrote.kernel import FieldValue, Table

_WIDTH = 116


def number(value: int) -> str:
    """An int32 constant; the smallest has no literal of its own."""
    if value == -(2**31):
        return "(-2147483647 - 1)"
    return str(value)


def real(value: float) -> str:
    """A float literal; nine digits hold every float32 exactly."""
    text = f"{value:.9g}"
    return f"{text}f" if "." in text or "e" in text else f"{text}.0f"


def initialiser(fields: tuple[tuple[str, FieldValue], ...]) -> str:
    """A positional struct initialiser with the members' names in comments."""
    return ", ".join(f"/* {name} */ {_value(value)}" for name, value in fields)


def _value(value: FieldValue) -> str:
    if isinstance(value, int):
        return number(value)
    return "{" + ", ".join(number(v) for v in value) + "}"


def array(values: Array, dtype: DType) -> str:
    """The elements of an array initialiser, wrapped."""
    if dtype is DType.FLOAT32:
        words = [real(float(v)) for v in values.reshape(-1).tolist()]
    else:
        words = [number(int(v)) for v in values.reshape(-1).tolist()]
    lines: list[str] = []
    line = ""
    for word in words:
        if line and len(line) + len(word) + 2 > _WIDTH:
            lines.append(line)
            line = ""
        line += f"{word}, "
    lines.append(line)
    return "\n".join(f"    {text.rstrip()}" for text in lines).rstrip(",")


def declaration(name: str, table: Table) -> str:
    """`const type name[n]` with its alignment."""
    return f"const {table.dtype.ctype} {name}[{table.values.size}] __attribute__((aligned({table.align})))"
