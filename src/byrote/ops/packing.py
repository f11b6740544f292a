"""Arranging constants in the order in which the plain kernels consume them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from byrote.ir import Requant
from byrote.ir.op import Array


def interleave(weights: Array, lanes: int) -> npt.NDArray[np.int8]:
    """[groups, channels, taps] to [groups, channels / lanes, taps, lanes], missing channels zero, flattened."""
    groups, channels, taps = weights.shape
    padded = np.zeros((groups, -(-channels // lanes) * lanes, taps), np.int8)
    padded[:, :channels] = weights
    return padded.reshape(groups, -1, lanes, taps).transpose(0, 1, 3, 2).reshape(-1)


def channel_table(bias: Array, requant: Requant, groups: int = 1, lanes: int = 1) -> npt.NDArray[np.int32]:
    """(bias, multiplier, shift) per channel, each group padded to a multiple of `lanes` channels with zeros."""
    channels = bias.size
    rows = np.zeros((channels, 3), np.int32)
    rows[:, 0] = bias.reshape(-1)
    rows[:, 1] = requant.multipliers
    rows[:, 2] = requant.shifts
    per_group = channels // groups
    padded = np.zeros((groups, -(-per_group // lanes) * lanes, 3), np.int32)
    padded[:, :per_group] = rows.reshape(groups, per_group, 3)
    return padded.reshape(-1)
