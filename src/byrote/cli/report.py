"""`byrote report MODEL`: one HTML page."""

from __future__ import annotations

import argparse
from pathlib import Path

from byrote.cli.arguments import Verbs, add_model, options_of


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("report", help="write what check says, and a picture of the memory, as one HTML page")
    add_model(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the page (default: NAME.html, here)")
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Compile in memory and write the page, also of a model that does not fit."""
    from rich.text import Text

    from byrote.cli.printing import console, print_json
    from byrote.driver import compile_model

    compiled = compile_model(Path(parsed.model), options_of(parsed))
    result = compiled.result
    written = compiled.write_page(parsed.output if parsed.output is not None else f"{result.name}.html")
    if parsed.json:
        print_json({"schema_version": 1, "name": result.name, "fits": result.fits, "page": str(written)})
    else:
        verdict = "fits" if result.fits else "does not fit"
        console().print(Text(f"{written}: {result.name} for {result.target.name} {verdict}"))
    return 0 if result.fits else 1
