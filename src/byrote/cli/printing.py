"""The only place that writes to stdout."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: object) -> None:
    """One JSON object, indented, in a fixed order."""
    import msgspec

    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def console(*, to_stderr: bool = False) -> Console:
    """A console that is plain when piped."""
    from rich.console import Console

    return Console(stderr=to_stderr, highlight=False, soft_wrap=True)
