"""Finding C compilers on this machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from byrote.ir import user_error
from byrote.targets import Architecture, CompilerFlags, Target

TIMEOUT = 600
"""Seconds after which a compiler is given up; the first build with zig also builds its run-time library."""

_REMEDIES = {
    "zig": "pip install ziglang",
    "gcc": "install the GCC cross compiler of your system, for example Debian's gcc-arm-none-eabi",
    "clang": "install clang",
    "cc": "install a C compiler, or: pip install ziglang",
}


class BuildError(RuntimeError):
    """A compiler refused: the command and what it said.

    `undefined`: names that the program uses and nobody defines.
    `overflow`: (memory, bytes too many) where the program does not fit.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        output: str,
        undefined: tuple[str, ...] = (),
        overflow: tuple[tuple[str, int], ...] = (),
    ) -> None:
        super().__init__(f"{' '.join(command)}\n{output}")
        self.command = command
        self.output = output
        self.undefined = undefined
        self.overflow = overflow


@dataclass(frozen=True)
class Compiler:
    """A C compiler: `name` is how a person asks for it, `command` how it is started."""

    name: str
    command: tuple[str, ...]
    clang: bool

    @property
    def version(self) -> str:
        """The first line of --version."""
        return _version(self.command)

    def flags(self, target: Target) -> CompilerFlags:
        """What the target says about compilers of this kind."""
        found = target.flags(self.name) or target.flags("clang" if self.clang else "gcc")
        assert found is not None, f"{target.name} says nothing about {self.name}"
        return found


def run(command: tuple[str, ...], folder: Path) -> str:
    """Run a compiler in a folder; returns what it printed (warnings).  Raises BuildError if it fails."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise BuildError(command, f"no answer after {TIMEOUT} s") from error
    output = done.stderr + done.stdout
    if done.returncode:
        raise BuildError(command, output or f"exit code {done.returncode}")
    return output


def find_compiler(name: str, target: Target) -> Compiler | None:
    """The compiler "zig", "gcc", "clang" (and "cc" on the host) for a target, or None if it is not installed."""
    if name == "zig":
        return _zig()
    if name != "cc" and target.flags(name) is None:
        return None
    flags = target.flags(name)
    program = shutil.which((flags.prefix if flags else "") + name)
    if program is None:
        return None
    return Compiler(name, (program,), clang=name == "clang" or (name == "cc" and "clang" in _version((program,))))


def compilers(target: Target) -> tuple[Compiler, ...]:
    """Every installed compiler for the target, the preferred one first."""
    order = ("cc", "gcc", "clang", "zig") if target.architecture is Architecture.HOST else ("zig", "gcc", "clang")
    found = (find_compiler(name, target) for name in order)
    return tuple(compiler for compiler in found if compiler is not None)


def get_compiler(target: Target, name: str | None = None) -> Compiler:
    """The compiler of that name, or the preferred one.  Raises UserError with the remedy if there is none."""
    if name is not None:
        found = find_compiler(name, target)
        if found is None:
            raise user_error("", f"compiler '{name}' for {target.name} is not installed", _REMEDIES.get(name, ""))
        return found
    installed = compilers(target)
    if not installed:
        raise user_error("", f"no C compiler for {target.name} is installed", "pip install ziglang")
    return installed[0]


def _zig() -> Compiler | None:
    """Zig's C compiler from the ziglang wheel, or from the path."""
    found = importlib.util.find_spec("ziglang")
    if found is not None and found.origin is not None:
        for name in ("zig", "zig.exe"):
            program = Path(found.origin).parent / name
            if program.exists():
                return Compiler("zig", (str(program), "cc"), clang=True)
    program = shutil.which("zig")
    return Compiler("zig", (program, "cc"), clang=True) if program else None


@lru_cache(maxsize=16)
def _version(command: tuple[str, ...]) -> str:
    return run((*command, "--version"), Path.cwd()).splitlines()[0]
