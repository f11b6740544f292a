"""Builtin options of .tflite operators, one frozen dataclass per table of the schema.

A field's annotation says how it is stored and the schema's default (a value equal to it is left out of the file, as
converters do); its place in the class is its slot, so fields stand in the schema's order. The Python defaults are the
values that tests want most often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tflite.ActivationFunctionType import ActivationFunctionType
from tflite.Padding import Padding


@dataclass(frozen=True)
class Slot:
    """Storage of one field: the flatbuffers type ("Ints": a vector of int32), and the schema's default."""

    kind: str
    default: float = 0


Int8 = Annotated[int, Slot("Int8")]
Int32 = Annotated[int, Slot("Int32")]
Int32Or1 = Annotated[int, Slot("Int32", 1)]
Uint32 = Annotated[int, Slot("Uint32")]
Bool = Annotated[bool, Slot("Bool", False)]
BoolOrTrue = Annotated[bool, Slot("Bool", True)]
Float = Annotated[float, Slot("Float32", 0.0)]
Ints = Annotated["tuple[int, ...] | None", Slot("Ints")]
Text = Annotated["str | None", Slot("Text")]
Retired = Annotated[None, Slot("Retired")]

SAME, VALID = Padding.SAME, Padding.VALID
NONE, RELU, RELU_N1_TO_1, RELU6 = (
    ActivationFunctionType.NONE,
    ActivationFunctionType.RELU,
    ActivationFunctionType.RELU_N1_TO_1,
    ActivationFunctionType.RELU6,
)


@dataclass(frozen=True)
class Options:
    """Base of all options. The schema's union member is named like the class."""


@dataclass(frozen=True)
class Conv2DOptions(Options):
    padding: Int8 = SAME
    stride_w: Int32 = 1
    stride_h: Int32 = 1
    activation: Int8 = NONE
    dilation_w: Int32Or1 = 1
    dilation_h: Int32Or1 = 1
    quantized_bias_type: Int8 = 0


@dataclass(frozen=True)
class DepthwiseConv2DOptions(Options):
    padding: Int8 = SAME
    stride_w: Int32 = 1
    stride_h: Int32 = 1
    depth_multiplier: Int32 = 1
    activation: Int8 = NONE
    dilation_w: Int32Or1 = 1
    dilation_h: Int32Or1 = 1


@dataclass(frozen=True)
class TransposeConvOptions(Options):
    padding: Int8 = SAME
    stride_w: Int32 = 1
    stride_h: Int32 = 1
    activation: Int8 = NONE
    quantized_bias_type: Int8 = 0


@dataclass(frozen=True)
class Pool2DOptions(Options):
    padding: Int8 = VALID
    stride_w: Int32 = 1
    stride_h: Int32 = 1
    filter_width: Int32 = 1
    filter_height: Int32 = 1
    activation: Int8 = NONE


@dataclass(frozen=True)
class FullyConnectedOptions(Options):
    activation: Int8 = NONE
    weights_format: Int8 = 0
    keep_num_dims: Bool = False
    asymmetric_quantize_inputs: Bool = False
    quantized_bias_type: Int8 = 0


@dataclass(frozen=True)
class BatchMatMulOptions(Options):
    adj_x: Bool = False
    adj_y: Bool = False
    asymmetric_quantize_inputs: Bool = False


@dataclass(frozen=True)
class AddOptions(Options):
    activation: Int8 = NONE
    pot_scale_int16: BoolOrTrue = True


@dataclass(frozen=True)
class SubOptions(Options):
    activation: Int8 = NONE
    pot_scale_int16: BoolOrTrue = True


@dataclass(frozen=True)
class MulOptions(Options):
    activation: Int8 = NONE


@dataclass(frozen=True)
class DivOptions(Options):
    activation: Int8 = NONE


@dataclass(frozen=True)
class L2NormOptions(Options):
    activation: Int8 = NONE


@dataclass(frozen=True)
class SoftmaxOptions(Options):
    beta: Float = 1.0


@dataclass(frozen=True)
class LeakyReluOptions(Options):
    alpha: Float = 0.0


@dataclass(frozen=True)
class ReshapeOptions(Options):
    new_shape: Ints = None


@dataclass(frozen=True)
class SqueezeOptions(Options):
    squeeze_dims: Ints = None


@dataclass(frozen=True)
class ReducerOptions(Options):
    keep_dims: Bool = False


@dataclass(frozen=True)
class ConcatenationOptions(Options):
    axis: Int32 = 0
    activation: Int8 = NONE


@dataclass(frozen=True)
class SplitOptions(Options):
    num_splits: Int32 = 0


@dataclass(frozen=True)
class SplitVOptions(Options):
    num_splits: Int32 = 0


@dataclass(frozen=True)
class PackOptions(Options):
    values_count: Int32 = 0
    axis: Int32 = 0


@dataclass(frozen=True)
class UnpackOptions(Options):
    num: Int32 = 0
    axis: Int32 = 0


@dataclass(frozen=True)
class GatherOptions(Options):
    axis: Int32 = 0
    batch_dims: Int32 = 0


@dataclass(frozen=True)
class StridedSliceOptions(Options):
    begin_mask: Int32 = 0
    end_mask: Int32 = 0
    ellipsis_mask: Int32 = 0
    new_axis_mask: Int32 = 0
    shrink_axis_mask: Int32 = 0
    offset: Bool = False


@dataclass(frozen=True)
class ResizeBilinearOptions(Options):
    new_height: Retired = None
    new_width: Retired = None
    align_corners: Bool = False
    half_pixel_centers: Bool = False


@dataclass(frozen=True)
class ResizeNearestNeighborOptions(Options):
    align_corners: Bool = False
    half_pixel_centers: Bool = False


@dataclass(frozen=True)
class ShapeOptions(Options):
    out_type: Int8 = 0


@dataclass(frozen=True)
class CastOptions(Options):
    in_data_type: Int8 = 0
    out_data_type: Int8 = 0


@dataclass(frozen=True)
class ArgMaxOptions(Options):
    output_type: Int8 = 0


@dataclass(frozen=True)
class ArgMinOptions(Options):
    output_type: Int8 = 0


@dataclass(frozen=True)
class MirrorPadOptions(Options):
    mode: Int8 = 0


@dataclass(frozen=True)
class SpaceToDepthOptions(Options):
    block_size: Int32 = 1


@dataclass(frozen=True)
class DepthToSpaceOptions(Options):
    block_size: Int32 = 1


@dataclass(frozen=True)
class SVDFOptions(Options):
    rank: Int32 = 1
    activation: Int8 = NONE
    asymmetric_quantize_inputs: Bool = False


@dataclass(frozen=True)
class UnidirectionalSequenceLSTMOptions(Options):
    activation: Int8 = NONE
    cell_clip: Float = 0.0
    projection_clip: Float = 0.0
    time_major: Bool = False
    asymmetric_quantize_inputs: Bool = False
    diagonal_recurrent_tensors: Bool = False


@dataclass(frozen=True)
class VarHandleOptions(Options):
    container: Text = None
    shared_name: Text = None


@dataclass(frozen=True)
class CallOnceOptions(Options):
    init_subgraph_index: Int32 = 0


@dataclass(frozen=True)
class IfOptions(Options):
    then_subgraph_index: Int32 = 0
    else_subgraph_index: Int32 = 0


@dataclass(frozen=True)
class WhileOptions(Options):
    cond_subgraph_index: Int32 = 0
    body_subgraph_index: Int32 = 0


@dataclass(frozen=True)
class EmptyOptions(Options):
    """A table without fields; `name` is the union member it stands for, such as "PadOptions"."""

    name: str
