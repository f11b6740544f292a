"""Writing generated files: all or nothing."""

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
