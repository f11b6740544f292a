"""The verification for people: one line per check, then what was measured, then layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from byrote.verify.outcome import LayerCost, Outcome

_MARKS = {True: ("ok  ", "green"), False: ("FAIL", "bold red"), None: ("-   ", "yellow")}


def print_verdict(outcome: Outcome, out: Console) -> None:
    """Print an outcome."""
    from rich.text import Text

    title = f"{outcome.model} for {outcome.target}, profile {outcome.profile}"
    built = f", built by {outcome.build.compiler} ({outcome.build.version})" if outcome.build else ""
    out.print(Text.assemble((title, "bold"), built))
    width = max(len(check.name) for check in outcome.checks)
    for check in outcome.checks:
        mark, style = _MARKS[check.passed]
        detail = check.detail if check.passed is not None else f"not done: {check.detail}"
        out.print(Text.assemble((mark, style), f"  {check.name:{width}}  ", detail))
    if outcome.first_difference is not None:
        d = outcome.first_difference
        right = f"element {d.index} is {d.found}, right is {d.expected}; {d.count:,} elements are wrong"
        out.print(Text(f"first wrong tensor, {d.where}: {d.tensor} of {d.node}: {right}", "bold red"))
    if outcome.layers:
        _print_layers(outcome.layers, outcome.instructions or 0, out)
    if measured := _measured(outcome):
        out.print(measured)
    failed = len(outcome.failures)
    verdict = (
        ("verified", "bold green") if not failed else (f"{failed} of {len(outcome.checks)} checks FAILED", "bold red")
    )
    out.print(Text.assemble((title, "bold"), ": ", verdict))


def _print_layers(layers: tuple[LayerCost, ...], total: int, out: Console) -> None:
    rows = [("layer", "kernel", "instructions", "%", "cycles, least", "cycles, most")]
    rows += [
        (
            f"{layer.node} {layer.op}{' *' if layer.shared else ''}",
            layer.kernel,
            f"{layer.instructions:,}",
            f"{100 * layer.instructions / max(total, 1):.1f}",
            _number(layer.cycles_low),
            _number(layer.cycles_high),
        )
        for layer in layers
    ]
    if layers[0].cycles_low is None:
        rows = [row[:4] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    out.print()
    for row in rows:
        cells = [
            f"{cell:{width}}" if i < 2 else f"{cell:>{width}}"
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        out.print("  ".join(cells), style="bold" if row is rows[0] else None, markup=False)
    if any(layer.shared for layer in layers):
        out.print("* calls a function that another layer calls, too: its figures are divided by the number of calls")
    out.print()


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _measured(outcome: Outcome) -> str:
    parts: list[str] = []
    if outcome.instructions is not None:
        parts.append(f"{outcome.instructions:,} instructions")
    if outcome.cycles_low is not None and outcome.cycles_high is not None:
        parts.append(f"{outcome.cycles_low:,} to {outcome.cycles_high:,} cycles")
    if outcome.stack.bound is not None:
        parts.append(f"stack {outcome.stack.bound:,}")
    if outcome.sizes is not None:
        parts.append(f"RAM {outcome.sizes.ram:,}, flash {outcome.sizes.flash:,} bytes")
    return ", ".join(parts)
