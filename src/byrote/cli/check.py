"""`byrote check MODEL`: does it import, does it fit, what would it cost."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from byrote.cli.arguments import Verbs, add_model, options_of


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("check", help="everything that compile does, but write nothing")
    add_model(parser)
    parser.add_argument("--pareto", action="store_true", help="list every plan worth having: RAM against cycles")
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Compile in memory and report."""
    from byrote.cli.summary import print_report
    from byrote.driver import compile_model

    if parsed.pareto:
        return _pareto(parsed)
    model = compile_model(Path(parsed.model), options_of(parsed))
    report = model.report()
    report = replace(report, cost=replace(report.cost, cycles_bound=model.cycles_bound()))
    print_report(report, (), as_json=parsed.json)
    return 0 if report.fits else 1


def _pareto(parsed: argparse.Namespace) -> int:
    """One line per plan."""
    from rich.table import Table

    from byrote.cli.printing import console, print_json
    from byrote.driver import pareto

    plans = pareto(Path(parsed.model), options_of(parsed))
    rows = [
        {
            "arena": plan.plan.height,
            "cycles": plan.cycles,
            "rows_per_step": [s.rows_per_step for s in plan.schedule.segments if s.rows_per_step is not None],
            "segments": len(plan.schedule.segments),
        }
        for plan in plans
    ]
    if parsed.json:
        print_json({"schema_version": 1, "plans": rows})
        return 0
    table = Table("arena", "cycles, estimated", "segments", "rows per step", box=None, pad_edge=False)
    for plan, row in zip(plans, rows, strict=True):
        steps = " ".join(map(str, row["rows_per_step"] if isinstance(row["rows_per_step"], list) else []))
        table.add_row(f"{plan.plan.height:,}", f"{plan.cycles:,}", str(row["segments"]), steps)
    console().print(table)
    return 0
