"""Every operator's kernels have one path and a bounded stack, on cores with and without what makes that easy."""

from __future__ import annotations

from pathlib import Path

import pytest

from byrote.ops import OPERATORS, Operator
from byrote.targets import load_target
from byrote.verify.compilers import find_compiler
from tests.verify.operators import unproven

CASES = 2


@pytest.mark.parametrize("core", ["cortex-m0", "cortex-m4", "rv32imc"])
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.names[0])
def test_one_path(operator: Operator, core: str, tmp_path: Path) -> None:
    if find_compiler("zig", load_target(core)) is None:
        pytest.skip("zig is not installed")
    assert unproven(operator, core, ["zig"], CASES, tmp_path) == []
