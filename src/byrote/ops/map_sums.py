"""Sums over a map in any storage (runtime/sums_dsp.h), shared by AVERAGE_POOL_2D and MEAN."""

from __future__ import annotations

from byrote.ir import TensorType
from byrote.kernel import FieldValue, Layout, NodeView, Storage

_WIDEST = 255
"""Columns of int8 that a 16-bit lane can add up."""


def columns(x: TensorType) -> int:
    """Pixels per row."""
    return x.row_size // x.shape[-1]


def rejects_map(view: NodeView) -> str | None:
    """Why the sums cannot be made."""
    width = columns(view.input_type(0))
    return f"rows of {width} columns, this kernel takes up to {_WIDEST}" if width > _WIDEST else None


def stores_map(view: NodeView) -> bool:
    """Pixels, or unsigned planes of a tensor of rank 4; the result is a vector in the order of the input's channels."""
    x, out = view.inputs[0], view.outputs[0]
    planes = x.layout is Layout.HCW
    if planes and (not x.unsigned or len(view.input_type(0).shape) != 4):
        return False
    return x.channels == out.channels and out.layout is Layout.HWC


def map_fields(view: NodeView, start: int) -> tuple[str, FieldValue]:
    """`struct sums_dsp`; `start` for int8 values."""
    x, storage = view.input_type(0), view.inputs[0]
    width, channels = columns(x), x.shape[-1]
    planes = storage.layout is Layout.HCW
    pitch = (storage.pitch or width) if planes else 0
    count = x.elements // channels
    first = start - (128 * count if storage.unsigned else 0)
    return "map", (width, channels, storage.row_size(x), int(planes), pitch, int(not storage.unsigned), first)


def map_overread(view: NodeView) -> int:
    """Bytes that the last word touches beyond the last row."""
    x, storage = view.input_type(0), view.inputs[0]
    if storage.layout is Layout.HWC:
        return -x.shape[-1] % 4
    width = columns(x)
    return max(-(-width // 4) * 4 - (storage.pitch or width), 0)


def map_state(view: NodeView) -> int:
    """Bytes of the sums."""
    return 4 * -(-view.input_type(0).shape[-1] // 4) * 4


def map_cost(view: NodeView, rows: int) -> int:
    """Estimated instructions: all rows and the end."""
    del rows
    x = view.input_type(0)
    per_row = x.row_size * 7 // 4 + 6 * x.shape[-1]
    return x.rows * per_row + 25 * x.shape[-1]


def offset(storage: Storage) -> int:
    """What is added to an int8 where it is stored."""
    return 128 if storage.unsigned else 0
