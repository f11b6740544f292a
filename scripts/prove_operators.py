"""Prove one path and a stack bound for random cases of every operator, on all cores, with all compilers installed.

    python -m scripts.prove_operators [--count 20] [--seed 0] [--cores cortex-m0,rv32imc] [--only CONV]

Run it from the repository's root.  Exit code 1 if a proof fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from byrote.ops import OPERATORS
from byrote.targets import load_target, targets
from byrote.verify.compilers import compilers
from tests.verify.operators import unproven


def main() -> int:
    """Exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cores", help="comma-separated (default: all that can be emulated)")
    parser.add_argument("--only", default="", help="operators whose names contain this")
    parsed = parser.parse_args()
    cores = parsed.cores.split(",") if parsed.cores else [t.name for t in targets() if t.emulator is not None]
    total = 0
    for operator in OPERATORS:
        if parsed.only not in operator.names[0]:
            continue
        for core in cores:
            installed = [compiler.name for compiler in compilers(load_target(core))]
            with tempfile.TemporaryDirectory() as folder:
                found = unproven(operator, core, installed, parsed.count, Path(folder), parsed.seed)
            total += len(found)
            print(f"{operator.names[0]:28} {core:12} {len(found)} not proven", flush=True)
            for line in found:
                print(f"    {line}", flush=True)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
