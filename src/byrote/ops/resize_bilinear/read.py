"""RESIZE_BILINEAR as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType
from byrote.ops.movement import moved_type
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.resize_bilinear.op import ONE, Place, ResizeBilinear

LARGEST = 2**15 - 1


def read(view: OperatorView) -> Reading:
    """The size is a constant; positions are computed in integers, in 1/1024 of a pixel."""
    kind = moved_type(view)
    view.input(0).require(DType.INT8)
    view.input(1).require(DType.INT32)
    size = [int(n) for n in view.input(1).constant("size").reshape(-1)]
    sizes_fit = len(size) == 2 and min(size) >= 1 and max(size) <= LARGEST
    if len(kind.shape) != 4 or not sizes_fit or max(kind.shape[1:3]) > LARGEST:
        raise Unreadable(f"size {size} for {kind}, a height and a width for a tensor of rank 4 are supported")
    aligned, centers = view.options.flag("AlignCorners"), view.options.flag("HalfPixelCenters")
    if aligned and centers:
        raise Unreadable("aligned corners and half pixel centers exclude each other", "convert the model again")
    rows = _places(kind.shape[1], size[0], aligned, centers)
    columns = _places(kind.shape[2], size[1], aligned, centers)
    return Reading(ResizeBilinear(rows, columns), (view.input(0),))


def _places(size: int, target: int, aligned: bool, centers: bool) -> tuple[Place, ...]:
    """Where each output position lies; the step from one to the next is rounded, so that far ones drift."""
    spans = (size - 1, target - 1) if aligned and target > 1 else (size, target)
    step = (spans[0] * ONE + spans[1] // 2) // spans[1]
    shift = step // 2 - ONE // 2 if centers else 0
    places = [_place(position * step + shift, size) for position in range(target)]
    if places[-1][0] >= size:
        raise Unreadable(
            f"from {size} to {target} pixels, rounded steps of {step}/{ONE} lead out of the input",
            "use a size of which the input's is a simple fraction",
        )
    return tuple(places)


def _place(distance: int, size: int) -> Place:
    """Before the first pixel and behind the last one is only that pixel."""
    position = max(distance, 0) // ONE
    weight = max(distance, 0) % ONE
    return position, weight if position + 1 < size else 0
