"""`byrote report`: one line, one file, written completely or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import byrote.report.html
from byrote.cli.main import main
from byrote.driver import compile_model
from byrote.errors import UserError
from tests.memories.network import residual


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return residual(tmp_path / "residual.tflite")


def test_the_page_lies_here_and_has_the_models_name(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert main(["report", str(model)]) == 0
    assert capsys.readouterr().out == "residual.html: residual for cortex-m4 fits\n"
    assert [path.name for path in here.iterdir()] == ["residual.html"]
    assert main(["report", str(model), "-n", "../../Other"]) == 0
    assert {path.name for path in here.iterdir()} == {"residual.html", "other.html"}


def test_a_model_that_does_not_fit_has_a_page_too(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "made" / "x.html"
    assert main(["report", str(model), "--ram", "1K", "-o", str(page)]) == 1
    assert capsys.readouterr().out.endswith("x.html: residual for cortex-m4 does not fit\n")
    assert "512 too many" in page.read_text(encoding="utf-8")


def test_json_is_one_object(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "x.html"
    assert main(["report", str(model), "-o", str(page), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"schema_version": 1, "name": "residual", "fits": True, "page": str(page)}


def test_a_page_replaces_an_older_one(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "x.html"
    page.write_text("old", encoding="utf-8")
    assert main(["report", str(model), "-o", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert {path.name for path in tmp_path.iterdir()} == {"x.html", "residual.tflite"}


@pytest.mark.parametrize("name", ["folder", "residual.tflite", "pipe", "residual.tflite/x.html"])
def test_what_must_not_be_overwritten(
    model: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = model.read_bytes()
    assert main(["report", str(model), "-o", str(tmp_path / name)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "give another file with -o" in captured.err
    assert model.read_bytes() == before
    assert not list((tmp_path / "folder").iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "pipe", "residual.tflite"}


def test_half_a_page_is_not_left_behind(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "x.html"
    page.write_text("old", encoding="utf-8")

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    compiled = compile_model(model)
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UserError, match="No space left"):
        compiled.write_page(page)
    monkeypatch.undo()
    assert page.read_text(encoding="utf-8") == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"x.html", "residual.tflite"}


def test_a_fault_while_the_page_is_made_writes_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> str:
        raise ValueError("fault")

    monkeypatch.setattr(byrote.report.html, "html_page", fails)
    with pytest.raises(ValueError, match="fault"):
        main(["report", str(model), "-o", str(tmp_path / "x.html")])
    assert {path.name for path in tmp_path.iterdir()} == {"residual.tflite"}
