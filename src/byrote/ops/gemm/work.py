"""Counting the matrix core's loops and results, for predictions of cost."""

from __future__ import annotations

from byrote.ir import Rounding
from byrote.ops.gemm.mixed import Mixed
from byrote.ops.gemm.packed import Form
from byrote.ops.requant import General

RESULTS = (
    "result, by one multiplication",
    "result, rounded twice",
    "result, rounded once",
    "result, shift of its own",
    "odd result, rounded",
    "result, clamped",
)
"""What results cost depends on."""


def results(proofs: Mixed | General | str, count: float, clamp: tuple[int, int]) -> tuple[float, ...]:
    """How many results are of each of RESULTS; nothing where the kernel is refused."""
    if isinstance(proofs, str):
        return (0.0,) * len(RESULTS)
    clamped = count * (clamp != (-128, 127))
    if isinstance(proofs, General):
        single = proofs.rounding is Rounding.SINGLE
        return (0.0, count * (not single), count * single, count * (not proofs.uniform), 0.0, clamped)
    forms = tuple(count * (proofs.form is form) for form in (Form.FLOOR, Form.TWICE, Form.ONCE))
    own = count * (proofs.form is not Form.FLOOR and not proofs.shift)
    return (*forms, own, count / 2 * (proofs.form is not Form.FLOOR), clamped)
