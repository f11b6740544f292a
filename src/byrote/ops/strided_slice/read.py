"""STRIDED_SLICE as TensorFlow Lite writes it."""

from __future__ import annotations

from dataclasses import dataclass

from byrote.ir import DType
from byrote.ops.movement import moved_type
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.slice.op import Slice


@dataclass(frozen=True)
class _Bounds:
    """Constant begin, end and stride per entry, and the masks."""

    begin: tuple[int, ...]
    end: tuple[int, ...]
    stride: tuple[int, ...]
    begin_mask: int
    end_mask: int
    ellipsis: int
    new_axis: int
    shrink: int
    relative: bool


def read(view: OperatorView) -> Reading:
    """Entries with masks become begin, size and step per axis, as numpy's indexing does."""
    kind = moved_type(view)
    bounds = _bounds(view)
    begin: list[int] = []
    size: list[int] = []
    step: list[int] = []
    shape: list[int] = []
    for entry, axis in _entries(bounds, len(kind.shape)):
        if axis is None:
            shape.append(1)
            continue
        b, n, s, stays = _axis(bounds, entry, kind.shape[axis])
        begin.append(b)
        size.append(n)
        step.append(s)
        if stays:
            shape.append(n)
    return Reading(Slice(tuple(begin), tuple(size), tuple(step), tuple(shape)), (view.input(0),))


def _bounds(view: OperatorView) -> _Bounds:
    found: list[tuple[int, ...]] = []
    for index, what in ((1, "begin"), (2, "end"), (3, "strides")):
        view.input(index).require(DType.INT32, DType.INT64)
        found.append(tuple(int(n) for n in view.input(index).constant(what).reshape(-1)))
    if not len(found[0]) == len(found[1]) == len(found[2]) or 0 in found[2]:
        raise Unreadable(f"begin {list(found[0])}, end {list(found[1])} and strides {list(found[2])} do not agree")
    masks = ("BeginMask", "EndMask", "EllipsisMask", "NewAxisMask", "ShrinkAxisMask")
    b, e, ellipsis, new_axis, shrink = (view.options.integer(name) for name in masks)
    return _Bounds(found[0], found[1], found[2], b, e, ellipsis, new_axis, shrink, view.options.flag("Offset"))


def _entries(bounds: _Bounds, rank: int) -> list[tuple[int, int | None]]:
    """(entry or -1 for a whole axis, axis or None for a new one) in order of the result."""
    count = len(bounds.begin)
    new = [k for k in range(count) if bounds.new_axis >> k & 1 and not bounds.ellipsis >> k & 1]
    dots = [k for k in range(count) if bounds.ellipsis >> k & 1]
    used = count - len(new) - len(dots)
    if len(dots) > 1 or used > rank:
        raise Unreadable(f"{count} entries do not index a tensor of rank {rank}")
    result: list[tuple[int, int | None]] = []
    axis = 0
    for k in range(count):
        if k in dots:
            result += [(-1, a) for a in range(axis, axis + rank - used)]
            axis += rank - used
        elif k in new:
            result.append((k, None))
        else:
            result.append((k, axis))
            axis += 1
    return result + [(-1, a) for a in range(axis, rank)]


def _axis(bounds: _Bounds, entry: int, length: int) -> tuple[int, int, int, bool]:
    """(begin, size, step, whether the axis stays) of one axis."""
    if entry < 0:
        return 0, length, 1, True
    begin, end, stride = bounds.begin[entry], bounds.end[entry], bounds.stride[entry]
    if bounds.shrink >> entry & 1:
        at = begin + length if begin < 0 else begin
        if not 0 <= at < length:
            raise Unreadable(f"index {begin} is outside an axis of {length}")
        return at, 1, 1, False
    if bounds.relative:
        end += begin
    asked = slice(
        None if bounds.begin_mask >> entry & 1 else begin, None if bounds.end_mask >> entry & 1 else end, stride
    )
    taken = range(*asked.indices(length))
    if not taken:
        raise Unreadable(f"the slice {begin}:{end}:{stride} of an axis of {length} is empty")
    return taken.start, len(taken), stride, True
