"""Packing depthwise convolutions for the kernels of the DSP extension."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from byrote.ir import DType, Requant
from byrote.ir.fixedpoint import Ints
from byrote.ir.op import Array
from byrote.kernel import Layout, Lowered, NodeView, Storage, Table
from byrote.ops.depthwise_conv2d.op import DepthwiseConv2D
from byrote.ops.dsp_output import DspOutput, Sums, Target, dsp_output
from byrote.ops.lanes import lanes, wrap

Padding = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Depthwise:
    """A depthwise convolution of multiplier 1 on int8 tensors and how they are stored.

    `weights`: int8 [kh, kw, C]; `bias`: int32 [C]; zero points and clamp are those of the int8 types.
    """

    weights: Array
    bias: Array
    requant: Requant
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: Padding
    input_zero: int
    output_zero: int
    clamp: tuple[int, int]
    in_width: int
    out_width: int
    input: Storage
    output: Storage

    @property
    def channels(self) -> int:
        return self.weights.shape[2]

    @property
    def stored_zero(self) -> int:
        """The input's zero point as it is stored."""
        return self.input_zero + (128 if self.input.unsigned else 0)

    def stored_weights(self) -> npt.NDArray[np.int64]:
        """[kh, kw, C] in the order of the stored channels."""
        order = self.input.channels
        weights = self.weights.astype(np.int64)
        return weights if order is None else weights[:, :, list(order)]

    def out_strides(self) -> tuple[int, int, int]:
        """Bytes from row to row, channel to channel, column to column of the output."""
        if self.output.layout is Layout.HWC:
            return self.out_width * self.channels, 1, self.channels
        pitch = self.output.pitch or self.out_width
        return self.channels * pitch, pitch, 1


def layer_of(view: NodeView) -> Depthwise:
    """The layer of a node."""
    op, x = view.op, view.input_type(0)
    assert isinstance(op, DepthwiseConv2D)
    return Depthwise(
        weights=view.constant(1)[0],
        bias=view.constant(2),
        requant=op.requant,
        stride=op.stride,
        dilation=op.dilation,
        padding=op.padding,
        input_zero=op.input_zero,
        output_zero=op.output.zero_point,
        clamp=op.clamp,
        in_width=x.shape[2],
        out_width=view.output_type().shape[2],
        input=view.inputs[0],
        output=view.outputs[0],
    )


def sums(layer: Depthwise) -> Sums:
    """Bounds of the sums of all windows, clipped ones too: a missing tap is a tap that sees the zero point."""
    weights = layer.stored_weights().reshape(-1, layer.channels)
    order = list(layer.input.channels) if layer.input.channels else list(range(layer.channels))
    bias: Ints = layer.bias.astype(np.int64)[order]
    low, high = -128 - layer.input_zero, 127 - layer.input_zero
    positive, negative = np.maximum(weights, 0).sum(0), np.minimum(weights, 0).sum(0)
    largest = np.maximum(np.abs(weights).max(0), 1)
    return Sums(
        bias=_ints(bias - layer.stored_zero * weights.sum(0)),
        least=_ints(bias + positive * low + negative * high),
        most=_ints(bias + positive * high + negative * low),
        largest_factor=_ints(32767 // largest),
    )


def output_constants(layer: Depthwise) -> DspOutput | str:
    """How sums become output bytes, or why they cannot."""
    order = layer.input.channels
    requant = layer.requant
    if order is not None and len(requant.multipliers) > 1:
        pairs = [requant.channel(c) for c in order]
        requant = Requant(tuple(m for m, _ in pairs), tuple(s for _, s in pairs), requant.rounding)
    target = Target.of(layer.output_zero, layer.clamp, unsigned=layer.output.unsigned)
    return dsp_output(requant, target, sums(layer))


def rejects(layer: Depthwise) -> str | None:
    """Why depthwise_dsp cannot run the layer."""
    if layer.input.layout is not Layout.HWC:
        return "the input is stored as channel planes, this kernel reads pixels"
    if layer.input.channels != layer.output.channels:
        return "input and output store their channels in different orders"
    constants = output_constants(layer)
    return constants if isinstance(constants, str) else None


def lower(layer: Depthwise) -> Lowered:
    """depthwise_dsp.h; `rejects` must have been None."""
    constants = output_constants(layer)
    assert isinstance(constants, DspOutput)
    kernel_h, kernel_w, channels = layer.weights.shape
    padded = -(-channels // 4) * 4
    scaled = np.zeros((kernel_h * kernel_w, padded), np.int64)
    scaled[:, :channels] = layer.stored_weights().reshape(-1, channels) * np.asarray(constants.factors, np.int64)
    quads = scaled.reshape(-1, padded // 4, 4).transpose(1, 0, 2)
    words = np.stack((lanes(quads[..., 0], quads[..., 2]), lanes(quads[..., 1], quads[..., 3])), axis=-1)
    record = len(constants.constants(0))
    table = np.zeros((padded, record), np.int32)
    table[:channels] = [constants.constants(c) for c in range(channels)]
    row, plane, pixel = layer.out_strides()
    fields = (
        ("in_width", layer.in_width),
        ("out_width", layer.out_width),
        ("channels", channels),
        ("kernel_h", kernel_h),
        ("kernel_w", kernel_w),
        ("stride_h", layer.stride[0]),
        ("stride_w", layer.stride[1]),
        ("dilation_h", layer.dilation[0]),
        ("dilation_w", layer.dilation[1]),
        ("pad_left", layer.padding[1][0]),
        ("is_signed", int(not layer.input.unsigned)),
        ("zero", wrap((layer.stored_zero & 0xFF) * 0x01010101)),
        ("out_row", row),
        ("out_plane", plane),
        ("out_pixel", pixel),
        ("output", constants.fields),
    )
    tables = (Table("weights", DType.INT32, words.reshape(-1)), Table("channels", DType.INT32, table.reshape(-1)))
    return Lowered("depthwise_dsp", fields, tables, overread=padded - channels)


def rejects3x3(layer: Depthwise) -> str | None:
    """Why depthwise3x3_dsp cannot run the layer."""
    if layer.weights.shape[:2] != (3, 3) or layer.dilation != (1, 1):
        return "not a dense 3x3 kernel"
    if layer.stride not in ((1, 1), (2, 2)):
        return f"stride {layer.stride[0]}x{layer.stride[1]}, this kernel does 1x1 and 2x2"
    if layer.input.layout is not Layout.HCW or not layer.input.unsigned:
        return "the input is not stored as unsigned channel planes"
    if max(max(layer.padding)) > 1:
        return "more than one row or column of padding on a side"
    if max(max(layer.padding)) and layer.stored_zero:
        return f"padding with the zero point {layer.input_zero}, this kernel pads with -128 only"
    if layer.input.channels != layer.output.channels:
        return "input and output store their channels in different orders"
    constants = output_constants(layer)
    return constants if isinstance(constants, str) else None


def lower3x3(layer: Depthwise) -> Lowered:
    """depthwise3x3_dsp.h; `rejects3x3` must have been None."""
    constants = output_constants(layer)
    assert isinstance(constants, DspOutput)
    scaled = layer.stored_weights() * np.asarray(constants.factors, np.int64)
    zeros = np.zeros_like(scaled[0, 1])
    sides = [lanes(scaled[ky, 0], scaled[ky, 2]) for ky in range(3)]
    middles = [lanes(scaled[0, 1], scaled[1, 1]), lanes(scaled[2, 1], zeros)]
    rest = np.asarray([constants.constants(c) for c in range(layer.channels)], np.int32)
    table = np.concatenate([np.stack([*sides, *middles], axis=1), rest], axis=1)
    pitch = layer.input.pitch or layer.in_width
    row, plane, pixel = layer.out_strides()
    fields = (
        ("width", layer.in_width),
        ("channels", layer.channels),
        ("stride", layer.stride[0]),
        ("left", layer.padding[1][0]),
        ("in_row", layer.channels * pitch),
        ("in_plane", pitch),
        ("out_width", layer.out_width),
        ("out_row", row),
        ("out_plane", plane),
        ("out_pixel", pixel),
        ("output", constants.fields),
    )
    tables = (Table("channels", DType.INT32, table.reshape(-1)),)
    return Lowered("depthwise3x3_dsp", fields, tables, overread=max(_last_word(layer) + 4 - pitch, 0))


def costs(layer: Depthwise, rows: int) -> int:
    """Estimated instructions of depthwise_dsp for so many output rows."""
    taps = layer.weights.shape[0] * layer.weights.shape[1]
    results = rows * layer.out_width * layer.channels
    return (10 * taps + 45) * results // 4 + 100


def costs3x3(layer: Depthwise, rows: int) -> int:
    """Estimated instructions of depthwise3x3_dsp: fewer rows at a time reload more."""
    results = rows * layer.out_width * layer.channels
    per_result = 13 + 3 // rows if layer.stride[0] == 1 else 15 + 4 // rows
    return results * per_result + 12 * layer.channels


def _last_word(layer: Depthwise) -> int:
    """Column of the last word that is loaded."""
    if layer.stride[0] == 2:
        return (layer.out_width - 1) // 2 * 4
    return max(layer.in_width - (3 if layer.in_width % 2 else 4), 0)


def _ints(values: Ints) -> tuple[int, ...]:
    return tuple(int(v) for v in values)
