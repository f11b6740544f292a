"""Writing generated files and pages: all or nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from byrote.emit import Program
from byrote.ir import user_error


def write_files(program: Program, folder: Path) -> tuple[Path, ...]:
    """Write into `folder`, which is made if need be.  Raises UserError when that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".byrote-") as staging:
            for file in program.files:
                (Path(staging) / file.name).write_text(file.text, encoding="utf-8", newline="\n")
            return tuple((Path(staging) / f.name).replace(folder / f.name) for f in program.files)
    except OSError as error:
        raise user_error(str(folder), error.strerror or str(error), "give another folder with -o") from error


def write_page(text: str, file: Path, model: Path) -> Path:
    """Write a page.  Raises UserError when that is impossible, or `file` is a folder, a device or the model itself."""
    try:
        if file.exists() and not file.is_file():
            what = "it is a folder" if file.is_dir() else "it is not an ordinary file"
            raise user_error(str(file), what, "give another file with -o")
        if file.exists() and file.samefile(model):
            raise user_error(str(file), "it is the model", "give another file with -o")
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".byrote-") as staging:
            page = Path(staging) / "page.html"
            page.write_text(text, encoding="utf-8", newline="\n")
            return page.replace(file)
    except OSError as error:
        raise user_error(str(file), error.strerror or str(error), "give another file with -o") from error
