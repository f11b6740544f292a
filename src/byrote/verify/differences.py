"""Which tensor is the first that the C computes differently from the operators' definitions.

The program is built once more with a call after each kernel that hands over the rows just completed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from byrote.ir import Array, Graph, TensorId
from byrote.ir.interpret import interpret
from byrote.kernel import Layout
from byrote.result import Result
from byrote.verify.host import HostModel
from byrote.verify.inputs import Inputs
from byrote.verify.outcome import Difference


def differences(a: Inputs, b: Inputs) -> int:
    """Number of elements that differ."""
    return sum(int(np.count_nonzero(bits(x) != bits(y))) for x, y in zip(a, b, strict=True))


def bits(value: Array) -> Array:
    """Floats are compared by their bits."""
    return np.ascontiguousarray(value).view(np.int32) if value.dtype == np.float32 else value


def first_on_host(result: Result, inputs: Inputs, folder: Path) -> Difference | None:
    """The first wrong tensor on this computer; None if the traced program makes none."""
    host = HostModel(result, folder, traced=True)
    trace = host.trace(host.arena(), inputs)
    return first_difference(result, inputs, trace.tensors, "C on this computer")


def first_difference(
    result: Result, inputs: Inputs, stored: Mapping[TensorId, bytes | bytearray], where: str
) -> Difference | None:
    """Compare all computed tensors, in order of execution, with their stored bytes."""
    graph = result.graph
    values = interpret(graph, inputs)
    for index in result.schedule.order:
        node = graph.nodes[index]
        for tensor in node.outputs if not node.op.is_view else ():
            found = logical(result, tensor, bytes(stored[tensor]))
            wrong = np.flatnonzero(bits(found).reshape(-1) != bits(values[tensor]).reshape(-1))
            if wrong.size:
                return _difference(graph, where, index, tensor, values[tensor], found, wrong)
    return None


def _difference(
    graph: Graph, where: str, node: int, tensor: TensorId, expected: Array, found: Array, wrong: Array
) -> Difference:
    first = int(wrong.reshape(-1)[0])
    origin = graph.tensors[tensor].origin
    return Difference(
        where=where,
        tensor=f"{origin.index} {origin.name}",
        node=f"{graph.nodes[node].op.name} {graph.nodes[node].origin.name}",
        index=first,
        expected=int(expected.reshape(-1)[first]),
        found=int(found.reshape(-1)[first]),
        count=int(wrong.size),
    )


def logical(result: Result, tensor: TensorId, stored: bytes) -> Array:
    """A tensor's values from its bytes as stored."""
    kind, storage = result.graph.tensors[tensor].type, result.selection.storages[tensor]
    raw = np.frombuffer(stored, np.uint8 if storage.unsigned else kind.dtype.value)
    if storage.layout is Layout.HCW:
        width, channels = kind.shape[-2], kind.shape[-1]
        pitch = storage.pitch or width
        raw = raw.reshape(-1, channels, pitch)[:, :, :width].transpose(0, 2, 1)
    values = raw.reshape(kind.shape)
    if storage.unsigned:
        values = (values.astype(np.int16) - 128).astype(np.int8)
    if storage.channels is not None:
        ordered = np.empty_like(values)
        ordered[..., list(storage.channels)] = values
        values = ordered
    return values
