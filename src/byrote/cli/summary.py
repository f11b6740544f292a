"""The terminal report: verdict first, then memory, then layers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from byrote.report.json import Report


def print_summary(report: Report, written: Sequence[Path]) -> None:
    """Print a report for people."""
    from rich.table import Table
    from rich.text import Text

    from byrote.cli.printing import console

    out = console()
    verdict = "fits" if report.fits else "does not fit"
    style = "bold green" if report.fits else "bold red"
    out.print(Text.assemble((report.model, "bold"), f" for {report.target}: ", (verdict, style)))
    table = Table("", "bytes", "limit", "", box=None, pad_edge=False)
    proven = "no plan of this schedule is smaller" if report.ram.proven_optimal else f"bound {report.ram.lower_bound:,}"
    table.add_row("RAM, arena", f"{report.ram.arena:,}", _limit(report.ram_limit), proven)
    if report.ram.state:
        table.add_row("RAM, state", f"{report.ram.state:,}", "", "")
    table.add_row("flash, constants", f"{report.flash.weights:,}", _limit(report.flash_limit), "code is not counted")
    out.print(table)
    peak = ", ".join(f"{b.name} {b.size:,}" for b in report.peak[:6])
    out.print(f"{report.macs:,} multiply-accumulates; largest at the peak: {peak or 'nothing'}")
    layers = Table("layer", "kernel", "MACs", box=None, pad_edge=False)
    for index, layer in enumerate(report.layers):
        layers.add_row(f"{index} {layer.op}", layer.kernel, f"{layer.macs:,}")
    out.print(layers)
    for warning in report.warnings:
        out.print(Text(f"warning: {warning}", "yellow"))
    if written:
        out.print(f"wrote {len(written)} files to {written[0].parent}")


def _limit(value: int | None) -> str:
    return f"of {value:,}" if value is not None else ""
