"""The emulator's callbacks as a library, compiled once per user and version of its source."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import tempfile
from functools import lru_cache
from pathlib import Path

from byrote.ir import UserError
from byrote.verify.compilers import BuildError
from byrote.verify.toolchain import NATIVE, build_host_library

_SOURCE = NATIVE / "hooks.c"


def cache_folder() -> Path:
    """Where compiled helpers are kept: $XDG_CACHE_HOME/byrote, else ~/.cache/byrote."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "byrote"


@lru_cache(maxsize=4)
def native_hooks(folder: Path | None = None) -> ctypes.CDLL | None:
    """The library with on_block and on_access; None if it can be neither found nor built (no compiler, no disk)."""
    digest = hashlib.sha256(_SOURCE.read_bytes() + platform.machine().encode()).hexdigest()[:16]
    try:
        kept = (folder or cache_folder()) / f"hooks-{digest}.so"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            _build(kept)
        return ctypes.CDLL(str(kept))
    except (OSError, RuntimeError, BuildError, UserError):
        return None


def _build(kept: Path) -> None:
    """Build aside and rename, so that a second process never loads half a file."""
    with tempfile.TemporaryDirectory(dir=kept.parent) as name:
        built = build_host_library([_SOURCE], Path(name), name="hooks")
        built.path.replace(kept)
