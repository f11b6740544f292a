"""SLICE as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType
from byrote.ops.movement import moved_type
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.slice.op import Slice


def read(view: OperatorView) -> Reading:
    """A size of -1 reaches to the end."""
    kind = moved_type(view)
    found: list[tuple[int, ...]] = []
    for index, what in ((1, "begin"), (2, "size")):
        view.input(index).require(DType.INT32, DType.INT64)
        found.append(tuple(int(n) for n in view.input(index).constant(what).reshape(-1)))
    begin, asked = found
    if not len(begin) == len(asked) == len(kind.shape):
        raise Unreadable(f"begin {list(begin)} and size {list(asked)} do not fit {kind}")
    size = tuple(n - b if a == -1 else a for a, b, n in zip(asked, begin, kind.shape, strict=True))
    return Reading(Slice(begin, size, (1,) * len(begin), size), (view.input(0),))
