"""Hard public instances that are solved to the byte in well under a second."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from byrote.plan import Buffer, Problem, solve, validate

CAPACITY = 1_048_576


@pytest.mark.parametrize("name", ["B", "C", "F", "H"])
def test_instance_is_solved(name: str) -> None:
    file_name = f"shared/planner/{name}.{CAPACITY}.csv"
    path = next((parent / file_name for parent in Path(__file__).parents if (parent / file_name).exists()), None)
    if path is None:
        pytest.skip(f"no {file_name} beside the checkout")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    buffers = tuple(Buffer(row["id"], int(row["size"]), int(row["lower"]), int(row["upper"])) for row in rows)
    problem = Problem(buffers, capacity=CAPACITY)
    plan = solve(problem)
    validate(problem, plan)
    assert plan.proven
    assert plan.height <= CAPACITY


def test_a_gap_that_first_fit_leaves() -> None:
    """Every greedy order ends above the bound; the exact search reaches it."""
    sizes = ((3, 0, 3), (2, 2, 5), (4, 4, 7), (3, 1, 6), (2, 0, 2), (5, 5, 8), (1, 3, 8), (4, 0, 1), (2, 6, 8))
    problem = Problem(tuple(Buffer(f"b{i}", *shape) for i, shape in enumerate(sizes)))
    plan = solve(problem)
    validate(problem, plan)
    assert plan.proven
