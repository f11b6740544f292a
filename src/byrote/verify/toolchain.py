"""Building C: a library or a program for this computer, a bare-metal image for a target.

Nothing is linked into an image but the sources, `native/memory.c` (what compilers call to copy and fill) and the
compiler's own arithmetic helpers; a C library is not, so a name that needs one is reported as undefined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

from byrote.targets import Target, load_target
from byrote.verify.compilers import BuildError, Compiler, find_compiler, get_compiler, run
from byrote.verify.linker import linker_script

NATIVE = Path(__file__).parent / "native"
JOBS = 2
"""Compilers that run at the same time."""

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")

_BARE = ("-std=c99", "-ffreestanding", "-ffunction-sections", "-fdata-sections", "-g0")
_NO_UNWINDING = ("-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-exceptions")
_UNDEFINED = re.compile(r"undefined (?:symbol: |reference to [`'])([\w.$]+)")
_OVERFLOW = re.compile(r"region [`']?(\w+)'?:? overflowed by (\d+) bytes")


@dataclass(frozen=True)
class Build:
    """What was built, by whom, with which commands (in order), and what the compiler had to say."""

    path: Path
    compiler: Compiler
    commands: tuple[tuple[str, ...], ...]
    messages: str = ""


def build_firmware(
    sources: Sequence[Path],
    target: Target,
    folder: Path,
    *,
    entry: str,
    keep: Sequence[str] = (),
    compiler: Compiler | str | None = None,
    include: Sequence[Path] = (),
    flags: Sequence[str] = (),
    optimise: Sequence[str] | None = None,
    stack: int = 0,
) -> Build:
    """Compile and link C sources into an ELF image `folder/firmware.elf` for a target.

    Only what `entry` and the names in `keep` reach stays in the image.  `optimise` replaces the target's recommended
    flags; `flags` are added to them.  `stack` bytes are reserved in RAM.
    Raises BuildError if a compiler refuses, UserError if it is not installed.
    """
    chosen = compiler if isinstance(compiler, Compiler) else get_compiler(target, compiler)
    folder = _made(folder)
    common = chosen.flags(target)
    speed = common.optimise if optimise is None else tuple(optimise)
    own = ("-fno-sanitize=all", "-fstack-size-section") if chosen.clang else ("-fstack-usage",)
    settings = (*common.flags, *_BARE, *_NO_UNWINDING, *own, *speed)
    searched = _include(sources, include)
    jobs = [(path, (*settings, *flags, *searched)) for path in sources]
    jobs.append((NATIVE / "memory.c", (*settings, *_no_idioms(chosen))))
    commands: list[tuple[str, ...]] = []
    objects: list[str] = []
    for index, (source, options) in enumerate(jobs):
        objects.append(f"{index}_{source.stem}.o")
        commands.append((*chosen.command, *options, "-c", str(source.resolve()), "-o", objects[-1]))
    (folder / "link.ld").write_text(linker_script(target, stack), encoding="utf-8")
    link = _link(chosen, target, objects, entry, keep)
    with ThreadPoolExecutor(JOBS) as pool:
        messages = list(pool.map(run, commands, repeat(folder)))
    messages.append(_linked(link, folder))
    return Build(folder / "firmware.elf", chosen, (*commands, link), "".join(messages))


def build_host_library(
    sources: Sequence[Path],
    folder: Path,
    *,
    compiler: Compiler | str | None = None,
    include: Sequence[Path] = (),
    flags: Sequence[str] = (),
    optimise: Sequence[str] = ("-O2",),
    name: str = "library",
) -> Build:
    """A shared library for this computer, `folder/<name>.so`, to be loaded by ctypes.  Errors as build_firmware."""
    shared = ("-shared", "-fPIC", *optimise, *flags)
    return _build_host(sources, folder, f"{name}.so", compiler=compiler, include=include, flags=shared)


def build_host_program(
    sources: Sequence[Path],
    folder: Path,
    *,
    compiler: Compiler | str | None = None,
    include: Sequence[Path] = (),
    flags: Sequence[str] = (),
    optimise: Sequence[str] = ("-O1",),
    sanitize: bool = False,
    name: str = "program",
) -> Build:
    """A program for this computer, `folder/<name>`, with address and undefined-behaviour checks if `sanitize`.

    A checked program ends with a non-zero exit code at the first fault.  Errors as build_firmware.
    """
    checks = SANITIZERS if sanitize else ()
    options = (*optimise, *checks, *flags)
    return _build_host(sources, folder, name, compiler=compiler, include=include, flags=options)


def _build_host(
    sources: Sequence[Path],
    folder: Path,
    name: str,
    *,
    compiler: Compiler | str | None,
    include: Sequence[Path],
    flags: tuple[str, ...],
) -> Build:
    host = load_target("host")
    chosen = compiler if isinstance(compiler, Compiler) else get_compiler(host, compiler)
    plain = ("-fno-sanitize=all",) if chosen.name == "zig" and SANITIZERS[0] not in flags else ()
    paths = [str(source.resolve()) for source in sources]
    command = (*chosen.command, *plain, *flags, *_include(sources, include), *paths, "-o", name)
    folder = _made(folder)
    messages = run(command, folder)
    return Build(folder / name, chosen, (command,), messages)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def _include(sources: Sequence[Path], include: Sequence[Path]) -> tuple[str, ...]:
    """Search folders: the given ones, then those of the sources."""
    folders = [*include, *(source.parent for source in sources)]
    return tuple(f"-I{folder}" for folder in dict.fromkeys(folder.resolve() for folder in folders))


def _no_idioms(compiler: Compiler) -> tuple[str, ...]:
    """Keeps a compiler from turning the body of memcpy into a call of memcpy."""
    return ("-fno-builtin",) if compiler.clang else ("-fno-builtin", "-fno-tree-loop-distribute-patterns")


def _link(
    compiler: Compiler, target: Target, objects: Sequence[str], entry: str, keep: Sequence[str]
) -> tuple[str, ...]:
    """The link command.  A clang without a linker of its own borrows GCC's or zig's, and their helpers."""
    linker = compiler
    if compiler.name == "clang":
        linker = find_compiler("gcc", target) or get_compiler(target, "zig")
    helpers = "-lcompiler_rt" if linker.name == "zig" else "-lgcc"
    roots = [f"-Wl,-u,{name}" for name in dict.fromkeys((entry, *keep))]
    options = ("-nostdlib", "-Tlink.ld", "-Wl,--gc-sections", f"-Wl,-e,{entry}", *roots)
    quiet = () if linker.name == "zig" else ("-Wl,--strip-debug", "-Wl,--no-warn-rwx-segments", "-Wl,-z,noexecstack")
    return (*linker.command, *linker.flags(target).flags, *options, *quiet, *objects, helpers, "-o", "firmware.elf")


def _linked(command: tuple[str, ...], folder: Path) -> str:
    """Run the linker; what it misses is told by name."""
    try:
        return run(command, folder)
    except BuildError as error:
        undefined = tuple(sorted(set(_UNDEFINED.findall(error.output))))
        overflow = tuple(sorted({(name, int(size)) for name, size in _OVERFLOW.findall(error.output)}))
        raise BuildError(command, error.output, undefined, overflow) from error
