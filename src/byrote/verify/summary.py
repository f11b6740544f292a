"""SUMMARY.md: the verification for people who were not there."""

from __future__ import annotations

from byrote.emit.names import comment
from byrote.verify.outcome import LayerCost, Outcome
from byrote.verify.verification import Verification

_MARKS = {True: "passed", False: "**FAILED**", None: "not done"}


def summary(found: Verification, model_hash: str) -> str:
    """Markdown; names that come from the model are reduced to plain characters."""
    outcome = found.outcome
    failed = len(outcome.failures)
    verdict = "All checks passed." if not failed else f"**{failed} of {len(outcome.checks)} checks FAILED.**"
    parts = [
        f"# {_cell(outcome.model)} for {outcome.target}",
        f"{verdict} Numeric profile: {outcome.profile}. {outcome.inputs} random and extreme inputs, "
        f"{outcome.emulated_inputs} of them on the emulated core.",
        f"Model SHA-256: `{model_hash}`",
        _built(outcome),
        "## Checks",
        _table(("check", "result", "seen"), [(c.name, _MARKS[c.passed], c.detail) for c in outcome.checks]),
        *_figures(outcome),
        *_layers(outcome.layers),
        *_assumptions(outcome),
        "## Files",
        _files(outcome.name, found.firmware is not None, bool(outcome.instructions)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _files(name: str, linked: bool, ran: bool) -> str:
    lines = [f"`c/`: the generated files; `c/{name}_bounds.h` has the bounds as macros"]
    if linked:
        lines.append(
            "`firmware.elf`, `map.txt`: the linked program that proofs and counts speak of, its sections and symbols"
        )
        lines.append("`proofs.json`: one path and the stack's bound, with what was found and what is taken for granted")
    if ran:
        lines.append("`counts.json`: instructions of every run, by function and by layer")
    lines += [
        "`plan.json`: every buffer, its place and its lifetime; the schedule",
        "`manifest.json`: options, compiler, commands; `verify.json`: the outcome for programs",
        "`SHA256SUMS`: hashes of all of these (`sha256sum -c SHA256SUMS`)",
        "`recheck.py`: checks the hashes, verifies the model again and compares: `python recheck.py MODEL`",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _built(outcome: Outcome) -> str:
    if outcome.build is None:
        return ""
    flags = " ".join((*outcome.build.flags, *outcome.build.optimise))
    return f"Built by {outcome.build.compiler} ({_cell(outcome.build.version)}) with `{flags}`."


def _figures(outcome: Outcome) -> list[str]:
    rows: list[tuple[str, str]] = []
    if outcome.instructions is not None:
        rows.append(("instructions of one inference", f"{outcome.instructions:,}"))
    if outcome.cycles_low is not None and outcome.cycles_high is not None:
        estimate = f"{outcome.cycles_low:,} to {outcome.cycles_high:,} (estimate, no wait states)"
        rows.append(("cycles", estimate))
    if outcome.stack.bound is not None:
        rows.append(("stack, bytes at most", f"{outcome.stack.bound:,}"))
    if (sizes := outcome.sizes) is not None:
        rows.append(("flash, bytes", f"{sizes.flash:,} of {sizes.flash_limit:,}"))
        rows.append(("RAM, bytes", f"{sizes.ram:,} of {sizes.ram_limit:,}"))
        several = sizes.memories if len(sizes.memories) > 1 else ()
        rows += [(f"{use.name}, bytes", f"{use.bytes:,} of {use.limit:,}") for use in several]
    return ["## Figures", _table(("", ""), rows)] if rows else []


def _layers(layers: tuple[LayerCost, ...]) -> list[str]:
    if not layers:
        return []
    heading = ("layer", "kernel", "calls", "instructions", "cycles, least", "cycles, most", "function shared with")
    rows = [
        (
            f"{layer.node} {layer.op} {_cell(layer.name)}",
            layer.kernel,
            str(layer.calls),
            f"{layer.instructions:,}",
            f"{layer.cycles_low:,}" if layer.cycles_low is not None else "",
            f"{layer.cycles_high:,}" if layer.cycles_high is not None else "",
            ", ".join(map(str, layer.shared)),
        )
        for layer in layers
    ]
    shared = "Layers that share a function get its figures by number of calls."
    return ["## Layers", _table(heading, rows), *([shared] if any(layer.shared for layer in layers) else [])]


def _assumptions(outcome: Outcome) -> list[str]:
    if not outcome.assumptions:
        return []
    return ["## Taken for granted", "\n".join(f"- {' '.join(text.split())}" for text in outcome.assumptions)]


def _table(heading: tuple[str, ...], rows: list[tuple[str, ...]] | list[tuple[str, str]]) -> str:
    lines = [_row(heading), _row(("---",) * len(heading))]
    return "\n".join(
        [*lines, *(_row(tuple(cell.replace("|", "/").replace("\n", " ") for cell in row)) for row in rows)]
    )


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """A name from the model or a compiler: no markup."""
    return "".join("." if character in "<>[]`|#" else character for character in comment(text))
