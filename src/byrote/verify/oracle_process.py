"""A reference interpreter in a process of its own, so that a model which makes it abort does not end byrote.

TFLM stops the whole process where it disagrees with a model's numbers (an ADD whose output scale is far too fine, for
one). Costs about half a second for the process; otherwise the same as a call of `byrote.verify.oracle`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from byrote.errors import Problem, UserError, user_error
from byrote.verify.oracle import Array, Run, litert_calls, tflm_calls

ENGINES: dict[str, Callable[[bytes, Sequence[Sequence[Array]], Sequence[int]], tuple[Run, ...]]] = {
    "tflm": tflm_calls,
    "litert": litert_calls,
}
_REFUSED = 2
"""Exit code of a child whose interpreter refused the model, its reason on stderr."""


def calls_apart(
    engine: str, model: bytes, calls: Sequence[Sequence[Array]], keep: Sequence[int] = ()
) -> tuple[Run, ...]:
    """`tflm_calls` or `litert_calls` (`engine` "tflm" or "litert") in a child process; also UserError if it dies."""
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder) / "request.npz", Path(folder) / "answer.npz"
        _write_request(request, model, calls, keep)
        command = [sys.executable, "-m", __name__, engine, str(request), str(answer)]
        environment = os.environ | {"PYTHONSAFEPATH": "1"}  # a numpy.py in the user's folder is not to be run
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False)
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode == _REFUSED:
            raise UserError(*(Problem("", line) for line in said.splitlines()))
        if done.returncode:
            raise user_error(engine, f"the interpreter died of this model (exit code {done.returncode}): {said}")
        return _read_answer(answer, len(calls))


def _write_request(path: Path, model: bytes, calls: Sequence[Sequence[Array]], keep: Sequence[int]) -> None:
    arrays = {f"{call}.{index}": array for call, inputs in enumerate(calls) for index, array in enumerate(inputs)}
    sizes = np.array([len(inputs) for inputs in calls], np.int64)
    with path.open("wb") as file:
        np.savez(
            file,
            allow_pickle=False,
            model=np.frombuffer(model, np.uint8),
            keep=np.array(keep, np.int64),
            sizes=sizes,
            **arrays,
        )


def _read_answer(path: Path, calls: int) -> tuple[Run, ...]:
    with np.load(path, allow_pickle=False) as arrays:
        counts: list[list[int]] = arrays["counts"].tolist()
        return tuple(
            Run(
                tuple(arrays[f"output.{call}.{index}"] for index in range(counts[call][0])),
                tuple(arrays[f"kept.{call}.{index}"] for index in range(counts[call][1])),
            )
            for call in range(calls)
        )


def _answer(engine: str, request: Path, answer: Path) -> None:
    """What the child does."""
    with np.load(request, allow_pickle=False) as arrays:
        sizes: list[int] = arrays["sizes"].tolist()
        keep: list[int] = arrays["keep"].tolist()
        model = arrays["model"].tobytes()
        calls = [[arrays[f"{call}.{index}"] for index in range(size)] for call, size in enumerate(sizes)]
    runs = ENGINES[engine](model, calls, keep)
    made: dict[str, Array] = {}
    for call, run in enumerate(runs):
        made |= {f"output.{call}.{index}": array for index, array in enumerate(run.outputs)}
        made |= {f"kept.{call}.{index}": array for index, array in enumerate(run.kept)}
    counts = np.array([(len(run.outputs), len(run.kept)) for run in runs], np.int64).reshape(-1, 2)
    with answer.open("wb") as file:
        np.savez(file, allow_pickle=False, counts=counts, **made)


if __name__ == "__main__":
    try:
        _answer(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    except UserError as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(_REFUSED)
