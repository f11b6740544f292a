"""The same model compiled once more by a fresh process, in which nothing is hashed or cached as in this one."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO

import byrote
from byrote.emit import Program
from byrote.options import CompileOptions
from byrote.verify.outcome import Check

NAME = "compiled again, the same bytes"
TIMEOUT = 600

_CHILD = """
import hashlib, json, pickle, sys
from byrote.driver import compile_model
model, options = pickle.load(sys.stdin.buffer)
files = compile_model(model, options).program.files
print(json.dumps({file.name: hashlib.sha256(file.text.encode()).hexdigest() for file in files}))
"""


def hashes(program: Program) -> dict[str, str]:
    """SHA-256 of every generated file."""
    return {file.name: hashlib.sha256(file.text.encode()).hexdigest() for file in program.files}


class SecondCompilation:
    """Runs beside everything else; `check` waits for it.  A context: it does not outlive the block."""

    def __init__(self, model: Path, options: CompileOptions) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        search = [str(Path(byrote.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search), "PYTHONHASHSEED": "271828"}
        self._child = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
        )
        self._request = pickle.dumps((model, options))

    def __enter__(self) -> SecondCompilation:
        assert self._child.stdin is not None
        self._child.stdin.write(self._request)
        self._child.stdin.close()
        self._child.stdin = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        if self._child.stdout is not None:
            self._child.stdout.close()
        self._errors.close()

    def check(self, program: Program) -> Check:
        """Compare with what this process compiled."""
        try:
            output, _ = self._child.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return Check(NAME, False, f"no answer after {TIMEOUT} s")
        if self._child.returncode:
            self._errors.seek(0)
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            return Check(NAME, False, said[-1] if said else f"exit code {self._child.returncode}")
        return compare(hashes(program), json.loads(output))


def compare(mine: dict[str, str], theirs: dict[str, str]) -> Check:
    """The check, from the hashes of both compilations."""
    different = sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))
    if different:
        return Check(NAME, False, f"{', '.join(different[:4])} differ")
    return Check(NAME, True, f"{len(mine)} files, by a fresh process")
