"""Gives damaged copies of files to a program and reports every end that is not orderly.

    python -m scripts.fuzz_files --count 20000 examples/digits/digits_int8.tflite
    python -m scripts.fuzz_files --count 100 --command 'byrote check {file}' model.tflite

Run it from the repository's root. Orderly are exit codes 0, 1 and 2 without a traceback, within --seconds and --memory.
By default the compiler's command line is called in forked children, which is fast (with `--preload byrote.driver numpy`
even more so); with --command a program is started.
Each fault's file and output are kept. Copy N is made from seed --seed + N: --seed S --count 1 repeats one.
With --log, a run that was stopped goes on where it was; ranges of seeds may share a log.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib
import os
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tests.support.limited import Outcome, limited
from tests.support.mutate import mutate

Call = Callable[[Path], "int | None"]

PROGRESS = 500
"""Copies between two lines about the state of a long run."""


@dataclass(frozen=True)
class End:
    """How one copy ended; processor time in seconds, peak memory in bytes."""

    seed: int
    what: str
    seconds: float
    peak: int
    fault: bool


class Tally:
    """What a run has seen so far; its text is one line."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.faults: list[int] = []
        self.slowest = self.largest = End(-1, "", 0.0, 0, False)

    def add(self, end: End) -> None:
        """Count one copy."""
        self.ends[end.what] += 1
        self.slowest = max(self.slowest, end, key=lambda each: each.seconds)
        self.largest = max(self.largest, end, key=lambda each: each.peak)
        if end.fault:
            self.faults.append(end.seed)

    def __str__(self) -> str:
        slowest = f"slowest {self.slowest.seconds:.2f} s (seed {self.slowest.seed})"
        largest = f"largest {self.largest.peak >> 20} MiB (seed {self.largest.seed})"
        ends = ", ".join(f"{end}: {times}" for end, times in self.ends.most_common())
        return f"{ends}; {slowest}, {largest}, faults {len(self.faults)}"


class Log:
    """A line per copy (seed, end, seconds, bytes), below one that says which files and arguments they belong to."""

    def __init__(self, path: Path | None, files: Sequence[Path], arguments: str) -> None:
        """Read what is there; SystemExit if it belongs to other files or arguments."""
        self.path = path
        self.known: dict[int, End] = {}
        digest = hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()
        heading = f"# {len(files)} files, {digest[:16]}, {arguments}"
        if path is None:
            return
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if lines and lines[0] != heading:
            print(f"{path} is of other files or arguments")
            sys.exit(2)
        for fields in (line.split("\t") for line in lines[1:]):
            if len(fields) == 4:  # the last line of a run that was stopped may be short
                fault = not fields[1].startswith("exit code") or fields[1].split()[-1] not in ("0", "1", "2")
                end = End(int(fields[0]), fields[1], float(fields[2]), int(fields[3]), fault)
                self.known[end.seed] = end
        self._append("\n" if lines else f"{heading}\n")

    def write(self, end: End) -> None:
        """Add a copy."""
        self._append(f"{end.seed}\t{end.what}\t{end.seconds:.3f}\t{end.peak}\n")

    def _append(self, text: str) -> None:
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)


def main() -> int:
    """The script; 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="files to damage, used by turns")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5.0, help="processor time, or ten times as much by the clock")
    parser.add_argument("--memory", type=int, default=1024, help="MiB")
    parser.add_argument("--main", default="byrote.cli.main:main", help="module:function that reads sys.argv")
    parser.add_argument("--arguments", default="check {file}", help="what --main finds in sys.argv")
    parser.add_argument(
        "--preload", nargs="*", default=(), help="modules to import once, before the children are forked"
    )
    parser.add_argument("--command", help="start this instead of calling --main; {file} is the damaged file")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-faults"), help="folder for the files that cause faults")
    parser.add_argument("--log", type=Path, help="gets a line per copy; copies that it holds are not run again")
    options = parser.parse_args()
    for module in options.preload:
        importlib.import_module(module)
    if options.command:
        call: Call = functools.partial(_start, options.command)
    else:
        call = functools.partial(_call_main, _function(options.main), options.main, options.arguments)
    seeds = range(options.seed, options.seed + options.count)
    log = Log(options.log, [*options.files], options.arguments if options.command is None else options.command)
    tally = fuzz(options.files, seeds, call, options.seconds, options.memory << 20, options.keep, log)
    print(f"{len(seeds)} files: {tally}")
    return 1 if tally.faults else 0


def fuzz(
    files: Sequence[Path], seeds: Sequence[int], call: Call, seconds: float, memory: int, keep: Path, log: Log
) -> Tally:
    """Runs the damaged copies of `seeds` through `call`; keeps the files of faults in `keep`.

    Copies that `log` holds already are counted, not run again.
    """
    originals = [path.read_bytes() for path in files]
    tally = Tally()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for position, number in enumerate(seeds, 1):
            known = log.known.get(number)
            if known is not None:
                tally.add(known)
                continue
            original = number % len(files)
            path = Path(folder) / f"damaged{files[original].suffix}"
            path.write_bytes(mutate(originals[original], number, originals))
            outcome = limited(functools.partial(call, path), seconds, memory)
            fault = outcome.fault(memory)
            end = End(number, fault or f"exit code {outcome.code}", outcome.seconds, outcome.peak, fault is not None)
            tally.add(end)
            log.write(end)
            if fault:
                _report(keep, number, path, fault, outcome)
            if position % PROGRESS == 0:
                print(f"{position} of {len(seeds)}, {time.monotonic() - started:.0f} s: {tally}", flush=True)
    return tally


def _report(keep: Path, seed: int, path: Path, fault: str, outcome: Outcome) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    (keep / f"{seed}{path.suffix}").write_bytes(path.read_bytes())
    (keep / f"{seed}.txt").write_text(f"{fault}\n{outcome.output}", encoding="utf-8")
    last = outcome.output.strip().splitlines()[-1:] or [""]
    print(f"seed {seed}: {fault} after {outcome.seconds:.2f} s, {outcome.peak >> 20} MiB: {last[0][:120]}")


def _function(name: str) -> Callable[[], int | None]:
    module, _, function = name.partition(":")
    return cast("Callable[[], int | None]", getattr(importlib.import_module(module), function))


def _call_main(function: Callable[[], int | None], name: str, arguments: str, path: Path) -> int | None:
    sys.argv = [name, *_filled(arguments, path)]
    return function()


def _start(command: str, path: Path) -> int:
    arguments = _filled(command, path)
    os.execvp(arguments[0], arguments)


def _filled(template: str, path: Path) -> list[str]:
    return [word.replace("{file}", str(path)) for word in shlex.split(template)]


if __name__ == "__main__":
    sys.exit(main())
