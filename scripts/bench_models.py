"""One line per model and compiler: counted and predicted cost of every model in a folder.

    python scripts/bench_models.py FOLDER [--target cortex-m4] [--compiler zig|gcc]... [--save bench/] [NAME...]

Models that cannot be compiled are named with the reason.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from byrote.bench.figures import Bench, save
from byrote.bench.measure import bench
from byrote.driver import compile_model
from byrote.errors import UserError
from byrote.options import CompileOptions
from byrote.targets import load_target
from byrote.verify.compilers import compilers

HEAD = ("model", "compiler", "instructions", "predicted", "error", "cycles", "cycles/MAC", "code", "weights", "arena")
LINE = "{:34} {:5} {:>13} {:>13} {:>7} {:>25} {:>10} {:>8} {:>9} {:>8}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--target", default="cortex-m4")
    parser.add_argument("--compiler", action="append", choices=("zig", "gcc", "clang"))
    parser.add_argument("--save", type=Path, metavar="DIR")
    chosen = parser.parse_intermixed_args()
    installed = [compiler.name for compiler in compilers(load_target(chosen.target)) if compiler.name != "clang"]
    names = chosen.compiler or installed
    print(LINE.format(*HEAD))
    for path in sorted(chosen.folder.glob("*.tflite")):
        if chosen.names and not any(name in path.stem for name in chosen.names):
            continue
        for compiler in names:
            try:
                options = CompileOptions(target=chosen.target, compiler=compiler)
                found = bench(compile_model(path, options).result, compiler)
            except UserError as error:
                print(f"{path.stem:34} {str(error).splitlines()[0][:120]}")
                break
            print(_line(path.stem, found), flush=True)
            if chosen.save:
                chosen.save.mkdir(parents=True, exist_ok=True)
                save(found, chosen.save / f"{path.stem}.{chosen.target}.{compiler}.json")
    return 0


def _line(name: str, found: Bench) -> str:
    total = found.total
    cycles = f"{total.cycles_low:,}..{total.cycles_high:,}" if total.cycles_low is not None else "-"
    per_mac = f"{(total.cycles_low + (total.cycles_high or 0)) / 2 / total.macs:.2f}" if total.cycles_low else "-"
    return LINE.format(
        name,
        found.compiler,
        f"{total.instructions:,}",
        f"{total.predicted_instructions:,}",
        f"{100 * total.error:+.1f}%",
        cycles,
        per_mac,
        f"{total.code:,}",
        f"{total.weights:,}",
        f"{total.arena:,}",
    )


if __name__ == "__main__":
    sys.exit(main())
