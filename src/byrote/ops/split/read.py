"""SPLIT, SPLIT_V and UNPACK as TensorFlow Lite writes them: every output is a slice of its own."""

from __future__ import annotations

from byrote.ops.reading import OperatorView, Reading, TensorView, Unreadable
from byrote.ops.slice.op import Slice


def read(view: OperatorView) -> Reading:
    """One reading per output."""
    x = view.input(1 if view.name == "SPLIT" else 0)
    rank = len(x.type.shape)
    axis = _axis(view)
    if not -rank <= axis < rank:
        raise Unreadable(f"axis {axis} is not an axis of {x.type}")
    axis %= rank
    sizes = _sizes(view, x.type.shape[axis])
    if len(sizes) != len(view.outputs) or sum(sizes) != x.type.shape[axis] or min(sizes) < 1:
        raise Unreadable(f"parts of {list(sizes)} along axis {axis} of {x.type} for {len(view.outputs)} outputs")
    readings: list[Reading] = []
    start = 0
    for part, size in enumerate(sizes):
        _same(x, view.output(part))
        readings.append(Reading(_part(x, axis, start, size, drop=view.name == "UNPACK"), (x,)))
        start += size
    return Reading(readings[0].op, readings[0].inputs, tuple(readings[1:]))


def _part(x: TensorView, axis: int, start: int, size: int, *, drop: bool) -> Slice:
    shape = x.type.shape
    begin = tuple(start if a == axis else 0 for a in range(len(shape)))
    taken = tuple(size if a == axis else n for a, n in enumerate(shape))
    left = taken[:axis] + taken[axis + 1 :] if drop else taken
    return Slice(begin, taken, (1,) * len(shape), left)


def _same(x: TensorView, output: TensorView) -> None:
    output.require(x.type.dtype)
    if x.type.quant != output.type.quant:
        raise Unreadable(
            f"input {x.name!r} and output {output.name!r} have different quantisations",
            "convert the model again; this operator does not rescale",
        )


def _axis(view: OperatorView) -> int:
    if view.name == "UNPACK":
        return view.options.integer("Axis")
    given = view.input(0 if view.name == "SPLIT" else 2)
    data = given.constant("axis").reshape(-1)
    if data.size != 1:
        raise Unreadable(f"axis {given.name!r} has {data.size} elements")
    return int(data[0])


def _sizes(view: OperatorView, length: int) -> tuple[int, ...]:
    """Elements of each part along the axis."""
    count = len(view.outputs)
    if view.name == "UNPACK":
        return (1,) * length
    if view.name == "SPLIT":
        return (length // count,) * count
    sizes = tuple(int(n) for n in view.input(1).constant("sizes").reshape(-1))
    rest = length - sum(size for size in sizes if size >= 0)
    return tuple(rest if size == -1 else size for size in sizes)
