"""Many layers in one program, each printed as the compiler would print it, run one by one on the emulated core."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from byrote.emit.calls import Stretch
from byrote.emit.functions import collect
from byrote.emit.header import header
from byrote.emit.headers import needed_headers
from byrote.emit.interface import ALIGN, ArenaPart, Interface
from byrote.emit.source import source
from byrote.emit.statements import Printer
from byrote.emit.weights import weights_header, weights_source
from byrote.plan import Arena, Memory
from byrote.schedule import Mode, Segment
from byrote.targets import Target
from byrote.tune.samples import Sample
from byrote.verify.compilers import Compiler
from byrote.verify.cycles import CycleModel
from byrote.verify.elf import load_elf
from byrote.verify.emulator import Machine
from byrote.verify.fetches import code_fetches
from byrote.verify.toolchain import build_firmware

_FLASH, _RAM = 64 << 20, 32 << 20
"""The measured program holds many layers: sizes are no matter."""


@dataclass(frozen=True)
class Measured:
    """One sample's run; cycles are the middle of the strict interval, 0 where the core's timings are not known."""

    instructions: int
    cycles: float
    fetched: int
    jumps: int


def kernel_digest(header_path: str) -> str:
    """Digest of a kernel's C with everything that it includes."""
    text = "\0".join(needed_headers([header_path]).values())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def measure(samples: Sequence[Sample], target: Target, compiler: Compiler, folder: Path) -> tuple[Measured, ...]:
    """Build one program of all samples and run each once.  Raises BuildError, EmulationError."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"layer{index}" for index in range(len(samples))]
    for name, sample in zip(names, samples, strict=True):
        _write(folder, name, sample)
    headers = needed_headers(["runtime/move.h", *(sample.kernel.header for sample in samples)])
    for name, text in headers.items():
        (folder / name).write_text(text, encoding="utf-8")
    sources = [folder / "layers.c", folder / "weights.c"]
    sources[0].write_text("".join(f'#include "{name}.c"\n' for name in names), encoding="utf-8")
    sources[1].write_text("".join(f'#include "{name}_weights.c"\n' for name in names), encoding="utf-8")
    roomy = target.resized(ram=_RAM, flash=_FLASH)
    entries = [f"{name}_run" for name in names]
    build = build_firmware(sources, roomy, folder / "firmware", entry=entries[0], keep=entries, compiler=compiler)
    elf = load_elf(build.path)
    machine = Machine(elf, roomy)
    arena = machine.allocate(max(sample.memory for sample in samples) + 64, 16)
    timing = target.emulator.timing if target.emulator else ""
    model = CycleModel(elf, timing) if timing else None
    found: list[Measured] = []
    for entry in entries:
        seen = machine.observe(entry, arena)
        cycles = model.estimate(seen.profile, seen.unaligned) if model else None
        middle = (cycles.low + cycles.high) / 2 if cycles else 0.0
        fetched, jumps = code_fetches(seen.profile)
        found.append(Measured(seen.instructions, middle, fetched, jumps))
    return tuple(found)


def _write(folder: Path, name: str, sample: Sample) -> None:
    """The C of one sample: <name>.c, its weights, their headers."""
    selection = sample.selection
    functions = collect(name, sample.calls, selection)
    api = Interface(name, name, (ArenaPart("", max(sample.memory, 1)),), ALIGN, (), ())
    printer = Printer(sample.view.graph, selection, functions, (Arena(Memory("ram"), 0, sample.memory),))
    stretch = Stretch(Segment((0,), Mode.WHOLE, ()), tuple((call,) for call in sample.calls))
    texts = {
        f"{name}.h": header(api, own_arena=False),
        f"{name}.c": source(api, printer, (stretch,), own_arena=False),
        f"{name}_weights.h": weights_header(name, functions.arrays),
        f"{name}_weights.c": weights_source(name, functions.arrays, sample.view.graph),
    }
    for file, text in texts.items():
        (folder / file).write_text(text.replace("#define LAYER", "#undef LAYER\n#define LAYER"), encoding="utf-8")
