"""Gives damaged copies of files to a program and reports every end that is not orderly.

    python -m scripts.fuzz_files --count 20000 examples/digits/digits_int8.tflite
    python -m scripts.fuzz_files --count 100 --command 'byrote check {file}' model.tflite

Run it from the repository's root. Orderly are exit codes 0, 1 and 2 without a traceback, within --seconds and --memory.
By default the compiler's command line is called in forked children, which is fast (with `--preload byrote.driver numpy`
even more so); with --command a program is started.
Each fault's file and output are kept. Copy N is made from seed --seed + N: --seed S --count 1 repeats one.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from tests.support.limited import Outcome, limited
from tests.support.mutate import mutate

Call = Callable[[Path], "int | None"]


def main() -> int:
    """The script; 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="files to damage, used by turns")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--memory", type=int, default=1024, help="MiB")
    parser.add_argument("--main", default="byrote.cli.main:main", help="module:function that reads sys.argv")
    parser.add_argument("--arguments", default="check {file}", help="what --main finds in sys.argv")
    parser.add_argument(
        "--preload", nargs="*", default=(), help="modules to import once, before the children are forked"
    )
    parser.add_argument("--command", help="start this instead of calling --main; {file} is the damaged file")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-faults"), help="folder for the files that cause faults")
    options = parser.parse_args()
    for module in options.preload:
        importlib.import_module(module)
    if options.command:
        call: Call = functools.partial(_start, options.command)
    else:
        call = functools.partial(_call_main, _function(options.main), options.main, options.arguments)
    faults = fuzz(options.files, options.count, options.seed, call, options.seconds, options.memory << 20, options.keep)
    return 1 if faults else 0


def fuzz(
    files: Sequence[Path], count: int, seed: int, call: Call, seconds: float, memory: int, keep: Path
) -> list[tuple[int, str]]:
    """Runs `count` damaged copies through `call`; the faults as (seed, kind). Keeps their files in `keep`."""
    originals = [path.read_bytes() for path in files]
    ends: Counter[str] = Counter()
    faults: list[tuple[int, str]] = []
    slowest, largest = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            original = number % len(files)
            path = Path(folder) / f"damaged{files[original].suffix}"
            path.write_bytes(mutate(originals[original], number, originals))
            outcome = limited(functools.partial(call, path), seconds, memory)
            slowest, largest = max(slowest, outcome.seconds), max(largest, outcome.peak)
            fault = outcome.fault(memory)
            ends[fault or f"exit code {outcome.code}"] += 1
            if fault:
                faults.append((number, fault))
                _report(keep, number, path, fault, outcome)
    print(f"{count} files: " + ", ".join(f"{end}: {times}" for end, times in ends.most_common()))
    print(f"slowest {slowest:.2f} s, largest {largest >> 20} MiB, faults {len(faults)}")
    return faults


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
