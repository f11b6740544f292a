"""What the instructions of Winograd's convolution are proportional to."""

from __future__ import annotations

from byrote.kernel import NodeView
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.counting import border_windows

FEATURES = ("call", "line", "pair", "tile", "input", "border input", "four channels", "product step")


def count(view: NodeView, rows: int, tile_rows: int, columns: int, sums: int) -> tuple[float, ...]:
    """Tiles of `tile_rows` x `columns` outputs: their inputs (channels) transformed, products of pairs.

    `sums` per tile and output channel; the results are apart.
    """
    op, x, out = view.op, view.input_type(0), view.output_type()
    assert isinstance(op, Conv2D)
    channels, outputs = x.shape[3], out.shape[3]
    high, wide = -(-rows // tile_rows), -(-out.shape[2] // columns)
    pairs = high * -(-out.shape[2] // (2 * columns))
    tiles = high * wide
    left = border_windows(x.shape[2], wide, columns + 2, columns, 1, op.padding[1][0])
    windows = border_windows(x.shape[1], -(-out.rows // tile_rows), tile_rows + 2, tile_rows, 1, op.padding[0][0])
    lines = windows * rows / out.rows
    border = tiles - (high - min(lines, high)) * (wide - left)
    fours = pairs * -(-outputs // 4)
    depth = channels * (3 if tile_rows == 1 else 1)
    return (1, high, pairs, tiles, tiles * channels, border * channels, fours, fours * sums * depth)


def results(view: NodeView, rows: int, tile_rows: int, columns: int) -> int:
    """Tiles times channels: so many results each."""
    out = view.output_type()
    return -(-rows // tile_rows) * -(-out.shape[2] // columns) * out.shape[3]
