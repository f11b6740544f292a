"""Every model on every core: right bytes, one path, the stack's bound, nothing stray."""

from __future__ import annotations

from pathlib import Path

import pytest

from byrote.ir.interpret import interpret, outputs_of
from byrote.options import CompileOptions
from byrote.verify.emulated import emulate
from byrote.verify.inputs import Inputs, generate
from tests.models.public import compiled
from tests.models.test_public_models import ARENA, OTHERS
from tests.support.cores import CORES

MANY = {"kws_dscnn_int8": 24, "micro_speech_int8": 24, "hello_world_int8": 24}
"""Inputs of the small models; the others get four, and thousands by script."""


@pytest.mark.parametrize("core", [core for core in CORES if core != "cortex-m4"])
@pytest.mark.parametrize("name", [*ARENA, *OTHERS])
def test_every_core_is_right(name: str, core: str, tmp_path: Path) -> None:
    result = compiled(name, CompileOptions(target=core)).result
    inputs = generate(result.graph.inputs, MANY.get(name, 4))
    expected: list[Inputs] = [outputs_of(result.source, interpret(result.source, given)) for given in inputs]
    emulated = emulate(result, inputs, expected, tmp_path, lambda _: None)
    failed = [f"{check.name}: {check.detail}" for check in emulated.checks if check.passed is False]
    too_large = [line for line in failed if line.startswith("fits the target")]
    assert [line for line in failed if line not in too_large] == []
    assert emulated.exact
    assert emulated.equal
