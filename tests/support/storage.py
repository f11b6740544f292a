"""Tensors as their Storage says: for tests, element by element in numpy, independent of the compiler's own code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from byrote.ir import TensorType
from byrote.ir.op import Array
from byrote.kernel import Layout, Storage


def stored(array: Array, storage: Storage) -> npt.NDArray[np.uint8]:
    """The bytes of an int8 array; columns that are only padding hold noise."""
    data = array if storage.channels is None else array[..., list(storage.channels)]
    data = data.astype(np.int16) + (128 if storage.unsigned else 0)
    data = (data & 0xFF).astype(np.uint8)
    if storage.layout is Layout.HCW:
        data = np.swapaxes(data, -1, -2)
        more = storage.pitch - data.shape[-1] if storage.pitch else 0
        data = np.concatenate([data, np.full((*data.shape[:-1], more), 0x5A, np.uint8)], axis=-1)
    return np.ascontiguousarray(data).reshape(-1)


def unstored(data: npt.NDArray[np.uint8], storage: Storage, tensor: TensorType) -> npt.NDArray[np.int8]:
    """The int8 array of a tensor from its bytes."""
    shape = tensor.shape
    if storage.layout is Layout.HCW:
        pitch = storage.pitch or shape[-2]
        data = np.swapaxes(data.reshape(*shape[:-2], shape[-1], pitch)[..., : shape[-2]], -1, -2)
    values = data.reshape(shape).astype(np.int16)
    values = values - 128 if storage.unsigned else (values + 128) % 256 - 128
    if storage.channels is None:
        return values.astype(np.int8)
    result = np.zeros(shape, np.int8)
    result[..., list(storage.channels)] = values
    return result
