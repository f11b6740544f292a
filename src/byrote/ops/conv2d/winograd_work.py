"""What the instructions of Winograd's convolution are proportional to."""

from __future__ import annotations

from byrote.kernel import NodeView
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.counting import border_windows

FEATURES = ("call", "two rows", "pair", "square", "input", "border input", "four channels", "product step")


def count(view: NodeView, rows: int) -> tuple[float, ...]:
    """Squares of 2x2 outputs: their inputs (channels) transformed, products of pairs; results are apart."""
    op, x, out = view.op, view.input_type(0), view.output_type()
    assert isinstance(op, Conv2D)
    channels, outputs = x.shape[3], out.shape[3]
    high, wide = -(-rows // 2), -(-out.shape[2] // 2)
    pairs = high * -(-out.shape[2] // 4)
    squares = high * wide
    columns = border_windows(x.shape[2], wide, 4, 2, 1, op.padding[1][0])
    lines = border_windows(x.shape[1], -(-out.rows // 2), 4, 2, 1, op.padding[0][0]) * rows / out.rows
    border = squares - (high - min(lines, high)) * (wide - columns)
    fours = pairs * -(-outputs // 4)
    steps = fours * 16 * channels
    return (1, high, pairs, squares, squares * channels, border * channels, fours, steps)


def results(view: NodeView, rows: int) -> int:
    """Squares times channels: four results each."""
    out = view.output_type()
    return -(-rows // 2) * -(-out.shape[2] // 2) * out.shape[3]
