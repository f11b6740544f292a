"""The cores that can be emulated, by what their target files say; tests that hold for all of them use these lists."""

from __future__ import annotations

from byrote.targets import targets

_EMULATED = tuple(target for target in targets() if target.emulator is not None)

CORES = tuple(target.name for target in _EMULATED)
ALIGNED = tuple(target.name for target in _EMULATED if "unaligned" not in target.features)
"""Cores without unaligned accesses; neither do they have conditional instructions."""
TIMED = tuple(target.name for target in _EMULATED if target.emulator is not None and target.emulator.timing)
"""Cores for which there is a table of cycles."""
