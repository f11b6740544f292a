"""Options that several verbs share, and what they mean to the compiler."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from byrote.options import CompileOptions


class Verbs(Protocol):
    """The part of argparse's sub-parsers that verbs use."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser: ...  # noqa: A002


_NAME = re.compile("[a-z][a-z0-9_]{0,15}")
_UNITS = {"": 1, "b": 1, "k": 1024, "kb": 1024, "kib": 1024, "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20}


def size(text: str) -> int:
    """Bytes: 65536, 64K, 1M."""
    digits = text.rstrip("bBiIkKmM")
    unit = _UNITS.get(text[len(digits) :].lower())
    if not digits.isdigit() or unit is None or len(digits) > 12:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size: write 65536, 64K or 1M")
    return int(digits) * unit


def ram(text: str) -> int | tuple[tuple[str, int], ...]:
    """Bytes of one memory, or several memories from the fastest to the slowest: dtcm=64K,sram=256K."""
    if "=" not in text and "," not in text:
        return size(text)
    found: list[tuple[str, int]] = []
    for part in text.split(","):
        name, _, digits = part.strip().partition("=")
        if not _NAME.fullmatch(name):
            raise argparse.ArgumentTypeError(f"{part.strip()!r} is not NAME=SIZE: write dtcm=64K,sram=256K")
        if name in dict(found):
            raise argparse.ArgumentTypeError(f"{name} is there twice")
        found.append((name, size(digits)))
    return tuple(found)


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option that every verb has."""
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout")


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model and everything that steers its compilation."""
    parser.add_argument("model", metavar="MODEL", help="a .tflite file")
    parser.add_argument("-n", "--name", help="name of the generated files and functions (default: the file's name)")
    parser.add_argument("-t", "--target", default="cortex-m4", help="core to compile for, see `byrote targets`")
    parser.add_argument(
        "--ram",
        type=ram,
        metavar="N",
        help="bytes of RAM there are (64K); or of several memories, the fastest first (dtcm=64K,sram=256K)",
    )
    parser.add_argument("--flash", type=size, metavar="N", help="bytes of flash there are (1M)")
    parser.add_argument("--optimize", choices=("auto", "speed", "ram", "flash"), default="auto")
    parser.add_argument("--schedule", choices=("auto", "whole", "rows"), default="auto")
    parser.add_argument("--io", choices=("keep", "int8"), default="keep", help="int8: leave conversions to the caller")
    parser.add_argument("--keep-input", action="store_true", help="inputs stay intact during the call")
    parser.add_argument("--push-input", action="store_true", help="the caller delivers the input row by row")
    parser.add_argument("--no-arena", action="store_true", help="do not define the arena, the caller owns it")
    parser.add_argument("--profile", choices=("tflm", "litert"), default="tflm", help="whose rounding is right")
    add_json(parser)


def options_of(parsed: argparse.Namespace) -> CompileOptions:
    """Compile options from parsed arguments."""
    from byrote.ops import Profile
    from byrote.options import CompileOptions
    from byrote.plan import Memory
    from byrote.schedule import Goal, Granularity

    stated: int | tuple[tuple[str, int], ...] | None = parsed.ram
    several = tuple(Memory(*each) for each in stated) if isinstance(stated, tuple) else ()
    return CompileOptions(
        name=parsed.name,
        target=parsed.target,
        ram=stated if isinstance(stated, int) else None,
        memories=several,
        flash=parsed.flash,
        goal=Goal(parsed.optimize),
        granularity=Granularity(parsed.schedule),
        int8_io=parsed.io == "int8",
        keep_input=parsed.keep_input,
        push_input=parsed.push_input,
        own_arena=not parsed.no_arena,
        profile=Profile(parsed.profile),
    )
