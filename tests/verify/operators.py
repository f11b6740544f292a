"""Single operators through the whole compiler and onto a core, many in one program, for the proof of one path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from byrote.driver import compile_model
from byrote.errors import UserError
from byrote.ops import Operator
from byrote.options import CompileOptions
from byrote.result import Result
from byrote.targets import load_target
from byrote.verify.elf import load_elf
from byrote.verify.layers import owners_of
from byrote.verify.proofs import analyse_model, path_check
from byrote.verify.stack import stack_report
from byrote.verify.toolchain import build_firmware
from tests.support.single import spec


def unproven(
    operator: Operator, core: str, compilers: Sequence[str], count: int, folder: Path, seed: int = 0
) -> list[str]:
    """Why so many random cases of an operator are not proven to have one path and a stack; empty if all are.

    Cases that the compiler refuses are left out.
    """
    target = load_target(core)
    results: list[Result] = []
    for index, view in enumerate(operator.cases(np.random.default_rng(seed), count)):
        path = folder / f"case{index}.tflite"
        path.write_bytes(spec(view).to_bytes())
        try:
            results.append(compile_model(path, CompileOptions(name=f"case{index}", target=core)).result)
        except UserError:
            continue
    for result in results:
        for file in result.program.files:
            (folder / file.name).write_text(file.text, encoding="utf-8")
    sources = [folder / name for result in results for name in result.program.sources]
    entries = [f"{result.name}_run" for result in results]
    found: list[str] = []
    for compiler in compilers if results else ():
        room = target.resized(ram=1 << 20, flash=1 << 24)
        built = build_firmware(sources, room, folder / compiler, entry=entries[0], keep=entries[1:], compiler=compiler)
        elf = load_elf(built.path)
        for result, entry in zip(results, entries, strict=True):
            analysis = analyse_model(elf, entry, target, 1)
            check = path_check(analysis, owners_of(result))
            if not check.passed or stack_report(analysis).bound is None:
                found.append(f"{core} {compiler} {entry}: {check.detail}")
    return found
