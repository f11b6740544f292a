"""`byrote check MODEL`: does it import, does it fit, what would it cost."""

from __future__ import annotations

import argparse
from pathlib import Path

from byrote.cli.arguments import Verbs, add_model, options_of


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("check", help="everything that compile does, but write nothing")
    add_model(parser)
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Compile in memory and report."""
    from byrote.cli.printing import print_json
    from byrote.cli.summary import print_summary
    from byrote.driver import compile_model

    report = compile_model(Path(parsed.model), options_of(parsed)).report()
    if parsed.json:
        print_json(report)
    else:
        print_summary(report, ())
    return 0 if report.fits else 1
