"""`byrote ops`: the operators there are."""

from __future__ import annotations

import argparse

from byrote.cli.arguments import Verbs, add_json


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("ops", help="list the operators that are supported")
    add_json(parser)
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the list of operators."""
    from rich.table import Table

    from byrote.cli.printing import console, print_json
    from byrote.ops import OPERATORS

    if parsed.json:
        rows = [
            {"names": list(o.names), "summary": o.summary, "kernels": [k.function for k in o.kernels]}
            for o in OPERATORS
        ]
        print_json({"schema_version": 1, "operators": rows})
        return 0
    table = Table("operator", "supported", "kernels", box=None, pad_edge=False)
    for operator in OPERATORS:
        table.add_row(" ".join(operator.names), operator.summary, " ".join(k.function for k in operator.kernels))
    console().print(table)
    return 0
