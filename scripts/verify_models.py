"""Verify every model of a folder on every core with many inputs, and print a table.  For long runs.

    python scripts/verify_models.py FOLDER [--cores cortex-m0,cortex-m4] [--compilers zig,gcc] [--inputs 100]

Models that do not compile are listed with the first reason.  A model that does not fit the core's memories is verified
all the same, with larger ones.  Exit code 1 if any other check fails.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from byrote.driver import Compiled, compile_model
from byrote.errors import UserError
from byrote.options import CompileOptions
from byrote.targets import load_target, targets
from byrote.verify.compilers import find_compiler
from byrote.verify.image import FITS
from byrote.verify.inputs import generate
from byrote.verify.outcome import Outcome


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    model: str
    core: str
    compiler: str
    outcome: Outcome
    seconds: float

    @property
    def faults(self) -> tuple[str, ...]:
        """What failed, but for memories that are too small."""
        return tuple(failure for failure in self.outcome.failures if not failure.startswith(f"{FITS}:"))

    def __str__(self) -> str:
        o = self.outcome
        instructions = f"{o.instructions:,}" if o.instructions is not None else "?"
        cycles = f"{o.cycles_high:,}" if o.cycles_high is not None else "-"
        ram, flash = (o.sizes.ram, o.sizes.flash) if o.sizes else (0, 0)
        verdict = "FAILED" if self.faults else "ok" if o.fits else "ok, too large"
        return (
            f"{self.model:34} {self.core:10} {self.compiler:5} {instructions:>13} {cycles:>13} {o.stack.bound or 0:>5} "
            f"{ram:>8,} {flash:>9,} {self.seconds:6.1f}  {verdict}"
        )


def main() -> int:
    """Exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cores", help="comma-separated (default: all that can be emulated)")
    parser.add_argument("--compilers", default="zig", help="comma-separated, of zig, gcc, clang (default zig)")
    parser.add_argument("--inputs", type=int, default=100)
    parser.add_argument("--only", default="", help="models whose names contain this")
    parsed = parser.parse_args()
    cores = parsed.cores.split(",") if parsed.cores else [t.name for t in targets() if t.emulator is not None]
    heading = ("model", "core", "by", "instructions", "cycles at most", "stack", "RAM", "flash", "s")
    print("{:34} {:10} {:5} {:>13} {:>13} {:>5} {:>8} {:>9} {:>6}".format(*heading), flush=True)
    failed = 0
    for path in sorted(path for path in parsed.folder.glob("*.tflite") if parsed.only in path.name):
        failed += verify_model(path, cores, parsed.compilers.split(","), parsed.inputs)
    print(f"{failed} of the verifications failed" if failed else "nothing failed")
    return 1 if failed else 0


def verify_model(path: Path, cores: list[str], compilers: list[str], inputs: int) -> int:
    """Print a line for each core and compiler; the number of lines with failures."""
    failed = 0
    for core in cores:
        try:
            compiled = compile_model(path, CompileOptions(target=core))
        except UserError as error:
            print(f"{path.stem:34} does not compile: {str(error).splitlines()[0]}", flush=True)
            return failed
        for compiler in compilers:
            if find_compiler(compiler, load_target(core)) is not None:
                failed += verify_once(compiled, path.stem, core, compiler, inputs)
    return failed


def verify_once(compiled: Compiled, model: str, core: str, compiler: str, inputs: int) -> bool:
    """Print one line and the failures; whether there are any."""
    start = time.perf_counter()
    outcome = compiled.verify_with(generate(compiled.result.graph.inputs, inputs), compiler=compiler)
    row = Row(model, core, compiler, outcome, time.perf_counter() - start)
    print(row, flush=True)
    for fault in row.faults:
        print(f"    {fault}", flush=True)
    return bool(row.faults)


if __name__ == "__main__":
    sys.exit(main())
