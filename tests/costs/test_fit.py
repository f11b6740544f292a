"""Least squares without negative coefficients."""

from __future__ import annotations

import numpy as np
import pytest

from byrote.tune.fit import fit, nonnegative
from byrote.tune.image import Measured

FEATURES = 5


def layers(rng: np.random.Generator, count: int) -> list[tuple[float, ...]]:
    return [(1.0, *(float(n) for n in rng.integers(1, 2000, FEATURES - 1))) for _ in range(count)]


def measured(works: list[tuple[float, ...]], true: list[float]) -> list[Measured]:
    found: list[Measured] = []
    for work in works:
        count = round(sum(a * b for a, b in zip(true, work, strict=True)))
        found.append(Measured(count, count * 1.5, 2 * count, count // 10))
    return found


def test_true_coefficients_are_found_again() -> None:
    works = layers(np.random.default_rng(1), 30)
    true = [40.0, 0.0, 3.5, 12.0, 0.25]
    found = fit(works, measured(works, true))
    assert found.coefficients["instructions"] == pytest.approx(true, abs=0.6)
    assert found.coefficients["cycles"] == pytest.approx([1.5 * c for c in true], abs=0.9)
    assert found.samples == 30
    assert found.worst_error < 0.001


@pytest.mark.parametrize("seed", range(8))
def test_optimal_in_the_sense_of_karush_kuhn_tucker(seed: int) -> None:
    """No coefficient is negative; the gradient vanishes where one is positive and points outward where it is 0."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(20, 6)), rng.normal(size=20)
    x = nonnegative(a, b)
    gradient = a.T @ (b - a @ x)
    assert (x >= 0).all()
    assert np.abs(gradient[x > 0]).max(initial=0) < 1e-6
    assert gradient[x == 0].max(initial=0) < 1e-6


def test_dependent_columns_and_columns_of_zeros_do_no_harm() -> None:
    rng = np.random.default_rng(3)
    column = rng.uniform(1, 2, 12)
    a = np.stack([column, 2 * column, np.zeros(12)], axis=1)
    x = nonnegative(a, 3 * column)
    assert a @ x == pytest.approx(3 * column)
    assert x[2] == 0


def test_one_odd_layer_does_not_bend_the_fit() -> None:
    works = layers(np.random.default_rng(2), 24)
    found = measured(works, [10.0, 2.0, 2.0, 2.0, 2.0])
    found[5] = Measured(found[5].instructions * 3, 0.0, 0, 0)
    result = fit(works, found)
    assert result.coefficients["instructions"][1:] == pytest.approx([2.0] * 4, rel=0.02)
    assert result.worst_error > 0.5, "the report must not hide it"


def test_the_same_measurements_give_the_same_fit() -> None:
    works = layers(np.random.default_rng(4), 20)
    found = measured(works, [1.0, 2.0, 3.0, 4.0, 5.0])
    assert fit(works, found) == fit(list(works), list(found))
