"""Kernel headers keep the rules of the house: alone they compile, and they hold nothing that may not be in them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.kernels import PACKAGE, WARNINGS

RUNTIME = PACKAGE / "runtime"
KERNELS = sorted((PACKAGE / "ops").glob("*/kernels/*.h"))
HEADERS = [*KERNELS, *sorted(RUNTIME.glob("*.h"))]


def code_of(path: Path) -> str:
    """The header without comments and preprocessor lines."""
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.DOTALL)
    return re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_no_division_and_no_long_products(path: Path) -> None:
    code = code_of(path)
    assert not re.search(r"[/%]|int64_t|long long", code)


@pytest.mark.parametrize("path", HEADERS, ids=lambda path: path.name)
def test_nothing_static_and_no_library(path: Path) -> None:
    text = path.read_text()
    included = set(re.findall(r"#include\s+<([^>]+)>", text))
    assert included <= {"stdint.h", "stddef.h", "arm_acle.h", "arm_mve.h"}
    assert not re.search(r"^static (?!inline|__attribute__)(?!const)", code_of(path), flags=re.MULTILINE)
    assert f"BYROTE_{path.stem.upper()}_H" in text


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_struct_literals_are_positional(path: Path) -> None:
    """Neither compound literals nor designated initialisers: the code is C++11 as well."""
    assert not re.search(r"\{\s*\.\w+\s*=|\(struct \w+\)\s*\{", code_of(path))


@pytest.mark.parametrize(("compiler", "standard"), [("cc", "c99"), ("c++", "c++11")])
def test_each_header_compiles_alone(compiler: str, standard: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    ending = "cc" if compiler == "c++" else "c"
    folders = [f"-I{folder}" for folder in sorted({str(path.parent) for path in HEADERS})]
    sources: list[str] = []
    for path in KERNELS:
        source = tmp_path / f"{path.stem}.{ending}"
        source.write_text(f'#include "{path.name}"\nextern int unused_{path.stem};\n')
        sources.append(str(source))
    done = subprocess.run(
        [compiler, f"-std={standard}", "-O0", "-fsyntax-only", *WARNINGS, *folders, *sources],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr[:3000]
