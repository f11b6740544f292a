"""`byrote compile MODEL`: write C."""

from __future__ import annotations

import argparse
from pathlib import Path

from byrote.cli.arguments import Verbs, add_model, options_of


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("compile", help="compile a model into C files")
    add_model(parser)
    parser.add_argument("-o", "--output", default=".", metavar="DIR", help="folder for the C files (default: here)")
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Compile, and write unless it does not fit."""
    from byrote.cli.summary import print_report
    from byrote.driver import compile_model

    compiled = compile_model(Path(parsed.model), options_of(parsed))
    report = compiled.report()
    written = compiled.write(parsed.output) if report.fits else ()
    print_report(report, written, as_json=parsed.json)
    return 0 if report.fits else 1
