"""Inputs for verification: the user's own, random ones, and the extremes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from byrote.ir import Array, DType, Port, user_error

Inputs = tuple[Array, ...]
"""One array per input of the model."""


def generate(ports: Sequence[Port], count: int, seed: int = 1) -> tuple[Inputs, ...]:
    """`count` sets of inputs: all smallest, all largest, alternating, then uniform and bell-shaped noise in turn."""
    rng = np.random.default_rng(seed)
    return tuple(tuple(_array(port, kind, rng) for port in ports) for kind in range(count))


def _array(port: Port, kind: int, rng: np.random.Generator) -> Array:
    shape = port.type.shape
    if port.type.dtype is DType.FLOAT32:
        return _real(port, kind, rng)
    if port.type.dtype is DType.BOOL:
        return rng.integers(0, 2, shape).astype(np.bool_)
    low, high = port.type.dtype.limits
    if kind < 2:
        value = np.full(shape, high if kind else low)
    elif kind == 2:
        value = np.where(np.arange(port.type.elements).reshape(shape) % 2, high, low)
    elif kind % 2:
        value = rng.integers(low, high + 1, shape)
    else:
        centre, width = (low + high) / 2, (high - low) / 8
        value = np.clip(np.rint(rng.normal(centre, width, shape)), low, high)
    return value.astype(port.type.dtype.value)


def _real(port: Port, kind: int, rng: np.random.Generator) -> Array:
    """Floats that reach a little beyond what usual quantisations represent."""
    if kind < 2:
        return np.full(port.type.shape, 1e4 if kind else -1e4, np.float32)
    width = (0.0, 1.0, 4.0, 0.25, 64.0)[kind % 5]
    return (rng.standard_normal(port.type.shape) * width).astype(np.float32)


def from_npz(path: Path, ports: Sequence[Port]) -> tuple[Inputs, ...]:
    """The user's inputs: one array per input, by the input's name or in order, each with a leading axis of cases."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, ValueError, KeyError) as error:
        raise user_error(str(path), f"it cannot be read as .npz ({error})", "write it with numpy.savez") from error
    chosen = [arrays.get(port.name) for port in ports]
    if any(array is None for array in chosen):
        chosen = list(arrays.values())[: len(ports)]
    if len(chosen) < len(ports):
        raise user_error(str(path), f"it has {len(arrays)} arrays, the model has {len(ports)} inputs")
    columns = [_cases(path, port, array) for port, array in zip(ports, chosen, strict=True) if array is not None]
    if len({len(column) for column in columns}) != 1:
        raise user_error(str(path), "its arrays do not have the same number of cases")
    return tuple(zip(*columns, strict=True))


def _cases(path: Path, port: Port, array: Array) -> list[Array]:
    if str(array.dtype) != port.type.dtype.value or array.size % port.type.elements or not array.size:
        raise user_error(
            f"{path}, input {port.name!r}", f"{array.dtype}{list(array.shape)} is not a number of {port.type}"
        )
    return list(array.reshape(-1, *port.type.shape))
