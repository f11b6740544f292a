"""CONCATENATION and PACK as TensorFlow Lite writes them."""

from __future__ import annotations

from byrote.ops.concatenation.op import Concatenation
from byrote.ops.movement import moved_type
from byrote.ops.quantized import activation_clamp
from byrote.ops.reading import OperatorView, Reading, Unreadable
from byrote.ops.reshape import Reshape


def read(view: OperatorView) -> Reading:
    """Inputs of one quantisation: the engine of the profile does not rescale int8 here."""
    inputs = tuple(view.input(index) for index in range(len(view.inputs)))
    kinds = [moved_type(view, index) for index in range(len(inputs))]
    if not inputs:
        raise Unreadable("there are no inputs")
    output = view.output()
    rank = len(kinds[0].shape) + (view.name == "PACK")
    axis = view.options.integer("Axis")
    if not -rank <= axis < rank:
        raise Unreadable(f"axis {axis} is not an axis of a tensor of rank {rank}")
    axis %= rank
    shapes = [(*k.shape[:axis], 1, *k.shape[axis:]) if view.name == "PACK" else k.shape for k in kinds]
    if any(s[:axis] + s[axis + 1 :] != shapes[0][:axis] + shapes[0][axis + 1 :] for s in shapes):
        raise Unreadable(f"{', '.join(map(str, kinds))} differ along other axes than {axis}")
    code = view.options.integer("FusedActivationFunction") if view.name == "CONCATENATION" else 0
    if code and activation_clamp(code, output.quant) != (-128, 127):
        raise Unreadable("a fused activation clamps the result", "apply it before")
    shape = (*shapes[0][:axis], sum(s[axis] for s in shapes), *shapes[0][axis + 1 :])
    if len(inputs) == 1:
        return Reading(Reshape(shape, output.type.quant), inputs)
    return Reading(Concatenation(axis, shape), inputs)
