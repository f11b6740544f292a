"""Cores as data: features, memories, compilers.  Adding a target is adding one .toml file to this folder."""

from byrote.targets.target import (
    Architecture,
    CompilerFlags,
    Emulator,
    Memory,
    MemoryKind,
    Power,
    Target,
    load_target,
    target_names,
    targets,
)

__all__ = [
    "Architecture",
    "CompilerFlags",
    "Emulator",
    "Memory",
    "MemoryKind",
    "Power",
    "Target",
    "load_target",
    "target_names",
    "targets",
]
