"""Faults planted into a compiled model: edits of its generated files, as a broken compiler would have written them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from byrote.driver import compile_model
from byrote.emit.program import File
from byrote.ir.interpret import interpret, outputs_of
from byrote.options import CompileOptions
from byrote.result import Result
from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from byrote.verify.emulated import Emulated, emulate
from byrote.verify.inputs import Inputs, generate
from byrote.verify.outcome import Check

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits_int8.tflite"
INPUTS = 5


@cache
def digits(target: str = "cortex-m4") -> Result:
    """The digits example, compiled."""
    return compile_model(DIGITS, CompileOptions(name="digits", target=target)).result


@cache
def cases(count: int = INPUTS) -> tuple[tuple[Inputs, ...], tuple[Inputs, ...]]:
    """Inputs and right outputs."""
    graph = digits().source
    inputs = generate(graph.inputs, count)
    return inputs, tuple(outputs_of(graph, interpret(graph, given)) for given in inputs)


def edited(result: Result, name: str, edit: Callable[[str], str]) -> Result:
    """The same with one generated file changed."""
    before = next(file.text for file in result.program.files if file.name == name)
    after = edit(before)
    assert after != before
    files = tuple(File(name, after) if file.name == name else file for file in result.program.files)
    return replace(result, program=replace(result.program, files=files))


def in_run(statement: str, outside: str = "") -> Callable[[str], str]:
    """C at the start of the run function, and before it."""
    opening = "void digits_run(uint8_t *arena)\n{\n"
    return lambda text: text.replace(opening, f"{outside}\n{opening}    {statement}\n")


def in_layer(node: int, statement: str) -> Callable[[str], str]:
    """C at the start of the functions of a layer."""
    return lambda text: re.sub(rf"(LAYER void digits_\w+_{node}\(.*\)\n{{\n)", rf"\1    {statement}\n", text)


def in_weights(node: int, condition: str = "1") -> Callable[[str], str]:
    """The first weight of a layer is another one, where the preprocessor says so."""
    pattern = rf"(const int8_t digits_weights_{node}\[\d+\][^{{]*{{\s*)(-?\d+)"

    def change(found: re.Match[str]) -> str:
        right = int(found[2])
        wrong = right - 100 if right > 0 else right + 100
        return f"{found[1]}\n#if {condition}\n{wrong}\n#else\n{right}\n#endif\n"

    return lambda text: re.sub(pattern, change, text, count=1)


def on_target(result: Result, folder: Path, compiler: str = "zig", count: int = INPUTS) -> Emulated:
    """Built and run on the emulated core; skips where that is impossible."""
    pytest.importorskip("unicorn")
    if find_compiler(compiler, load_target(result.target.name)) is None:
        pytest.skip(f"{compiler} for {result.target.name} is not installed")
    inputs, expected = cases(count)
    return emulate(result, inputs, expected, folder, lambda _: None, compiler)


def failed(checks: tuple[Check, ...]) -> dict[str, str]:
    """Name and detail of the checks that did not hold."""
    return {check.name: check.detail for check in checks if check.passed is False}
