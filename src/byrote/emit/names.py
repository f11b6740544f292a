"""Identifiers and comments from text that nobody controls: model and tensor names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 40


def identifier(text: str, fallback: str = "model") -> str:
    """A lower-case C identifier, prefix of all names of a model; at most 40 characters, ASCII, never empty."""
    words = re.sub(r"[^a-z0-9]+", "_", text.lower().encode("ascii", "ignore").decode()).strip("_")[:_LONGEST].strip("_")
    if not words:
        return fallback
    return f"m_{words}" if words[0].isdigit() else words


def unique_macros(names: Iterable[str]) -> tuple[str | None, ...]:
    """Upper-case macro parts of names; None where a name gives nothing, or the same as an earlier one."""
    seen: set[str] = set()
    found: list[str | None] = []
    for name in names:
        part = identifier(name, "").upper()
        found.append(part if part and part not in seen and not re.fullmatch(r"\d+", part) else None)
        seen.add(part)
    return tuple(found)


def comment(text: str) -> str:
    """Text that is safe inside a C comment: printable ASCII, no delimiters, no trigraphs, no continuation."""
    clean = "".join(c if " " <= c <= "~" and c not in "*\\?" else "." for c in text)
    return clean if len(clean) <= _LONGEST + 20 else clean[: _LONGEST + 17] + "..."
