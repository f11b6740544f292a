"""Least squares with coefficients that are not negative, and how well they predict what they have not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from byrote.costs.table import MEASURES, Fit
from byrote.tune.image import Measured

Floats = npt.NDArray[np.float64]

_FOLDS = 4
_DIGITS = 6
_ROUNDS = 8
_SMALL_ERROR = 0.002
_TOLERANCE = 1e-9


def nonnegative(a: Floats, b: Floats) -> Floats:
    """x >= 0 that minimises |a x - b|, by active sets (Lawson and Hanson, Solving Least Squares Problems, 1974).

    `a` [samples, features].  Columns are scaled to unit length first; a column of zeros gets 0.
    """
    lengths = np.linalg.norm(a, axis=0)
    scaled = a / np.where(lengths > 0, lengths, 1)
    count = a.shape[1]
    x, free = np.zeros(count), np.zeros(count, np.bool_)
    for _ in range(10 * count + 10):
        gradient = scaled.T @ (b - scaled @ x)
        gradient[free] = -np.inf
        best = int(np.argmax(gradient))
        if gradient[best] <= _TOLERANCE * max(1.0, float(np.linalg.norm(b))):
            break
        free[best] = True
        x = _feasible(scaled, b, x, free)
    return x / np.where(lengths > 0, lengths, 1)


def _feasible(a: Floats, b: Floats, x: Floats, free: npt.NDArray[np.bool_]) -> Floats:
    """Least squares over the free columns; those that would become negative are given up (`free` changes)."""
    while free.any():
        wanted = np.zeros_like(x)
        wanted[free] = np.linalg.lstsq(a[:, free], b, rcond=None)[0]
        low = free & (wanted <= 0)
        if not low.any():
            return wanted
        step = float(np.min(x[low] / np.maximum(x[low] - wanted[low], 1e-300)))
        x = x + step * (wanted - x)
        free &= x > _TOLERANCE * max(float(np.abs(x).max()), 1e-300)
        x = np.where(free, x, 0.0)
    return np.zeros_like(x)


def fit(works: Sequence[tuple[float, ...]], measured: Sequence[Measured]) -> Fit:
    """Coefficients for every measure; relative errors are minimised, and those of instructions reported."""
    a = np.asarray(works, np.float64).reshape(len(measured), -1)
    coefficients: dict[str, tuple[float, ...]] = {}
    for measure in MEASURES:
        b = np.asarray([float(getattr(m, measure)) for m in measured])
        if b.any():
            coefficients[measure] = tuple(_rounded(value) for value in _relative(a, b))
    errors = _left_out(a, np.asarray([float(m.instructions) for m in measured]))
    return Fit(coefficients, len(measured), round(float(errors.mean()), 4), round(float(errors.max()), 4))


def _relative(a: Floats, b: Floats) -> Floats:
    """Nearly the least sum of relative errors: odd layers, which compilers treat in their own way, do not bend the fit.

    Least squares, repeated with each sample's weight divided by the square root of its error.
    """
    scale = 1 / np.maximum(b, 1)
    weight = np.ones(len(b))
    x = np.zeros(a.shape[1])
    for _ in range(_ROUNDS):
        x = nonnegative(a * (scale * weight)[:, None], b * scale * weight)
        weight = 1 / np.sqrt(np.maximum(np.abs(a @ x - b) * scale, _SMALL_ERROR))
    return x


def _left_out(a: Floats, b: Floats) -> Floats:
    """Relative errors of samples that their fit has not seen."""
    errors = np.zeros(len(b))
    if len(b) < 2 * _FOLDS:
        return np.abs(a @ _relative(a, b) - b) / np.maximum(b, 1)
    for fold in range(_FOLDS):
        out = np.arange(len(b)) % _FOLDS == fold
        errors[out] = np.abs(a[out] @ _relative(a[~out], b[~out]) - b[out]) / np.maximum(b[out], 1)
    return errors


def _rounded(value: float) -> float:
    """Few digits: files stay small and do not depend on the last bits of a library."""
    return float(f"{value:.{_DIGITS}g}")
