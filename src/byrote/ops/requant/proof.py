"""Proof by evaluation at every step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from byrote.ir.fixedpoint import Ints
from byrote.ops.requant.channels import LEVELS, Channels


def agrees(channels: Channels, candidate: Callable[[Ints], Ints]) -> npt.NDArray[np.bool_]:
    """[N]: the candidate, a monotone function of accumulators [..., N], equals the reference on the reachable range.

    Clamped, both are monotone step functions.  The reference is checked to step at its thresholds t_j and nowhere else
    (reference(t_j - 1) < j <= reference(t_j) for all j); candidate and reference are compared at t_j - 1, t_j and both
    ends.  Between two of these points the reference is constant, so the monotone candidate is, too.
    """
    first, last = channels.bounds
    steps, levels = channels.thresholds[first:last], LEVELS[first:last]
    points = np.concatenate([steps - 1, steps, channels.low.reshape(1, -1), channels.high.reshape(1, -1)])
    points = np.minimum(np.maximum(points, channels.low), channels.high)
    wanted = channels.reference(points)
    equal = np.minimum(np.maximum(candidate(points), first), last) == wanted
    below, at = wanted[: len(steps)], wanted[len(steps) : 2 * len(steps)]
    inside = (steps > channels.low) & (steps <= channels.high)
    steps_right = ~inside | ((below < levels) & (at >= levels))
    return equal.all(axis=0) & steps_right.all(axis=0)
