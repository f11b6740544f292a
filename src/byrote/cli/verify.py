"""`byrote verify MODEL`: compile, build, run, compare byte for byte, prove."""

from __future__ import annotations

import argparse
from pathlib import Path

from byrote.cli.arguments import Verbs, add_model, options_of


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser(
        "verify", help="compile, build, run on this computer and an emulated core, compare, prove"
    )
    add_model(parser)
    parser.add_argument("--inputs", type=int, default=24, metavar="N", help="random and extreme inputs (default 24)")
    parser.add_argument("--emulated-inputs", type=int, metavar="N", help="of these on the emulated core (default all)")
    parser.add_argument("--data", metavar="FILE.npz", help="your own inputs, checked before the random ones")
    parser.add_argument("--compiler", choices=("zig", "gcc", "clang"), help="cross compiler (default zig)")
    parser.add_argument("-o", "--output", metavar="DIR", help="if all checks pass, write the C and NAME_bounds.h there")
    parser.add_argument("--evidence", metavar="DIR", help="write everything that was found, passed or not, there")
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Verify and print one line per check."""
    from byrote.cli.printing import console, print_json
    from byrote.cli.verdict import print_verdict
    from byrote.driver import compile_model
    from byrote.ir import user_error
    from byrote.verify.bounds import with_bounds
    from byrote.verify.evidence import check_folder, write_evidence
    from byrote.verify.inputs import from_npz, generate

    if parsed.inputs < 1 or (parsed.emulated_inputs is not None and parsed.emulated_inputs < 1):
        raise user_error("--inputs", "at least one input is needed")
    if parsed.evidence:
        check_folder(Path(parsed.evidence))
    progress = console(to_stderr=True)
    with progress.status("compiling") as status:
        compiled = compile_model(Path(parsed.model), options_of(parsed))
        ports = compiled.result.graph.inputs
        own = from_npz(Path(parsed.data), ports) if parsed.data else ()
        found = compiled.verification(
            (*own, *generate(ports, parsed.inputs)),
            emulated_inputs=parsed.emulated_inputs,
            compiler=parsed.compiler,
            say=status.update,
        )
    outcome = found.outcome
    if parsed.evidence:
        data = Path(parsed.data) if parsed.data else None
        write_evidence(found, compiled.model, Path(parsed.evidence), data, len(own))
    if parsed.output and not outcome.failures:
        from byrote.report.files import write_files

        write_files(with_bounds(compiled.program, found), Path(parsed.output))
    if parsed.json:
        print_json(outcome)
    else:
        print_verdict(outcome, console())
        if parsed.output and outcome.failures:
            progress.print(f"nothing was written to {parsed.output}: not all checks passed")
    return 1 if outcome.failures else 0
