"""The damage is repeatable and varied, and every kind of bad end is told apart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.limited import limited
from tests.support.mutate import mutate

ROOT = Path(__file__).parents[2]
DATA = bytes(range(256)) * 40


def test_damage_is_repeatable() -> None:
    assert [mutate(DATA, seed) for seed in range(50)] == [mutate(DATA, seed) for seed in range(50)]


def test_damage_is_varied() -> None:
    damaged = {mutate(DATA, seed, [b"another file" * 99]) for seed in range(400)}
    assert len(damaged) > 390
    assert any(len(data) < len(DATA) for data in damaged)
    assert any(len(data) > len(DATA) for data in damaged)
    assert any(b"another file" in data for data in damaged)
    assert sum(len(data) == len(DATA) for data in damaged) > 200


@pytest.mark.parametrize("data", [b"", b"1", b"123", b"12345"])
def test_tiny_files_can_be_damaged(data: bytes) -> None:
    for seed in range(300):
        mutate(data, seed)


def hang() -> None:
    time.sleep(60)


def spin() -> None:
    while True:
        pass


def hoard() -> None:
    bytearray(2 << 30)


def fault() -> None:
    raise ZeroDivisionError("no")


def crash() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def shout() -> int:
    print("Traceback (most recent call last)")
    return 2


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: None, None),
        (lambda: 2, None),
        (lambda: sys.exit(1), None),
        (lambda: sys.exit("told why"), None),
        (lambda: 3, "exit code 3"),
        (lambda: os.execvp("true", ["true"]), None),
        (hang, "hang"),
        (spin, "hang"),
        (hoard, "memory"),
        (fault, "exception"),
        (shout, "exception"),
        (crash, "killed by SIGKILL"),
    ],
)
def test_ends_are_told_apart(call: Callable[[], int | None], expected: str | None) -> None:
    outcome = limited(call, seconds=0.2)
    assert outcome.fault(1 << 30) == expected


def test_output_and_memory_are_seen() -> None:
    def work() -> None:
        print("said", len(bytearray(os.urandom(1) * (200 << 20))))

    outcome = limited(work)
    assert outcome.output == f"said {200 << 20}\n"
    assert outcome.peak > 200 << 20


def test_script_reports_and_keeps_faults(tmp_path: Path) -> None:
    model = tmp_path / "model.bin"
    model.write_bytes(DATA)
    longer = tmp_path / "longer.py"
    longer.write_text("import os, sys; sys.exit(os.path.getsize(sys.argv[1]) < 10240)")
    program = f"{sys.executable} {longer} {{file}}"
    script = [sys.executable, "-m", "scripts.fuzz_files", str(model), "--count", "12", "--keep", str(tmp_path / "kept")]
    done = subprocess.run([*script, "--command", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "faults 0" in done.stdout
    assert "exit code 1" in done.stdout
    done = subprocess.run([*script, "--main", "os:abort"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "killed by SIGABRT: 12" in done.stdout
    assert len(list((tmp_path / "kept").glob("*.bin"))) == 12
    assert (tmp_path / "kept" / "3.bin").read_bytes() == mutate(DATA, 3, [DATA])


def test_script_goes_on_where_it_stopped(tmp_path: Path) -> None:
    model, log = tmp_path / "model.bin", tmp_path / "log.txt"
    model.write_bytes(DATA)
    script = [sys.executable, "-m", "scripts.fuzz_files", str(model), "--log", str(log), "--main", "os:getpgrp"]
    script += ["--keep", str(tmp_path / "kept")]

    def run(count: int) -> str:
        done = subprocess.run([*script, "--count", str(count)], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout

    assert "faults 3" in run(3)
    with log.open("a") as unfinished:
        unfinished.write("3 exit")
    assert "5 files" in run(5)
    assert [line.split("\t")[0] for line in log.read_text().splitlines()[1:] if line.count("\t") == 3] == list("01234")
    model.write_bytes(DATA + b"1")
    assert "other files" in run(5)
