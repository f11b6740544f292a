"""How the memory planner does on hard public instances and on very many tensors.

Reads every `*.<capacity>.csv` (columns id, lower, upper, size) of a folder, by default `../shared/planner`, and adds
10,000 short-lived tensors made here.  Prints processor time, height and gap to the lower bound.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
import time
from pathlib import Path

from byrote.plan import NORMAL, THOROUGH, Buffer, Problem, solve, validate


def read(path: Path) -> Problem:
    """The instance in `path`; its capacity is the number in its name."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    buffers = (Buffer(row["id"], int(row["size"]), int(row["lower"]), int(row["upper"])) for row in rows)
    return Problem(tuple(buffers), capacity=int(path.name.split(".")[-2]))


def short_lived(count: int) -> Problem:
    """`count` tensors, one begun at every call, alive for one to ten calls."""
    chance = random.Random(1)
    starts = [call + chance.randrange(4) for call in range(count)]
    return Problem(
        tuple(
            Buffer(f"t{i}", 16 * chance.randrange(1, 4096), start, start + chance.randrange(1, 10), 16)
            for i, start in enumerate(starts)
        )
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[2] / "shared" / "planner")
    parser.add_argument("--thorough", action="store_true", help="search for minutes where the usual effort fails")
    options = parser.parse_args()
    problems = [(path.name, read(path)) for path in sorted(options.folder.glob("*.*.csv"))]
    problems.append(("10,000 tensors", short_lived(10_000)))
    titles = ("buffers", "capacity", "height", "bound", "gap", "fits", "seconds")
    print(f"{'instance':22} {' '.join(f'{title:>9}' for title in titles)}")
    for name, problem in problems:
        begin = time.process_time()
        plan = solve(problem, THOROUGH if options.thorough else NORMAL)
        seconds = time.process_time() - begin
        if len(problem.buffers) < 1_000:
            validate(problem, plan)
        gap = "proven" if plan.proven else f"{plan.height / plan.lower_bound - 1:.2%}"
        fits = "yes" if problem.capacity is None or plan.height <= problem.capacity else "no"
        print(
            f"{name:22} {len(problem.buffers):9} {problem.capacity or '-':>9} {plan.height:9} {plan.lower_bound:9} "
            f"{gap:>9} {fits:>9} {seconds:9.2f}"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
