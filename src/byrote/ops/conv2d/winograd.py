"""Packing 3x3 convolutions for Winograd's methods in exact integers (kernels/winograd*.h)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from byrote.ir import DType, Requant
from byrote.ir.fixedpoint import Ints
from byrote.ir.op import Array
from byrote.kernel import Kernel, Layout, Lowered, NodeView, Storage, Table, Work
from byrote.ops.conv2d import winograd_work
from byrote.ops.conv2d.op import Conv2D
from byrote.ops.dsp_output import FORMS, DspOutput, Sums, Target, dsp_output, results_by_form
from byrote.ops.lanes import lanes, wrap

_G2: Ints = np.asarray([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], np.int64)
"""Twice the textbook's filter transform of F(2, 3), so that all numbers are integers."""

_G4: Ints = np.asarray([[6, 0, 0], [1, 1, 1], [1, -1, 1], [1, 2, 4], [1, -2, 4], [0, 0, 6]], np.int64)
"""The filter transform of F(4, 3), each line as small as it can be: the rest of the factor 24 is in the output's."""


@dataclass(frozen=True)
class Tile:
    """One of Winograd's forms: tiles of `rows` by `columns` outputs.

    `down` and `line`: the filter transforms down a column, [lines, 3], and along a row, [columns + 2, 3]; a tile of one
    row sums its lines.  The kernel forms `unit` times the true sums.
    """

    kernel: str
    rows: int
    columns: int
    down: tuple[tuple[int, ...], ...]
    line: tuple[tuple[int, ...], ...]
    unit: int

    @property
    def numbers(self) -> int:
        """Products for each tile, input and output channel."""
        return len(self.down) * len(self.line)

    @property
    def sums(self) -> int:
        """Sums for each tile and output channel."""
        return self.numbers if self.rows > 1 else len(self.line)

    def depth(self, channels: int) -> int:
        """Products in each sum."""
        return channels * self.numbers // self.sums

    @property
    def flash_factor(self) -> float:
        """Weight bytes of the transformed filters against the plain ones."""
        return self.numbers * 2 / 9

    def transform(self, weights: Ints) -> Ints:
        """[N, 3, 3, C] to the numbers of each filter, [N, lines, columns + 2, C]."""
        return np.einsum("ij,njkc,lk->nilc", np.asarray(self.down), weights, np.asarray(self.line))

    def scratch(self, channels: int) -> int:
        """Bytes: the numbers of two tiles, then a patch of input or the sums of four channels."""
        patch = (4 if self.rows > 1 else 1) * (self.columns + 2) * channels
        return 4 * self.numbers * channels + max(patch, 32 * self.sums)


def _lines(matrix: Ints) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(v) for v in line) for line in matrix)


SQUARE = Tile("winograd_dsp", 2, 2, _lines(_G2), _lines(_G2), 4)
WIDE = Tile("winograd2x4_dsp", 2, 4, _lines(_G2), _lines(_G4), 48)
ROW = Tile("winograd1x4_dsp", 1, 4, _lines(np.eye(3, dtype=np.int64)), _lines(_G4), 24)


@dataclass(frozen=True)
class Convolution:
    """A 3x3 convolution on int8 tensors and how they are stored.

    `weights`: int8 [N, 3, 3, C]; `bias`: int32 [N]; zero points and clamp are those of the int8 types.
    """

    weights: Array
    bias: Array
    requant: Requant
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: tuple[tuple[int, int], tuple[int, int]]
    input_zero: int
    output_zero: int
    clamp: tuple[int, int]
    in_width: int
    out_width: int
    input: Storage
    output: Storage

    @property
    def stored_zero(self) -> int:
        """The input's zero point as it is stored."""
        return self.input_zero + (128 if self.input.unsigned else 0)

    def stored_weights(self) -> Ints:
        """[N, 3, 3, C], both channels in the order of the storages."""
        weights = self.weights.astype(np.int64)
        if self.input.channels is not None:
            weights = weights[..., list(self.input.channels)]
        return weights if self.output.channels is None else weights[list(self.output.channels)]


def output_constants(layer: Convolution, tile: Tile) -> DspOutput | str:
    """How sums become output bytes, or why they cannot."""
    weights = layer.stored_weights()
    count = weights.shape[0]
    order = list(layer.output.channels) if layer.output.channels else list(range(count))
    pairs = [layer.requant.channel(c) for c in order]
    requant = Requant(tuple(m for m, _ in pairs), tuple(s for _, s in pairs), layer.requant.rounding)
    bias: Ints = layer.bias.astype(np.int64)[order]
    low, high = -128 - layer.input_zero, 127 - layer.input_zero
    flat = weights.reshape(count, -1)
    positive, negative = np.maximum(flat, 0).sum(1), np.minimum(flat, 0).sum(1)
    largest = np.maximum(np.abs(tile.transform(weights)).reshape(count, -1).max(1), 1)
    if largest.max() >= 2**15:
        return f"a transformed filter reaches {largest.max()}, lanes have 16 bits"
    sums = Sums(
        bias=_ints(bias - layer.stored_zero * flat.sum(1)),
        least=_ints(bias + positive * low + negative * high),
        most=_ints(bias + positive * high + negative * low),
        largest_factor=_ints(32767 // largest),
        unit=tile.unit,
    )
    return dsp_output(requant, Target.of(layer.output_zero, layer.clamp, unsigned=layer.output.unsigned), sums)


def rejects(layer: Convolution, tile: Tile) -> str | None:
    """Why the kernel cannot run the layer."""
    count, height, width, channels = layer.weights.shape
    if (height, width) != (3, 3) or layer.stride != (1, 1) or layer.dilation != (1, 1):
        return "not a dense 3x3 kernel with stride 1"
    if channels % 4 or count % 4 or min(channels, count) < 8:
        return f"{channels} input and {count} output channels, this kernel needs multiples of 4 from 8 on"
    if layer.input.layout is not Layout.HWC:
        return "the input is stored as channel planes, this kernel reads pixels"
    constants = output_constants(layer, tile)
    return constants if isinstance(constants, str) else None


def lower(layer: Convolution, tile: Tile) -> Lowered:
    """The constants of the kernel; `rejects` must have been None."""
    constants = output_constants(layer, tile)
    assert isinstance(constants, DspOutput)
    count, channels = layer.weights.shape[0], layer.weights.shape[3]
    numbers = tile.transform(layer.stored_weights()) * np.asarray(constants.factors, np.int64).reshape(-1, 1, 1, 1)
    if tile.sums < tile.numbers:
        numbers = numbers.transpose(0, 2, 1, 3)
    # Per four outputs, number, four inputs: two words of lanes for each output.
    blocks = numbers.reshape(count // 4, 4, tile.numbers, channels // 4, 4).transpose(0, 2, 3, 4, 1)
    words = np.stack((lanes(blocks[..., 0, :], blocks[..., 2, :]), lanes(blocks[..., 1, :], blocks[..., 3, :])), axis=3)
    table = np.asarray([constants.constants(c) for c in range(count)], np.int32)
    hwc = layer.output.layout is Layout.HWC
    pitch = layer.output.pitch or layer.out_width
    fields = (
        ("in_width", layer.in_width),
        ("in_channels", channels),
        ("out_width", layer.out_width),
        ("out_channels", count),
        ("pad_left", layer.padding[1][0]),
        ("depth", tile.depth(channels)),
        ("is_signed", int(not layer.input.unsigned)),
        ("zero", wrap((layer.stored_zero & 0xFF) * 0x01010101)),
        ("chunk", next(size for size in (8, 4, 2) if tile.depth(channels) // 2 % size == 0)),
        ("out_row", (layer.out_width if hwc else pitch) * count),
        ("out_plane", 1 if hwc else pitch),
        ("out_pixel", count if hwc else 1),
        ("output", constants.fields),
    )
    tables = (Table("filters", DType.INT32, words.reshape(-1)), Table("channels", DType.INT32, table.reshape(-1)))
    return Lowered("winograd_dsp", fields, tables, scratch=tile.scratch(channels))


def cost(layer: Convolution, tile: Tile, rows: int) -> int:
    """Estimated instructions for so many output rows: transforms and products of pairs of tiles."""
    count, channels = layer.weights.shape[0], layer.weights.shape[3]
    pairs = -(-rows // tile.rows) * -(-layer.out_width // (2 * tile.columns))
    products = count // 4 * tile.sums * (7 * tile.depth(channels) + 24)
    transforms = (7 * tile.numbers // 2 - 6) * channels + (5 * tile.sums - 4 + 10 * (2 - tile.rows)) * count
    return pairs * (2 * transforms + products) + 100


def _ints(values: Ints) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


def _layer(view: NodeView) -> Convolution:
    op = view.op
    assert isinstance(op, Conv2D)
    return Convolution(
        weights=view.constant(1),
        bias=view.constant(2),
        requant=op.requant,
        stride=op.stride,
        dilation=op.dilation,
        padding=op.padding,
        input_zero=op.input_zero,
        output_zero=op.output.zero_point,
        clamp=op.clamp,
        in_width=view.input_type(0).shape[2],
        out_width=view.output_type().shape[2],
        input=view.inputs[0],
        output=view.outputs[0],
    )


def _grouped(view: NodeView) -> bool:
    return view.input_type(0).shape[3] != view.constant(1).shape[3]


def _variant(view: NodeView, tile: Tile) -> str:
    """What the constants make of the inner loop."""
    depth = tile.depth(view.input_type(0).shape[3])
    chunk = next((size for size in (8, 4, 2) if depth // 2 % size == 0), 0)
    return f"{'one turn' if 2 * chunk == depth else 'turns'} of {chunk}"


def _kernel(tile: Tile) -> Kernel:
    def why_not(view: NodeView) -> str | None:
        if _grouped(view):
            return "a grouped convolution"
        return rejects(_layer(view), tile)

    def count(view: NodeView, rows: int) -> tuple[float, ...]:
        other = _grouped(view) or view.constant(1).shape[1:3] != (3, 3)
        constants = "-" if other else output_constants(_layer(view), tile)
        results = winograd_work.results(view, rows, tile.rows, tile.columns)
        counts = winograd_work.count(view, rows, tile.rows, tile.columns, tile.sums)
        return (*counts, *results_by_form(constants, results))

    return Kernel(
        tile.kernel,
        Conv2D,
        f"ops/conv2d/kernels/{tile.kernel}.h",
        lambda view: lower(_layer(view), tile),
        rejects=why_not,
        needs=frozenset({"dsp"}),
        stores=lambda view: view.inputs[0].layout is Layout.HWC,
        cost=lambda view, rows: cost(_layer(view), tile, rows),
        work=Work((*winograd_work.FEATURES, *FORMS), count, lambda view: _variant(view, tile)),
        block=tile.rows,
    )


KERNELS = tuple(_kernel(tile) for tile in (SQUARE, WIDE, ROW))
