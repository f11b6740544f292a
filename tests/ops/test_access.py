"""Access tables tell the truth: an output row is a function of the input rows that they name."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from byrote.ir import Access, DType
from byrote.ops import OPERATORS, Operator, Reading
from tests.ops.test_kernels import read_all
from tests.support.kernels import Array, node_view
from tests.support.single import random_constant


def rows_of(array: Array, rows: int) -> Array:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(rows, -1)


def scramble(array: Array, rows: int, keep: range, rng: np.random.Generator) -> Array:
    """Other values in all rows but those of `keep`."""
    changed = rows_of(array, rows).copy()
    outside = [row for row in range(rows) if row not in keep]
    if array.dtype == np.float32:
        changed[outside] = 0
    else:
        changed[outside] = rng.integers(0, 256, (len(outside), changed.shape[1]))
    return changed.reshape(-1).view(array.dtype).reshape(array.shape)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.names[0])
def test_rows_depend_on_the_rows_named(operator: Operator) -> None:
    rng = np.random.default_rng(zlib.crc32(operator.names[0].encode()))
    for reading in read_all(operator, operator.cases(rng, 25)):
        check(reading, rng)


def check(reading: Reading, rng: np.random.Generator) -> None:
    view = node_view(reading)
    types = view.graph.types(view.node.inputs)
    out = view.output_type()
    arrays = [
        t.data if t.data is not None else random_constant(kind, rng)
        for t, kind in zip(reading.inputs, types, strict=True)
    ]
    expected = rows_of(reading.op.reference(arrays)[0], out.rows)
    accesses = reading.op.access(types, (out,))[0]
    assert len(accesses) == len(types)
    for index, access in enumerate(accesses):
        if access is None or types[index].dtype is DType.INT32:
            continue
        check_table(access, types[index].rows, out.rows)
        for row in {0, out.rows // 2, out.rows - 1}:
            keep = range(access.first[row], access.end[row])
            other = list(arrays)
            other[index] = scramble(arrays[index], types[index].rows, keep, rng)
            result = rows_of(reading.op.reference(other)[0], out.rows)
            np.testing.assert_array_equal(result[row], expected[row], err_msg=f"row {row} of {reading.op}")
    assert reading.op.macs(types, (out,)) >= 0


def check_table(access: Access, rows: int, outputs: int) -> None:
    assert len(access.first) == len(access.end) == len(access.start) == outputs
    assert all(0 <= first <= end <= rows for first, end in zip(access.first, access.end, strict=True))
    assert list(access.first) == sorted(access.first)
    assert list(access.end) == sorted(access.end)
