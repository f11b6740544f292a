"""The C headers of the package that generated code includes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
RUNTIME = PACKAGE / "runtime"
_INCLUDE = re.compile(r'^#include "([A-Za-z0-9_]+\.h)"', re.MULTILINE)


def needed_headers(headers: Iterable[str]) -> dict[str, str]:
    """File name -> text of headers (paths in the package) and of everything that they include, sorted by name.

    An included header lies beside its includer or in runtime/.
    """
    found: dict[str, str] = {}
    work = [PACKAGE / header for header in headers]
    while work:
        path = work.pop()
        text = path.read_text(encoding="utf-8")
        known = found.setdefault(path.name, text)
        assert known == text, f"two headers are called {path.name}"
        for name in _INCLUDE.findall(text):
            beside = path.parent / name
            if name not in found:
                work.append(beside if beside.exists() else RUNTIME / name)
    return dict(sorted(found.items()))
