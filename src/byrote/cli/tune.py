"""`byrote tune TARGET`: measure a core for the cost model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from byrote.cli.arguments import Verbs, add_json

if TYPE_CHECKING:
    from byrote.costs.table import CostTable, KernelCosts


def register(verbs: Verbs) -> None:
    """Add the verb."""
    parser = verbs.add_parser("tune", help="measure what kernels cost on an emulated core")
    parser.add_argument("target", metavar="TARGET", help="core to measure, see `byrote targets`")
    parser.add_argument("kernels", metavar="KERNEL", nargs="*", help="only kernels whose name contains this")
    parser.add_argument("--compiler", choices=("zig", "gcc", "clang"), help="cross compiler (default zig)")
    parser.add_argument("--everything", action="store_true", help="measure again what is up to date, too")
    parser.add_argument("--samples", type=int, default=24, metavar="N", help="layers per kind of layer (default 24)")
    parser.add_argument("--folder", metavar="DIR", help="where the table lies (default: in the package)")
    add_json(parser)
    parser.set_defaults(action=run)


def run(parsed: argparse.Namespace) -> int:
    """Measure and print how well the fits predict."""
    from byrote.cli.printing import console, print_json
    from byrote.costs.table import FOLDER
    from byrote.errors import user_error
    from byrote.targets import load_target
    from byrote.tune.tune import Effort, tune
    from byrote.verify.compilers import get_compiler

    target = load_target(parsed.target)
    if target.emulator is None:
        raise user_error("", f"{target.name} is not emulated", "name a core, see: byrote targets")
    if parsed.samples < 8:
        raise user_error("--samples", "at least 8 layers are needed for a fit")
    folder = Path(parsed.folder) if parsed.folder else FOLDER
    if not folder.is_dir():
        raise user_error("--folder", f"{folder} is no folder")
    compiler = get_compiler(target, parsed.compiler).name
    effort = Effort(parsed.samples, parsed.samples * 2 // 3)
    with console(to_stderr=True).status("measuring") as status:
        table = tune(
            target,
            compiler,
            effort=effort,
            only=parsed.kernels,
            everything=parsed.everything,
            folder=folder,
            say=status.update,
        )
    if parsed.json:
        print_json(table)
    else:
        _print(table, compiler)
    return 0


def _print(table: CostTable, compiler: str) -> None:
    from rich.table import Table

    from byrote.cli.printing import console

    out = console()
    if compiler not in table.compilers:
        out.print("nothing was measured")
        return
    costs = table.compilers[compiler]
    out.print(f"{table.core}, {compiler}: {costs.version}")
    shown = Table("kernel", "layers", "measured", "mean error", "worst", box=None, pad_edge=False)
    for name, kernel in sorted(costs.kernels.items()):
        for row in _rows(name, kernel):
            shown.add_row(*row)
    out.print(shown)


def _rows(name: str, kernel: KernelCosts) -> list[tuple[str, ...]]:
    fits = [(f"whole, {variant}", fit) for variant, fit in kernel.whole.items()]
    fits += [(f"rows, {variant}", fit) for variant, fit in kernel.steps.items()]
    return [
        (name if not index else "", what, str(fit.samples), f"{fit.mean_error:.1%}", f"{fit.worst_error:.1%}")
        for index, (what, fit) in enumerate(fits)
    ]
