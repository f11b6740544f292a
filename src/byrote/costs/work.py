"""What a kernel's instructions are proportional to, where the kernel says nothing more precise."""

from __future__ import annotations

from byrote.ir import TensorType
from byrote.kernel import Kernel, NodeView, Work


def input_calls(view: NodeView, rows: int) -> int:
    """Calls of an accumulating kernel that takes `rows` input rows at a time."""
    return -(-view.input_type(0).rows // max(rows, 1))


def pixels_of(tensor: TensorType) -> int:
    """Vectors along the last axis."""
    return tensor.elements // max(1, tensor.shape[-1] if tensor.shape else 1)


def _count(view: NodeView, rows: int) -> tuple[float, ...]:
    out = view.output_type()
    part = rows / max(out.rows, 1)
    macs = view.op.macs(view.graph.types(view.node.inputs), view.graph.types(view.node.outputs))
    return (1, rows, part * pixels_of(out), part * out.elements, part * macs)


def _count_accumulating(view: NodeView, rows: int) -> tuple[float, ...]:
    x, out = view.input_type(0), view.output_type()
    macs = view.op.macs(view.graph.types(view.node.inputs), view.graph.types(view.node.outputs))
    return (1, input_calls(view, rows), x.rows, pixels_of(x), out.elements, x.elements, macs)


GENERIC = Work(("call", "row", "pixel", "output", "product"), _count)
ACCUMULATING = Work(("layer", "call", "row", "pixel", "output", "element", "product"), _count_accumulating)


def work_of(kernel: Kernel) -> Work:
    """The kernel's own, or the generic one."""
    if kernel.work is not None:
        return kernel.work
    return ACCUMULATING if kernel.accumulates else GENERIC


def table_key(kernel: Kernel) -> str:
    """What a kernel is called in tables: operators that share a C function may use it differently."""
    together = kernel.work.name if kernel.work is not None else ""
    return f"{kernel.op.name} {together or kernel.function}"
