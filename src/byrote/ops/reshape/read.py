"""RESHAPE, SQUEEZE and EXPAND_DIMS as TensorFlow Lite writes them."""

from __future__ import annotations

import math

from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.reshape.op import Reshape


def read(view: OperatorView) -> Reading:
    """The shape is the one that the file declares for the output; a constant shape or option must agree with it.

    It may be absent, in the options or a constant, with -1 for one axis; or computed, which converters do for models of
    any batch size: then the declared shape is all there is.
    """
    x, output = view.input(0), view.output()
    output.require(x.type.dtype)
    shape = output.type.shape
    if math.prod(shape) != x.type.elements:
        raise Unreadable(f"{x.type} cannot take the shape {list(shape)}")
    asked = _asked(view) if view.name == "RESHAPE" else None
    if asked is not None and not _agree(asked, shape):
        raise Unreadable(f"the shape {list(asked)} is asked for, but the output is declared as {list(shape)}")
    return Reading(Reshape(shape, output.type.quant), (x,))


def _agree(asked: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(asked) == len(shape) and all(a in (-1, n) for a, n in zip(asked, shape, strict=True))


def _asked(view: OperatorView) -> tuple[int, ...] | None:
    given = view.optional(1)
    if given is None:
        return view.options.integers("NewShape") or None
    return None if given.data is None else tuple(int(n) for n in given.data.reshape(-1))
