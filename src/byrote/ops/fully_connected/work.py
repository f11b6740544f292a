"""What the instructions of the plain FULLY_CONNECTED kernels are proportional to."""

from __future__ import annotations

from byrote.ir import Rounding
from byrote.kernel import NodeView, Work
from byrote.ops.fully_connected.op import FullyConnected


def _results(view: NodeView, results: float) -> tuple[float, float]:
    """(with two roundings, with one)."""
    op = view.op
    assert isinstance(op, FullyConnected)
    single = op.requant.rounding is Rounding.SINGLE
    return results * (not single), results * single


def _count(view: NodeView, rows: int) -> tuple[float, ...]:
    x, out = view.input_type(0), view.output_type()
    outputs, depth = view.constant(1).shape
    vectors = rows * out.row_size / outputs
    quads = vectors * -(-outputs // 4)
    parts = quads * max(1, x.rows // out.rows)
    products = _products(quads * depth, outputs)
    return (1, rows, vectors, quads, parts, *products, *_results(view, vectors * outputs))


def _products(fours: float, outputs: int) -> tuple[float, float]:
    """(four products, product): fewer than four outputs are apart."""
    return fours * (outputs >= 4), fours * outputs * (outputs < 4)


def _count_map(view: NodeView, rows: int) -> tuple[float, ...]:
    x = view.input_type(0)
    outputs, depth = view.constant(1).shape
    calls, quads = -(-x.rows // max(rows, 1)), -(-outputs // 4)
    products = _products(quads * depth, outputs)
    return (1, calls, calls * quads, x.rows, x.rows * quads, quads, *products, *_results(view, outputs))


WORK = Work(
    ("call", "row", "vector", "four outputs", "part", "four products", "product", "result", "result, one rounding"),
    _count,
)
MAP_WORK = Work(
    (
        "layer",
        "call",
        "four outputs of a call",
        "row",
        "four outputs of a row",
        "four outputs",
        "four products",
        "product",
        "result",
        "result, one rounding",
    ),
    _count_map,
)
