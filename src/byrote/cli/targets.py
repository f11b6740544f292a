"""`byrote targets`: the cores there are."""

from __future__ import annotations

import argparse

from byrote.cli.arguments import Verbs, add_json


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("targets", help="list the cores that code can be compiled for")
    add_json(parser)
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the target files."""
    from rich.table import Table

    from byrote.cli.printing import console, print_json
    from byrote.targets import targets

    found = targets()
    if parsed.json:
        rows = [
            {
                "name": t.name,
                "description": t.description,
                "features": sorted(t.features),
                "ram": t.ram,
                "flash": t.flash,
            }
            for t in found
        ]
        print_json({"schema_version": 1, "targets": rows})
        return 0
    table = Table("target", "core", "features", "RAM", "flash", box=None, pad_edge=False)
    for target in found:
        sizes = [f"{n // 1024} KB" if n else "-" for n in (target.ram, target.flash)]
        table.add_row(target.name, target.description, " ".join(sorted(target.features)), *sizes)
    console().print(table)
    return 0
