"""What a model that does not fit would need with other options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from byrote.arrange import CannotPushError
from byrote.costs.model import cost_model
from byrote.emit.interface import interface
from byrote.fit import fit, memories_of
from byrote.importers import load_model
from byrote.ir import Graph
from byrote.options import CompileOptions
from byrote.passes import move_conversions, run_passes
from byrote.report.shortfall import Remedy
from byrote.schedule import Goal, Granularity
from byrote.targets import load_target


def remedies(model: Path, options: CompileOptions, needed: int) -> tuple[Remedy, ...]:
    """Options that need less than `needed` bytes of RAM, alone and together, the least first; no file is written."""
    imported = load_model(model, options.profile)
    found: list[Remedy] = []
    for name, changed in _changes(options, imported):
        try:
            remedy = _planned(imported, name, changed)
        except CannotPushError:
            continue
        if remedy is not None and remedy.needed < min([needed, *(other.needed for other in found)]):
            found.append(remedy)
    return tuple(reversed(found))


def _changes(options: CompileOptions, imported: Graph) -> Iterator[tuple[str, CompileOptions]]:
    """(what the user would write, the options): the least RAM, then more and more that changes what the caller does."""
    best = replace(options, goal=Goal.RAM, granularity=Granularity.AUTO)
    words = [] if options.goal is Goal.RAM else ["--optimize ram"]
    words += ["--schedule auto"] if options.granularity is Granularity.WHOLE else []
    if words:
        yield " ".join(words), best
    without: list[str] = []
    if options.keep_input:
        best = replace(best, keep_input=False)
        without = ["without --keep-input"]
        yield " ".join([*words, *without]), best
    moved = move_conversions(imported)[1]
    if not options.int8_io and any(op is not None for op in (*moved.inputs, *moved.outputs)):
        best = replace(best, int8_io=True)
        words = [*words, "--io int8"]
        yield " ".join([*words, *without]), best
    if not options.push_input and len(imported.inputs) == 1:
        yield " ".join([*words, "--push-input", *without]), replace(best, push_input=True)


def _planned(imported: Graph, name: str, options: CompileOptions) -> Remedy | None:
    """None if nothing would read a pushed input row by row."""
    target = load_target(options.target)
    memories = memories_of(options, target)
    graph, _ = run_passes(move_conversions(imported)[0] if options.int8_io else imported)
    costs = cost_model(target, options.compiler)
    flash = options.flash if options.flash is not None else target.flash
    fitted = fit(graph, target, options, memories, costs, flash)
    if options.push_input and graph.inputs[0].tensor in fitted.homes.whole:
        return None
    api = interface(graph, "", {}, fitted.arenas, keep_input=options.keep_input, push_input=options.push_input)
    sizes = [part.size for part in api.arenas]
    excess = sum(arena.memory.excess(size) for arena, size in zip(fitted.arenas, sizes, strict=True))
    return Remedy(name, sum(sizes), excess)
