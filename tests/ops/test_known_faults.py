"""Faults that people met elsewhere, one operator each: the smallest case that shows it and the right value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from byrote.ir import DType, Quant
from byrote.ops import OperatorView, TensorView, Unreadable
from byrote.ops.case import GivenOptions, case, constant, options, per_tensor, tensor
from tests.support.single import Array, Tflm, by_reference, operator_of, random_arrays

RNG = np.random.default_rng(2024)


def int8(values: npt.ArrayLike, shape: Sequence[int] | None = None) -> Array:
    array = np.asarray(values, np.int8)
    return array if shape is None else array.reshape(tuple(shape))


def conv_options(stride: int = 1, dilation: int = 1, padding: int = 0, multiplier: int | None = None) -> GivenOptions:
    given = options(
        StrideH=stride,
        StrideW=stride,
        DilationHFactor=dilation,
        DilationWFactor=dilation,
        Padding=padding,
        FusedActivationFunction=0,
    )
    return given if multiplier is None else GivenOptions((*given.entries, ("DepthMultiplier", multiplier)))


def weighted(name: str, x: TensorView, shape: Sequence[int], out: Sequence[int], given: GivenOptions) -> OperatorView:
    """Random weights and bias, per-tensor scales."""
    channels = out[-1]
    weights = constant(int8(RNG.integers(-128, 128, shape)), per_tensor(0.01))
    bias = constant(RNG.integers(-2000, 2000, channels).astype(np.int32), per_tensor(x.scale * 0.01))
    return case(name, (x, weights, bias), (tensor(out, per_tensor(0.3, 4)),), given)


def check_against_tflm(view: OperatorView) -> None:
    engine = Tflm(view)
    for extreme in (False, True):
        arrays = random_arrays(view, RNG, extreme)
        np.testing.assert_array_equal(by_reference(view, arrays)[0], engine(arrays)[0])


def test_sum_with_an_output_scale_far_below_those_of_the_operands() -> None:
    """Saturates instead of aborting."""
    a, b = (tensor((3,), per_tensor(0.1)) for _ in range(2))
    view = case("ADD", (a, b), (tensor((3,), per_tensor(0.001, 5)),), options(FusedActivationFunction=0))
    result = by_reference(view, (int8([1, 0, -1]), int8([1, 0, -1])))[0]
    assert result.tolist() == [127, 5, -128]


def test_sum_with_a_hopeless_output_scale_is_refused() -> None:
    a, b = (tensor((3,), per_tensor(1.0)) for _ in range(2))
    view = case("ADD", (a, b), (tensor((3,), per_tensor(1e-8)),), options(FusedActivationFunction=0))
    with pytest.raises(Unreadable, match="output scale 1e-08 is too small for operands of scale 1 and 1"):
        operator_of("ADD").read(view)


def test_residual_sum_of_different_scales() -> None:
    a, b = tensor((1, 4, 4, 8), per_tensor(0.052, -3)), tensor((1, 4, 4, 8), per_tensor(0.099, 11))
    view = case("ADD", (a, b), (tensor((1, 4, 4, 8), per_tensor(0.049, -128)),), options(FusedActivationFunction=1))
    x, y = random_arrays(view, RNG)
    real = 0.052 * (x.astype(float) + 3) + 0.099 * (y.astype(float) - 11)
    ideal = np.clip(np.round(real / 0.049) - 128, -128, 127)
    assert np.abs(by_reference(view, (x, y))[0].astype(float) - ideal).max() <= 1
    check_against_tflm(view)


@pytest.mark.parametrize("scale", [0.01, 0.0001])
def test_broadcast_product_with_a_factor_above_1(scale: float) -> None:
    a, b, out = per_tensor(0.1), per_tensor(0.2), per_tensor(scale)
    given = options(FusedActivationFunction=0)
    small = case("MUL", (tensor((2,), a), tensor((1,), b)), (tensor((2,), out),), given)
    equal = case("MUL", (tensor((2,), a), tensor((2,), b)), (tensor((2,), out),), given)
    x = int8([3, -2])
    stretched = by_reference(small, (x, int8([5])))[0]
    np.testing.assert_array_equal(stretched, by_reference(equal, (x, int8([5, 5])))[0])
    np.testing.assert_array_equal(stretched, Tflm(small)((x, int8([5])))[0])


def test_product_of_shapes_of_different_rank() -> None:
    given = options(FusedActivationFunction=0)
    a, b = tensor((1, 1, 13), per_tensor(0.1, 3)), tensor((13,), per_tensor(0.2, -7))
    check_against_tflm(case("MUL", (a, b), (tensor((1, 1, 13), per_tensor(0.9)),), given))


def test_leaky_relu_of_different_scales() -> None:
    x, out = tensor((256,), per_tensor(0.0473, 9)), tensor((256,), per_tensor(0.031, -4))
    view = case("LEAKY_RELU", (x,), (out,), options(Alpha=float(np.float32(0.1))))
    every = (np.arange(-128, 128).astype(np.int8),)
    result = by_reference(view, every)[0]
    real = 0.0473 * (np.arange(-128, 128) - 9)
    ideal = np.clip(np.round(np.where(real < 0, 0.1 * real, real) / 0.031) - 4, -128, 127)
    assert np.abs(result.astype(float) - ideal).max() <= 1
    np.testing.assert_array_equal(result, Tflm(view)(every)[0])


@pytest.mark.parametrize("values", [[-128, -128], [127, -127], [-128, 127], [127, 127]])
def test_average_of_extremes(values: list[int]) -> None:
    quant = per_tensor(0.05, 1)
    given = options(FilterHeight=5, FilterWidth=5, StrideH=5, StrideW=5, Padding=1, FusedActivationFunction=0)
    view = case("AVERAGE_POOL_2D", (tensor((1, 25, 5, 64), quant),), (tensor((1, 5, 1, 64), quant),), given)
    x = int8(np.tile(values, 25 * 5 * 32), (1, 25, 5, 64))
    result = by_reference(view, (x,))[0]
    assert result.min() == min(values)
    assert result.max() == max(values)
    np.testing.assert_array_equal(result, Tflm(view)((x,))[0])


def test_strided_convolution_pads_below_and_to_the_right() -> None:
    x = tensor((1, 8, 8, 8), per_tensor(0.05, -20))
    check_against_tflm(weighted("CONV_2D", x, (4, 3, 3, 8), (1, 4, 4, 4), conv_options(stride=2)))


def test_dilated_depthwise_convolution() -> None:
    x = tensor((1, 9, 9, 6), per_tensor(0.05, -20))
    check_against_tflm(weighted("DEPTHWISE_CONV_2D", x, (1, 3, 3, 6), (1, 9, 9, 6), conv_options(1, 2, 0, 1)))


def test_grouped_convolution() -> None:
    x = tensor((1, 5, 5, 8), per_tensor(0.05, -20))
    check_against_tflm(weighted("CONV_2D", x, (6, 3, 3, 4), (1, 5, 5, 6), conv_options()))


def test_fully_connected_flattens_a_map() -> None:
    x = tensor((1, 5, 3, 4), per_tensor(0.05, 17))
    given = options(FusedActivationFunction=0, KeepNumDims=0)
    check_against_tflm(weighted("FULLY_CONNECTED", x, (7, 60), (1, 7), given))


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 4), (1, 2, 3, 4, 5)])
def test_pad_of_any_rank(shape: tuple[int, ...]) -> None:
    quant = per_tensor(0.1, 7)
    amounts = np.asarray([(i % 2, (i + 1) % 3) for i in range(len(shape))], np.int32)
    target = tuple(int(n + a + b) for n, (a, b) in zip(shape, amounts, strict=True))
    view = case("PAD", (tensor(shape, quant), constant(amounts)), (tensor(target, quant),))
    x = random_arrays(view, RNG)
    result = by_reference(view, x)[0]
    np.testing.assert_array_equal(result, np.pad(x[0], amounts, constant_values=7))


def test_minimum_of_vectors() -> None:
    quant = per_tensor(0.1, 7)
    check_against_tflm(case("MINIMUM", (tensor((5,), quant), tensor((5,), quant)), (tensor((5,), quant),)))


@pytest.mark.parametrize(
    ("shape", "masks", "begin", "end", "stride", "wanted"),
    [
        ((2, 3, 4), {"ShrinkAxisMask": 1}, (1, 0, 0), (2, 3, 4), (1, 1, 1), np.s_[1]),
        ((2, 3, 4), {"EllipsisMask": 1}, (0, 1), (0, 3), (1, 1), np.s_[..., 1:3]),
        ((2, 3, 4), {"EllipsisMask": 2, "ShrinkAxisMask": 4}, (1, 0, 2), (2, 0, 3), (1, 1, 1), np.s_[1:2, ..., 2]),
        ((2, 3, 4), {"NewAxisMask": 2}, (0, 0, 1), (2, 0, 3), (1, 1, 1), np.s_[0:2, None, 1:3]),
        ((7,), {"BeginMask": 1, "EndMask": 1}, (0,), (0,), (-1,), np.s_[::-1]),
        ((7,), {}, (-3,), (100,), (2,), np.s_[-3:100:2]),
        ((7,), {"Offset": 1}, (2,), (3,), (1,), np.s_[2:5]),
    ],
)
def test_strided_slices(
    shape: tuple[int, ...],
    masks: dict[str, int],
    begin: tuple[int, ...],
    end: tuple[int, ...],
    stride: tuple[int, ...],
    wanted: tuple[slice, ...],
) -> None:
    x = int8(np.arange(np.prod(shape)), shape)
    quant = per_tensor(0.1)
    bounds = [constant(np.asarray(v, np.int32)) for v in (begin, end, stride)]
    view = case("STRIDED_SLICE", (tensor(shape, quant), *bounds), (tensor(x[wanted].shape, quant),), options(**masks))
    np.testing.assert_array_equal(by_reference(view, (x,))[0], x[wanted])


def test_strided_slice_of_a_shape() -> None:
    """The arithmetic of shapes that converters leave behind."""
    bounds = [constant(np.asarray([n], np.int32)) for n in (0, 1, 1)]
    given = options(ShrinkAxisMask=1)
    out = tensor((), None, DType.INT32)
    view = case("STRIDED_SLICE", (tensor((4,), None, DType.INT32), *bounds), (out,), given)
    assert by_reference(view, (np.asarray([1, 8, 8, 3], np.int32),))[0].tolist() == 1


def refused(view: OperatorView, sentence: str) -> None:
    with pytest.raises(Unreadable, match=sentence):
        operator_of(view.name).read(view)


def test_concatenation_never_copies_across_scales() -> None:
    a, b = tensor((1, 4), per_tensor(0.1)), tensor((1, 4), per_tensor(0.2))
    refused(
        case("CONCATENATION", (a, b), (tensor((1, 8), per_tensor(0.1)),), options(Axis=1)),
        "input 'input1' has scale 0.2 and zero point 0, the output scale 0.1 and zero point 0; they have to be equal",
    )


def test_extremes_never_compare_across_scales() -> None:
    a, b = tensor((4,), per_tensor(0.1)), tensor((4,), per_tensor(0.2))
    refused(case("MAXIMUM", (a, b), (tensor((4,), per_tensor(0.1)),)), "they have to be equal")


def test_pools_do_not_rescale() -> None:
    given = options(FilterHeight=1, FilterWidth=1, StrideH=1, StrideW=1)
    x, out = tensor((1, 2, 2, 1), per_tensor(0.1)), tensor((1, 2, 2, 1), per_tensor(0.1, 1))
    refused(case("MAX_POOL_2D", (x,), (out,), given), "zero point 1, the input 0.1 and 0; they have to be equal")


FC = weighted(
    "FULLY_CONNECTED",
    tensor((1, 4), per_tensor(0.1)),
    (2, 4),
    (1, 2),
    options(FusedActivationFunction=0, KeepNumDims=0),
)


def test_output_of_16_bits_is_refused() -> None:
    refused(replace(FC, outputs=(tensor((1, 2), per_tensor(0.1), DType.INT16),)), "is int16, supported here is int8")


def test_weights_with_a_zero_point_are_refused() -> None:
    weights = FC.inputs[1]
    assert weights is not None
    odd = replace(weights, type=replace(weights.type, quant=Quant((0.01,), (5,))))
    refused(replace(FC, inputs=(FC.inputs[0], odd, FC.inputs[2])), "have zero point 5, only 0 is supported")


def test_weights_that_are_computed_are_refused() -> None:
    weights = FC.inputs[1]
    assert weights is not None
    odd = replace(weights, data=None)
    refused(replace(FC, inputs=(FC.inputs[0], odd, FC.inputs[2])), "is computed, it has to be a constant")


def test_bias_of_another_length_is_refused() -> None:
    bias = constant(np.zeros(3, np.int32))
    refused(replace(FC, inputs=(*FC.inputs[:2], bias)), "has 3 elements for 2 output channels")


def test_an_activation_that_is_not_supported_is_refused() -> None:
    refused(replace(FC, options=options(FusedActivationFunction=4)), "fused activation TANH is not supported")


def test_softmax_of_another_output_scale_is_refused() -> None:
    view = case("SOFTMAX", (tensor((1, 4), per_tensor(0.1)),), (tensor((1, 4), per_tensor(0.1)),), options(Beta=1.0))
    refused(view, "the output has scale 0.1 and zero point 0, SOFTMAX gives 1/256 and -128")


def test_a_resize_that_reads_beyond_its_input_is_refused() -> None:
    """With steps of 16/1024 the 66th pixel lies behind the only one; other engines blend what is there in memory."""
    quant, size = per_tensor(0.1), constant(np.asarray([66, 1], np.int32))
    view = case("RESIZE_BILINEAR", (tensor((1, 1, 1, 1), quant), size), (tensor((1, 66, 1, 1), quant),), options())
    refused(view, "from 1 to 66 pixels, rounded steps of 16/1024 lead out of the input")


def test_a_dead_channel_gives_the_zero_point() -> None:
    weights = constant(int8([[1, 2], [3, 4]]), Quant((0.5, 0.0), (0, 0)))
    view = case(
        "FULLY_CONNECTED",
        (tensor((1, 2), per_tensor(0.1)), weights, constant(np.asarray([0, 77], np.int32))),
        (tensor((1, 2), per_tensor(0.1, 9)),),
        options(FusedActivationFunction=0, KeepNumDims=0),
    )
    assert by_reference(view, (int8([[1, 1]]),))[0].tolist() == [[11, 9]]


def test_reshape_without_options_or_shape() -> None:
    quant = per_tensor(0.1)
    view = case("RESHAPE", (tensor((2, 3), quant),), (tensor((6,), quant),))
    assert by_reference(view, (int8([[1, 2, 3], [4, 5, 6]]),))[0].tolist() == [1, 2, 3, 4, 5, 6]


def test_reshape_that_contradicts_its_shape_is_refused() -> None:
    quant = per_tensor(0.1)
    view = case("RESHAPE", (tensor((2, 3), quant), constant(np.asarray([3, 2], np.int32))), (tensor((6,), quant),))
    refused(view, r"the shape \[3, 2\] is asked for, but the output is declared as \[6\]")
