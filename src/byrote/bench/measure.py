"""Build a compiled model, run it once on the emulated core, and share out what was counted among its layers."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from byrote.bench.figures import Bench, LayerFigures, Totals
from byrote.costs.flash import wait_cycles
from byrote.errors import user_error
from byrote.result import Result
from byrote.targets import Architecture, MemoryKind
from byrote.verify.compilers import get_compiler
from byrote.verify.cycles import CycleEstimate, CycleModel
from byrote.verify.elf import Elf, load_elf
from byrote.verify.emulated import with_room
from byrote.verify.fetches import code_fetches
from byrote.verify.inputs import generate
from byrote.verify.layers import Owners, layer_costs, owners_of
from byrote.verify.observation import Observation
from byrote.verify.runs import Firmware
from byrote.verify.toolchain import build_firmware


def bench(result: Result, compiler: str | None = None, say: Callable[[str], None] = lambda _: None) -> Bench:
    """Measure one inference; the input is random, which makes no difference to any count.

    Raises UserError for the host and for a compiler that is not installed, BuildError, EmulationError.
    """
    target = result.target
    if target.architecture is Architecture.HOST:
        raise user_error("--target", f"{target.name} is not emulated", "name a core, see: byrote targets")
    chosen = get_compiler(target, compiler)
    entry = f"{result.name}_run_rows" if result.options.push_input else f"{result.name}_run"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in result.program.files:
            (folder / file.name).write_text(file.text, encoding="utf-8", newline="\n")
        sources = [folder / source for source in result.program.sources]
        say(f"building with {chosen.name}")
        roomy = with_room(result)
        build = build_firmware(sources, roomy, folder / "firmware", entry=entry, compiler=chosen)
        elf = load_elf(build.path)
        firmware = Firmware(result, elf, roomy, entry)
        firmware.prepare(generate(result.graph.inputs, 1)[0])
        say(f"running on the emulated {target.name}")
        seen = firmware.machine.observe(entry, *firmware.arguments)
    return _figures(result, elf, seen, chosen.name, " ".join(chosen.version.split()))


def _figures(result: Result, elf: Elf, seen: Observation, compiler: str, version: str) -> Bench:
    owners = owners_of(result)
    timing = result.target.emulator.timing if result.target.emulator else ""
    estimate = CycleModel(elf, timing).estimate(seen.profile, seen.unaligned) if timing else None
    layers = _layers(result, owners, elf, seen, estimate)
    fetched, jumps = code_fetches(seen.profile)
    middle = (estimate.low + estimate.high) / 2 if estimate else 0.0
    flash = result.target.memory(MemoryKind.FLASH)
    waits = wait_cycles(flash, cycles=middle, fetched=fetched, jumps=jumps)
    total = result.cost.total
    totals = Totals(
        macs=result.graph.macs,
        instructions=seen.instructions,
        cycles_low=estimate.low if estimate else None,
        cycles_high=estimate.high if estimate else None,
        wait_cycles=round(waits),
        arena=sum(arena.size for arena in result.arenas),
        stack=seen.stack,
        code=elf.flash_size - result.program.weight_bytes,
        weights=result.program.weight_bytes,
        predicted_instructions=round(total.instructions),
        predicted_cycles=round(total.cycles) if estimate else None,
        cycles_strict=estimate.strict if estimate else None,
    )
    return Bench(
        model=result.source.name,
        target=result.target.name,
        compiler=compiler,
        version=version,
        bound=result.target.instructions_per_mac,
        basis=result.cost.basis,
        assumptions=estimate.assumptions if estimate else (),
        total=totals,
        layers=layers,
    )


def _layers(
    result: Result, owners: Owners, elf: Elf, seen: Observation, estimate: CycleEstimate | None
) -> tuple[LayerFigures, ...]:
    code: Counter[int] = Counter()
    for symbol in elf.functions:
        owner = owners.find(symbol.name)
        for node in owner.calls if owner else ():
            code[node] += symbol.size // len(owner.calls if owner else ())
    weights: Counter[int] = Counter()
    for array, users in owners.arrays.users.items():
        for node in users:
            weights[node] += owners.arrays.tables[array].size // len(users)
    layers: list[LayerFigures] = []
    for layer in layer_costs(owners, seen, estimate):
        predicted = result.cost.layers[layer.node]
        layers.append(
            LayerFigures(
                node=layer.node,
                op=layer.op,
                kernel=layer.kernel,
                macs=result.graph.node_macs(layer.node),
                instructions=layer.instructions,
                cycles_low=layer.cycles_low,
                cycles_high=layer.cycles_high,
                code=code[layer.node],
                weights=weights[layer.node],
                predicted_instructions=round(predicted.instructions),
                predicted_cycles=round(predicted.cycles) if estimate else None,
                measured_kernel=predicted.measured,
            )
        )
    return tuple(layers)
