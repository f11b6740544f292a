"""References against other engines, operator by operator: each numeric profile against the engine that has it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from byrote.ir import Quant, Requant, requantize
from byrote.ops import OPERATORS, Operator, OperatorView, Profile, Unreadable
from byrote.ops.case import case, constant, options, per_tensor, tensor
from tests.support.single import Array, Litert, Tflm, by_reference, operator_of, random_arrays

Engine = Callable[[Sequence[Array]], tuple[Array, ...]]

BY_NAME = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.names[0])


def check_types(view: OperatorView) -> None:
    """The shape rule gives what the file declares."""
    first = operator_of(view.name).read(view)
    for output, reading in zip(view.outputs, (first, *first.others), strict=True):
        inferred = reading.op.infer([t.type for t in reading.inputs])[0]
        assert (inferred.shape, inferred.dtype) == (output.type.shape, output.type.dtype)


def compare(view: OperatorView, engine: Engine, rng: np.random.Generator) -> None:
    for extreme in (False, True):
        arrays = random_arrays(view, rng, extreme)
        for ours, theirs in zip(by_reference(view, arrays), engine(arrays), strict=True):
            assert ours.shape == theirs.shape
            np.testing.assert_array_equal(ours, theirs, err_msg=str(operator_of(view.name).read(view).op))


@BY_NAME
def test_equals_tflm(operator: Operator) -> None:
    rng = np.random.default_rng(zlib.crc32(operator.names[0].encode()))
    for view in operator.cases(rng, 30):
        check_types(view)
        compare(view, Tflm(view), rng)


@BY_NAME
def test_equals_litert(operator: Operator) -> None:
    rng = np.random.default_rng(zlib.crc32(operator.names[0].encode()) + 1)
    for view in operator.cases(rng, 20):
        if view.name.endswith("CONV_2D") and view.optional(2) is None:
            continue  # that engine wants a bias
        chosen = replace(view, profile=Profile.LITERT)
        compare(chosen, Litert(chosen), rng)


def fully_connected(
    scale: float, weights: tuple[float, ...], out: Quant, bias: Array, profile: Profile
) -> OperatorView:
    """One input of value zero, so that accumulators are the bias."""
    quant = Quant(weights, (0,) * len(weights))
    products = Quant(tuple(float(np.float32(scale * w)) for w in weights), quant.zero_points)
    inputs = (tensor((1, 1), per_tensor(scale)), constant(np.zeros((bias.size, 1), np.int8), quant))
    given = options(FusedActivationFunction=0, KeepNumDims=0)
    outputs = (tensor((1, bias.size), out),)
    return case("FULLY_CONNECTED", (*inputs, constant(bias, products)), outputs, given, profile)


ZERO = (np.zeros((1, 1), np.int8),)


def test_scales_are_multiplied_in_float64() -> None:
    """Accumulators where a float32 product of the scales would give another result."""
    rng = np.random.default_rng(1)
    scale, weight = (float(np.float32(v)) for v in (0.1234567, 0.0371))
    out = float(np.float32(scale * weight * 2**29 / 90))
    wide = Requant.of([scale * weight / out])
    narrow = Requant.of([float(np.float32(scale) * np.float32(weight)) / out])
    acc = rng.integers(2**27, 2**29, 1 << 21)
    apart = acc[requantize(acc, wide) != requantize(acc, narrow)][:40]
    assert apart.size
    view = fully_connected(scale, (weight,), per_tensor(out), apart.astype(np.int32), Profile.TFLM)
    np.testing.assert_array_equal(by_reference(view, ZERO)[0], Tflm(view)(ZERO)[0])


@pytest.mark.parametrize("largest", [2**12, 2**20, 2**27])
def test_litert_rounds_fully_connected_once_halves_away_from_zero(largest: int) -> None:
    rng = np.random.default_rng(largest)
    bias = rng.integers(-largest, largest, 500).astype(np.int32)
    for scale, weight in ((2.0**-7, 2.0**-9), (0.0321, 0.0077)):
        out = float(np.float32(2.0 ** round(np.log2(scale * weight * largest / 90))))
        view = fully_connected(scale, (float(np.float32(weight)),), per_tensor(out, 3), bias, Profile.LITERT)
        np.testing.assert_array_equal(by_reference(view, ZERO)[0], Litert(view)(ZERO)[0])


@pytest.mark.parametrize(("profile", "engine"), [(Profile.LITERT, Litert), (Profile.TFLM, Tflm)])
def test_known_accumulator_next_to_a_tie(profile: Profile, engine: Callable[[OperatorView], Engine]) -> None:
    """The real result is -119.4999995; floating-point replays have said -120."""
    out = per_tensor(0.11484327912330627, -126)
    view = fully_connected(0.05296124517917633, (0.024093778803944588,), out, np.asarray([585], np.int32), profile)
    assert by_reference(view, ZERO)[0].tolist() == engine(view)(ZERO)[0].tolist() == [[-119]]


def test_large_accumulators_with_a_factor_above_1_saturate() -> None:
    bias = np.asarray([2**27, -(2**27), 100, -100], np.int32)
    view = fully_connected(0.5, (0.5,), per_tensor(0.1), bias, Profile.TFLM)
    np.testing.assert_array_equal(by_reference(view, ZERO)[0], [[127, -128, 127, -128]])
    np.testing.assert_array_equal(Tflm(view)(ZERO)[0], [[127, -128, 127, -128]])


def test_accumulators_that_could_overflow_are_refused() -> None:
    bias = np.asarray([2**31 - 1], np.int32)
    view = fully_connected(0.5, (0.5,), per_tensor(0.1), bias, Profile.TFLM)
    with pytest.raises(Unreadable, match="can overflow"):
        operator_of("FULLY_CONNECTED").read(view)
