"""The terminal report: verdict first, then memory, the peak, and the layers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from byrote.report.peak import plain_name

if TYPE_CHECKING:
    from rich.table import Table

    from byrote.report.json import Report

_SHOWN = 8
"""Buffers of the peak that are listed."""


def print_report(report: Report, written: Sequence[Path], *, as_json: bool) -> None:
    """For people; or one JSON object, and on stderr what does not fit."""
    from byrote.cli.printing import print_json

    if not as_json:
        print_summary(report, written)
        return
    print_json(report)
    for shortfall in report.shortfalls:
        print(f"byrote: {report.model} does not fit: {shortfall.text}", file=sys.stderr)


def print_summary(report: Report, written: Sequence[Path]) -> None:
    """Print a report for people."""
    from rich.text import Text

    from byrote.cli.printing import console

    out = console()
    verdict = Text("fits", "bold green") if report.fits else Text("does not fit", "bold red")
    out.print(Text.assemble((report.model, "bold"), f" for {report.target}, profile {report.profile}: ", verdict))
    for shortfall in report.shortfalls:
        out.print(Text(shortfall.text, "red"))
    out.print()
    out.print(_memory(report))
    out.print()
    out.print(_peak(report))
    out.print("bytes of the arena then: " + ", ".join(f"{role} {count:,}" for role, count in report.peak_bytes.items()))
    out.print()
    for segment in report.schedule:
        if segment.rows_per_step is not None and segment.cycles and segment.cycles_whole:
            more = 100 * (segment.cycles - segment.cycles_whole) / segment.cycles_whole
            together = f"layers {segment.nodes[0]} to {segment.nodes[-1]} run together"
            out.print(f"{together}, {segment.rows_per_step} rows per step: {more:+.1f} % cycles, estimated")
    out.print(_layers(report))
    out.print(f"\n{_cost(report)}")
    for warning in report.warnings:
        out.print(Text(f"warning: {warning}", "yellow"))
    if written:
        out.print(f"\n{len(written)} files in {written[0].parent}")


def _cost(report: Report) -> str:
    """The prediction in a line."""
    cost = report.cost
    cycles = f", {cost.cycles_low:,} cycles" if cost.cycles_low is not None else ""
    if cost.cycles_low is not None and cost.cycles_bound is not None:
        cycles += f" (all layers whole and each stored as suits it alone: {cost.cycles_bound:,})"
    energy = f", {cost.energy_uj:,} uJ" if cost.energy_uj is not None else ""
    return f"estimated: {cost.instructions or 0:,} instructions{cycles}{energy} ({cost.basis})"


def _table(*columns: str, right: Sequence[int] = ()) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index in right else "left", no_wrap=index in right)
    return table


def _memory(report: Report) -> Table:
    ram, flash = report.ram, report.flash
    table = _table("memory", "bytes", "of", "", right=(1, 2))
    proof = (
        "smallest there is for this schedule" if ram.proven_optimal else f"no placement is below {ram.lower_bound:,}"
    )
    table.add_row("RAM: arena", f"{ram.arena:,}", _of(report.ram_limit), proof)
    for memory in ram.memories if len(ram.memories) > 1 else ():
        table.add_row(f"  in {memory.name}", f"{memory.used:,}", _of(memory.limit), "")
    if ram.state:
        table.add_row("RAM: state between calls", f"{ram.state:,}", "", "")
    missing = "" if flash.code is not None else "code not counted"
    table.add_row("flash: weights and tables", f"{flash.weights:,}", _of(report.flash_limit), missing)
    if flash.code is not None:
        table.add_row("flash: code", f"{flash.code:,}", "", "")
    return table


def _of(limit: int | None) -> str:
    return f"{limit:,}" if limit is not None else ""


def _peak(report: Report) -> Table:
    """What lies in the arena when it is fullest; overlapping buffers count for more than the arena has."""
    several = sum(memory.used > 0 for memory in report.ram.memories) > 1
    where = ("in",) if several else ()
    table = _table("at the fullest moment", "bytes", *where, "layer", f"when {report.peak_at}", right=(1,))
    for buffer in report.peak[:_SHOWN]:
        layer = f"{buffer.layer} {buffer.op}" if buffer.layer is not None else ""
        memory = (buffer.memory,) if several else ()
        table.add_row(buffer.role, f"{buffer.size:,}", *memory, layer, plain_name(buffer.name))
    if len(report.peak) > _SHOWN:
        rest = report.peak[_SHOWN:]
        table.add_row(f"{len(rest)} more", f"{sum(b.size for b in rest):,}")
    return table


def _layers(report: Report) -> Table:
    table = _table("", "layer", "kernel", "MACs", "share", "name", right=(0, 3, 4))
    total = max(report.macs, 1)
    for index, layer in enumerate(report.layers):
        share = f"{100 * layer.macs / total:.1f} %" if layer.macs else ""
        macs = f"{layer.macs:,}" if layer.macs else ""
        table.add_row(str(index), layer.op, layer.kernel, macs, share, plain_name(layer.name))
    table.add_row("", "total", "", f"{report.macs:,}", "", "")
    return table
