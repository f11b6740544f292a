"""Flash of public models: code built for Cortex-M4, and the kernels that a small flash gets."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from byrote.driver import Compiled
from byrote.options import CompileOptions
from byrote.schedule import Goal
from byrote.verify.elf import load_elf
from byrote.verify.toolchain import build_firmware
from tests.models.public import compiled

KWS, IC = "kws_dscnn_int8", "ic_resnet8_int8"


def available(compiler: str) -> bool:
    return find_spec("ziglang") is not None if compiler == "zig" else shutil.which("arm-none-eabi-gcc") is not None


def code(model: Compiled, folder: Path, compiler: str) -> int:
    """Bytes of code in the linked program."""
    model.write(folder)
    name = model.result.name
    sources = [folder / f"{name}.c", folder / f"{name}_weights.c"]
    built = build_firmware(sources, model.result.target, folder / compiler, entry=f"{name}_run", compiler=compiler)
    return sum(section.size for section in load_elf(built.path).sections if section.allocated and section.executable)


@pytest.mark.parametrize(("goal", "limit"), [(Goal.AUTO, 26_000), (Goal.FLASH, 8_000)], ids=("auto", "flash"))
@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_code_of_keyword_spotting(goal: Goal, limit: int, compiler: str, tmp_path: Path) -> None:
    if not available(compiler):
        pytest.skip(f"needs {compiler} for Cortex-M4")
    assert code(compiled(KWS, CompileOptions(goal=goal)), tmp_path, compiler) <= limit


def test_layers_of_one_shape_share_their_code() -> None:
    choices = compiled(KWS, CompileOptions()).result.selection.choices
    shapes = {(c.kernel.function, c.lowered.fields) for c in choices if c is not None}
    assert len(shapes) == 7  # of 12 layers: the last pointwise one stores otherwise


def test_small_flash_has_no_large_weights() -> None:
    fast = compiled(IC, CompileOptions()).result.selection
    small = compiled(IC, CompileOptions(goal=Goal.FLASH)).result.selection
    least = compiled(IC, CompileOptions(flash=fast.constants)).result.selection
    assert small.constants < fast.constants * 3 // 4
    assert least.constants == small.constants
