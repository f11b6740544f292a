"""PAD and PADV2 as TensorFlow Lite writes them."""

from __future__ import annotations

from byrote.ir import DType
from byrote.ops.pad.op import Pad
from byrote.ops.quantized import same_quantisation
from byrote.ops.reading import OperatorView, Reading, Unreadable


def read(view: OperatorView) -> Reading:
    """PAD fills with the zero point, PADV2 with a constant."""
    x = view.input(0)
    x.require(DType.INT8)
    view.output().require(DType.INT8)
    same_quantisation(view)
    amounts = view.input(1)
    amounts.require(DType.INT32, DType.INT64)
    pairs = amounts.constant("paddings")
    if pairs.shape != (len(x.type.shape), 2):
        raise Unreadable(f"paddings {amounts.type} do not fit {x.type}")
    if pairs.min(initial=0) < 0 or pairs.max(initial=0) > 2**20:
        raise Unreadable(f"paddings {pairs.reshape(-1).tolist()} are out of range")
    padding = tuple((int(before), int(after)) for before, after in pairs)
    value = view.optional(2) if view.name == "PADV2" else None
    if value is None:
        return Reading(Pad(padding, x.zero_point), (x,))
    value.require(DType.INT8)
    data = value.constant("the value to pad with")
    if data.size != 1:
        raise Unreadable(f"the value to pad with has {data.size} elements")
    return Reading(Pad(padding, int(data.reshape(-1)[0])), (x,))
