"""`byrote verify MODEL`: compile, build, run, compare byte for byte, prove."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from byrote.cli.arguments import Verbs, add_model, options_of

if TYPE_CHECKING:
    from byrote.verify.outcome import Outcome


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser(
        "verify", help="compile, build, run on this computer and an emulated core, compare, prove"
    )
    add_model(parser)
    parser.add_argument("--inputs", type=int, default=12, metavar="N", help="random and extreme inputs (default 12)")
    parser.add_argument("--emulated-inputs", type=int, default=4, metavar="N", help="of these on the emulated core")
    parser.add_argument("--data", metavar="FILE.npz", help="your own inputs, checked before the random ones")
    parser.add_argument("--compiler", choices=("zig", "gcc", "clang"), help="cross compiler (default zig)")
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Verify and print one line per check."""
    from byrote.cli.printing import console, print_json
    from byrote.driver import compile_model
    from byrote.ir import user_error
    from byrote.verify.inputs import from_npz, generate

    if parsed.inputs < 1 or parsed.emulated_inputs < 1:
        raise user_error("--inputs", "at least one input is needed")
    compiled = compile_model(Path(parsed.model), options_of(parsed))
    ports = compiled.result.graph.inputs
    own = from_npz(Path(parsed.data), ports) if parsed.data else ()
    inputs = (*own, *generate(ports, parsed.inputs))
    with console(to_stderr=True).status("verifying") as status:
        outcome = compiled.verify_with(
            inputs, emulated_inputs=parsed.emulated_inputs, compiler=parsed.compiler, say=status.update
        )
    if parsed.json:
        print_json(outcome)
    else:
        _print(outcome)
    return 1 if outcome.failures else 0


def _print(outcome: Outcome) -> None:
    from rich.table import Table
    from rich.text import Text

    from byrote.cli.printing import console

    out = console()
    marks = {True: ("yes", "green"), False: ("NO", "bold red"), None: ("not done", "yellow")}
    table = Table("", "check", "", box=None, pad_edge=False, show_header=False)
    for check in outcome.checks:
        table.add_row(Text(*marks[check.passed]), check.name, check.detail)
    out.print(table)
    if outcome.first_difference is not None:
        d = outcome.first_difference
        out.print(f"first wrong tensor: {d.tensor} of {d.node}: element {d.index} is {d.found}, right is {d.expected}")
    verdict = "verified" if not outcome.failures else f"{len(outcome.failures)} checks failed"
    out.print(Text(f"{outcome.model} for {outcome.target}, profile {outcome.profile}: {verdict}", "bold"))
