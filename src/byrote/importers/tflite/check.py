"""What must hold of the records of a file before any operator is interpreted; every problem is collected."""

from __future__ import annotations

import math
from collections.abc import Iterator

from byrote.importers.tflite.raw import RawModel, RawTensor
from byrote.ir import Problem

LARGEST_TENSOR = 16 << 20
MOST_ROWS = 1 << 16
REMEDY = "export the model again"


def check(model: RawModel) -> list[Problem]:
    """All problems of tensors, references and order; empty if the file is sound."""
    problems = [problem for tensor in model.tensors for problem in _tensor(model, tensor)]
    problems += _references(model)
    constants = sum(math.prod(t.shape) for t in model.tensors if not problems and has_data(model, t))
    if constants > (64 << 20):
        problems.append(Problem("the constants", f"they have {constants} elements, more than {64 << 20}"))
    return problems or list(_single_assignment(model))


def has_data(model: RawModel, tensor: RawTensor) -> bool:
    """Whether it is a constant."""
    return bool(model.buffers) and model.buffers[tensor.buffer] is not None


def place(tensor: RawTensor) -> str:
    """How messages name a tensor."""
    return f"tensor {tensor.index} {tensor.name[:80]!r}"


def _tensor(model: RawModel, tensor: RawTensor) -> Iterator[Problem]:
    where = place(tensor)
    if any(d < 1 for d in tensor.shape):
        yield Problem(where, f"shape {list(tensor.shape)} has a dimension below 1", "export it with a static shape")
        return
    if len(tensor.shape) > 8:
        yield Problem(where, f"rank {len(tensor.shape)} is more than 8")
        return
    elements = math.prod(tensor.shape)
    if elements > LARGEST_TENSOR:
        yield Problem(where, f"shape {list(tensor.shape)} has {elements} elements, more than {LARGEST_TENSOR}")
        return
    if len(tensor.shape) > 1 and math.prod(tensor.shape[: max(1, len(tensor.shape) - 2)]) > MOST_ROWS:
        yield Problem(where, f"shape {list(tensor.shape)} has more than {MOST_ROWS} rows")
        return
    if not 0 <= tensor.buffer < max(1, len(model.buffers)):
        yield Problem(where, f"buffer index {tensor.buffer} is out of range, there are {len(model.buffers)}", REMEDY)
        return
    data = model.buffers[tensor.buffer] if model.buffers else None
    if data is not None and tensor.dtype is not None and data.size != elements * tensor.dtype.size:
        yield Problem(
            where,
            f"shape {list(tensor.shape)} needs {elements * tensor.dtype.size} bytes, its buffer has {data.size}",
            REMEDY,
        )
    yield from _quantisation(tensor)


def _quantisation(tensor: RawTensor) -> Iterator[Problem]:
    where = place(tensor)
    for scale in tensor.scales:
        if not math.isfinite(scale) or scale < 0:
            yield Problem(where, f"scale {scale} is not a finite non-negative number", "calibrate the model again")
            return
    if len(tensor.zero_points) != len(tensor.scales):
        yield Problem(where, f"{len(tensor.zero_points)} zero points for {len(tensor.scales)} scales", REMEDY)
        return
    if tensor.dtype is not None and tensor.dtype.value.startswith(("int", "uint")):
        low, high = tensor.dtype.limits
        for zero in tensor.zero_points:
            if not low <= zero <= high:
                yield Problem(where, f"zero point {zero} is outside {tensor.dtype.value}", "calibrate the model again")
                return


def _references(model: RawModel) -> Iterator[Problem]:
    count = len(model.tensors)
    for what, indices in (("input", model.inputs), ("output", model.outputs)):
        if not indices:
            yield Problem("the graph", f"it has no {what}", REMEDY)
        for index in indices:
            if not 0 <= index < count:
                yield Problem(f"graph {what}", f"tensor {index} does not exist, there are {count}", REMEDY)
    for operator in model.operators:
        where = f"operator {operator.index} {operator.name}"
        for index in operator.inputs:
            if not -1 <= index < count:
                yield Problem(where, f"input tensor {index} does not exist, there are {count}", REMEDY)
        for index in operator.outputs:
            if not 0 <= index < count:
                yield Problem(where, f"output tensor {index} does not exist, there are {count}", REMEDY)


def _single_assignment(model: RawModel) -> Iterator[Problem]:
    written: dict[int, int] = {}
    for operator in model.operators:
        for index in operator.outputs:
            where = f"operator {operator.index} {operator.name}"
            tensor = model.tensors[index]
            if index in written:
                yield Problem(where, f"{place(tensor)} is already written by operator {written[index]}", REMEDY)
            elif index in model.inputs or has_data(model, tensor):
                yield Problem(where, f"it writes {place(tensor)}, which is an input or a constant", REMEDY)
            written[index] = operator.index
