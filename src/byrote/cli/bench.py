"""`byrote bench MODEL`: build, run on the emulated core, and say what every layer costs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from byrote.cli.arguments import Verbs, add_model, options_of

if TYPE_CHECKING:
    from byrote.bench.figures import Bench, Comparison


_HEAD = ("layer", "kernel", "MACs", "instructions", "predicted", "cycles", "cycles/MAC", "of bound", "code", "weights")


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("bench", help="count instructions and cycles of every layer on the emulated core")
    add_model(parser)
    parser.add_argument("--compiler", choices=("zig", "gcc", "clang"), help="cross compiler (default zig)")
    parser.add_argument("--save", metavar="FILE", help="store the figures")
    parser.add_argument("--against", metavar="FILE", help="compare with stored figures")
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Measure and print."""
    from dataclasses import replace

    from byrote.bench.figures import compare, load, save
    from byrote.bench.measure import bench
    from byrote.cli.printing import console, print_json
    from byrote.driver import compile_model

    stored = load(Path(parsed.against)) if parsed.against else None
    options = replace(options_of(parsed), compiler=parsed.compiler)
    with console(to_stderr=True).status("compiling") as status:
        found = bench(compile_model(Path(parsed.model), options).result, parsed.compiler, status.update)
    comparisons = compare(stored, found) if stored else ()
    if parsed.save:
        save(found, Path(parsed.save))
    if parsed.json:
        print_json({"schema_version": 1, "bench": found, "against": comparisons})
    else:
        _print(found)
        _print_comparisons(comparisons)
    return 0


def _print(found: Bench) -> None:
    from rich.text import Text

    from byrote.cli.printing import console

    out = console()
    out.print(Text.assemble((found.model, "bold"), f" on the emulated {found.target}, {found.compiler}"))
    rows: list[tuple[str, ...]] = [_HEAD]
    for layer in found.layers:
        predicted = f"{layer.predicted_instructions:,}"
        rows.append(
            (
                f"{layer.node} {layer.op}",
                layer.kernel,
                f"{layer.macs:,}",
                f"{layer.instructions:,}",
                predicted if layer.measured_kernel else f"({predicted})",
                _interval(layer.cycles_low, layer.cycles_high),
                _per_mac(layer.cycles_low, layer.cycles_high, layer.macs),
                _share(found.bound, layer.macs, layer.instructions),
                f"{layer.code:,}",
                f"{layer.weights:,}",
            )
        )
    total = found.total
    rows.append(
        (
            "all",
            "",
            f"{total.macs:,}",
            f"{total.instructions:,}",
            f"{total.predicted_instructions:,}",
            _interval(total.cycles_low, total.cycles_high),
            _per_mac(total.cycles_low, total.cycles_high, total.macs),
            _share(found.bound, total.macs, total.instructions),
            f"{total.code:,}",
            f"{total.weights:,}",
        )
    )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        out.print("  ".join((row[0].ljust(widths[0]), row[1].ljust(widths[1]), *cells[2:])).rstrip())
    out.print(f"predicted {total.error:+.1%} instructions; {found.basis}")
    if total.cycles_strict is not None:
        out.print(
            f"{total.cycles_strict:,} cycles, strictly: two for a jump, all unaligned and dependent loads counted"
        )
    if total.wait_cycles:
        out.print(f"waiting for flash: about {total.wait_cycles:,} cycles more")
    out.print(f"arena {total.arena:,} bytes, stack {total.stack:,}; cycles are a model's, nothing ran on hardware")


def _interval(low: int | None, high: int | None) -> str:
    return f"{low:,}..{high:,}" if low is not None and high is not None else "-"


def _per_mac(low: int | None, high: int | None, macs: int) -> str:
    return f"{(low + high) / 2 / macs:.2f}" if low is not None and high is not None and macs else "-"


def _share(bound: float | None, macs: int, instructions: int) -> str:
    """What the best inner loop would need, of what is needed."""
    return f"{bound * macs / instructions:.0%}" if bound and macs and instructions else "-"


def _print_comparisons(comparisons: tuple[Comparison, ...]) -> None:
    from rich.table import Table

    from byrote.cli.printing import console

    if not comparisons:
        return
    table = Table("", "stored", "now", "ratio", box=None, pad_edge=False)
    for item in comparisons:
        ratio = f"{item.ratio:.3f}" if item.ratio is not None else "-"
        table.add_row(item.what, f"{item.stored or 0:,}", f"{item.found or 0:,}", ratio)
    console().print(table)
