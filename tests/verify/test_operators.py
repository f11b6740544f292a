"""Every operator's kernels have one path and a bounded stack; scripts/prove_operators.py does more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from byrote.ops import OPERATORS
from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from tests.verify.operators import unproven

CORES = ("cortex-m0", "cortex-m4", "rv32imc")
"""Taken by turns."""

CASES = 3


@pytest.mark.parametrize("index", range(len(OPERATORS)), ids=[operator.names[0] for operator in OPERATORS])
def test_one_path(index: int, tmp_path: Path) -> None:
    core = CORES[index % len(CORES)]
    if find_compiler("zig", load_target(core)) is None:
        pytest.skip("zig is not installed")
    assert unproven(OPERATORS[index], core, ["zig"], CASES, tmp_path) == []
