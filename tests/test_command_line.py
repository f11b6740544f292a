"""The command line as a user meets it: exit codes, one JSON object, nothing loaded that is not needed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from byrote.cli.main import main

DIGITS = Path(__file__).parent.parent / "examples" / "digits" / "digits_int8.tflite"


def byrote(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "byrote.cli.main", *arguments], capture_output=True, text=True, check=False
    )


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from byrote.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'onnx', 'ortools', 'tflite', 'rich', 'unicorn') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_help_is_quick() -> None:
    """Compared with a bare interpreter in the same run, so that a busy machine does not matter."""

    def best(*command: str) -> float:
        times: list[float] = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            times.append(time.perf_counter() - start)
        return min(times)

    bare = best(sys.executable, "-c", "pass")
    assert best(sys.executable, "-m", "byrote.cli.main", "--help") < 5 * bare + 0.15


@pytest.mark.parametrize("verb", ["compile", "check", "verify", "report", "targets", "ops"])
def test_every_verb_has_json_and_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([verb, "--help"])
    assert end.value.code == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["targets", "ops"])
def test_lists_are_json(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema_version"] == 1


@pytest.mark.parametrize("arguments", [["compile"], ["nonsense"], ["check", "x", "--optimize", "everything"], []])
def test_wrong_usage_is_exit_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2


def test_a_missing_file_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "/nowhere/model.tflite"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "byrote: /nowhere/model.tflite: No such file or directory (check the path)\n"


def test_an_unknown_target_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(DIGITS), "--target", "cortex-m9"]) == 2
    assert "cortex-m4" in capsys.readouterr().err


def test_errors_are_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "/nowhere/model.tflite", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["errors"][0]["where"] == "/nowhere/model.tflite"


def test_check_reports_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(DIGITS), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {"schema_version", "model", "name", "target", "fits", "macs", "ram", "flash", "cost", "layers"} < set(report)
    assert {"arena", "state", "stack", "total", "lower_bound", "proven_optimal"} <= set(report["ram"])
    assert report["fits"]


def test_what_does_not_fit_is_exit_1_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(DIGITS), "--ram", "16", "-o", str(tmp_path / "out")]) == 1
    assert "does not fit" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_output_is_reproducible(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        done = byrote("compile", str(DIGITS), "-o", str(tmp_path / folder), "-n", "digits")
        assert done.returncode == 0, done.stderr
    first = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    second = {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert first == second
    assert {"digits.h", "digits.c", "digits_weights.c"} <= set(first)


def test_plans_worth_having_trade_memory_for_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(DIGITS), "--pareto", "--json"]) == 0
    plans = json.loads(capsys.readouterr().out)["plans"]
    assert plans
    assert [p["arena"] for p in plans] == sorted(p["arena"] for p in plans)
    assert [p["cycles"] for p in plans] == sorted((p["cycles"] for p in plans), reverse=True)
