"""TRANSPOSE as TensorFlow Lite writes it."""

from __future__ import annotations

from byrote.ir import DType
from byrote.ops.movement import moved_type
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.reshape import Reshape
from byrote.ops.transpose.op import Transpose


def read(view: OperatorView) -> Reading:
    """A RESHAPE if the axes longer than 1 keep their order."""
    kind = moved_type(view)
    view.input(1).require(DType.INT32, DType.INT64)
    given = [int(n) for n in view.input(1).constant("permutation").reshape(-1)]
    rank = len(kind.shape)
    permutation = tuple(axis % rank for axis in given) if rank else ()
    if sorted(permutation) != list(range(rank)) or any(not -rank <= axis < rank for axis in given):
        raise Unreadable(f"{given} does not permute the axes of {kind}")
    long = [axis for axis in permutation if kind.shape[axis] > 1]
    if long == sorted(long):
        shape = tuple(kind.shape[axis] for axis in permutation)
        return Reading(Reshape(shape, kind.quant), (view.input(0),))
    return Reading(Transpose(permutation), (view.input(0),))
