"""The evidence folder: complete, reproducible, all or nothing, re-checked by its own script."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from byrote.driver import compile_model
from byrote.errors import UserError
from byrote.options import CompileOptions
from byrote.verify.bounds import bounds_header
from byrote.verify.evidence import HASHES, check_folder, evidence_files, write_evidence
from byrote.verify.inputs import generate
from byrote.verify.summary import summary
from byrote.verify.verification import Verification
from tests.verify.planting import DIGITS

FILES = {
    "SHA256SUMS", "SUMMARY.md", "counts.json", "firmware.elf", "manifest.json", "map.txt", "plan.json", "proofs.json",
    "recheck.py", "verify.json", "c/digits.c", "c/digits.h", "c/digits_bounds.h", "c/digits_weights.c",
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> Verification:
    pytest.importorskip("ziglang")
    pytest.importorskip("unicorn")
    compiled = compile_model(DIGITS, CompileOptions(name="digits"))
    return compiled.verification(generate(compiled.result.graph.inputs, 3))


@pytest.fixture
def folder(found: Verification, tmp_path: Path) -> Path:
    write_evidence(found, DIGITS, tmp_path / "evidence")
    return tmp_path / "evidence"


def recheck(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "recheck.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_everything_passed(found: Verification) -> None:
    assert found.outcome.failures == ()
    assert all(check.passed for check in found.outcome.checks if "TFLM" not in check.name)


def test_files(folder: Path) -> None:
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert names >= FILES
    assert len((folder / HASHES).read_text().splitlines()) == len(names) - 1
    assert [path.name for path in folder.parent.iterdir()] == ["evidence"]
    assert str(folder.parent) not in "".join(p.read_text() for p in folder.rglob("*") if p.suffix in (".json", ".md"))


def test_hashes_are_checked(folder: Path) -> None:
    assert recheck(folder, "--hashes").returncode == 0
    weights = folder / "c" / "digits_weights.c"
    weights.write_text(weights.read_text().replace("127", "126", 1))
    done = recheck(folder, "--hashes")
    assert done.returncode == 1
    assert "c/digits_weights.c: missing or changed" in done.stdout


def test_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "digits_int8.tflite"
    other.write_bytes(DIGITS.read_bytes() + b"\0")
    done = recheck(folder, str(other))
    assert done.returncode == 1
    assert "is not the model" in done.stdout


def test_verified_again_the_bytes_are_the_same(folder: Path) -> None:
    done = recheck(folder, str(DIGITS))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "verified again: the same bytes" in done.stdout


def test_older_evidence_is_replaced_and_anything_else_is_left_alone(found: Verification, folder: Path) -> None:
    (folder / "old.txt").write_text("of an earlier run")
    write_evidence(found, DIGITS, folder)
    assert not (folder / "old.txt").exists()
    other = folder.parent / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(UserError):
        check_folder(other)
    with pytest.raises(UserError):
        write_evidence(found, DIGITS, other / "thesis.txt")
    assert (other / "thesis.txt").read_text() == "mine"


def test_own_inputs_are_kept(found: Verification) -> None:
    files = evidence_files(found, "0" * 64, b"arrays", 2)
    assert files["data.npz"] == b"arrays"
    assert json.loads(files["manifest.json"])["generated_inputs"] == found.outcome.inputs - 2


def test_bounds_are_the_measured_ones_and_compile(found: Verification, tmp_path: Path) -> None:
    outcome = found.outcome
    text = bounds_header(outcome)
    assert f"#define DIGITS_INSTRUCTIONS {outcome.instructions}u" in text
    assert f"#define DIGITS_STACK_MAX {outcome.stack.bound}u" in text
    assert f"#define DIGITS_CYCLES_MAX {outcome.cycles_high}u" in text
    compiler = shutil.which("cc")
    if compiler is None:
        return
    (tmp_path / "digits_bounds.h").write_text(text)
    program = (
        '#include "digits_bounds.h"\n#include "digits_bounds.h"\n#if DIGITS_STACK_MAX > 4096\n#error\n#endif\nint x;\n'
    )
    (tmp_path / "use.c").write_text(program)
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    subprocess.run([compiler, *flags, str(tmp_path / "use.c")], check=True)


def test_what_is_not_proven_is_no_bound(found: Verification) -> None:
    text = bounds_header(replace(found.outcome, one_path=False))
    assert "#define DIGITS_INSTRUCTIONS" not in text
    assert "#define DIGITS_CYCLES_MAX" not in text
    assert "DIGITS_INSTRUCTIONS: not known" in text


def test_hostile_names_stay_text(found: Verification) -> None:
    nasty = replace(found, outcome=replace(found.outcome, model="*/ evil <script> | `x`"))
    assert "*/ evil" not in bounds_header(nasty.outcome)
    assert "<script>" not in summary(nasty, "0" * 64)


def test_a_failure_is_in_the_summary(found: Verification) -> None:
    failing = replace(found.outcome.checks[0], passed=False)
    outcome = replace(found.outcome, checks=(failing, *found.outcome.checks[1:]), failures=("it failed",))
    assert "**FAILED**" in summary(replace(found, outcome=outcome), "0" * 64)
