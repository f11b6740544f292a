"""Short requantisation: equal to the reference for every accumulator where it says so, refused where it cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byrote.ir import Requant, Rounding
from byrote.ops.gemm import Matrix, Mixed, prepare_mixed, prepare_plain
from byrote.ops.requant import Channels, General, find, general, reachable
from byrote.ops.requant.constants import first_multiple, largest_shift
from byrote.ops.requant.proof import agrees

ROUNDINGS = (Rounding.DOUBLE, Rounding.SINGLE)


@st.composite
def channels(draw: st.DrawFn, *, least_real: float = 2**-12, most_real: float = 0.45) -> Channels:
    """A few channels whose accumulators span some thousands, any zero point and clamp."""
    size = draw(st.integers(1, 3))
    reals = [draw(st.floats(least_real, most_real)) for _ in range(size)]
    low = np.array([draw(st.integers(-6000, 100)) for _ in range(size)], np.int64)
    high = low + np.array([draw(st.integers(0, 9000)) for _ in range(size)], np.int64)
    zero = draw(st.integers(-128, 127))
    clamp = draw(st.sampled_from([(-128, 127), (zero, 127), (zero, max(zero, 60)), (-100, 90)]))
    return Channels(low, high, Requant.of(reals, draw(st.sampled_from(ROUNDINGS))), zero, clamp)


def every(given_channels: Channels, channel: int) -> tuple[Channels, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """One channel, and all its accumulators."""
    one = slice(channel, channel + 1)
    acc = np.arange(given_channels.low[channel], given_channels.high[channel] + 1, dtype=np.int64).reshape(-1, 1)
    requant = given_channels.requant.in_order([channel])
    return replace(given_channels, low=given_channels.low[one], high=given_channels.high[one], requant=requant), acc


def clamped(given_channels: Channels, value: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> list[int]:
    low, high = given_channels.bounds
    return np.minimum(np.maximum(value, low), high).reshape(-1).tolist()


@settings(max_examples=60, deadline=None)
@given(channels(), st.sampled_from([1, 256]))
def test_constants_are_right_for_every_accumulator(layer: Channels, scale: int) -> None:
    shift = largest_shift(layer, 1) + (8 if scale == 256 else 0)
    found = find(layer, scale, shift)
    for channel in np.flatnonzero(found.exact).tolist():
        one, acc = every(layer, channel)
        scaled = (scale * acc + found.bias[channel]) * found.multiplier[channel] >> 32
        value = (scaled + found.rounding[channel]) >> found.shift
        assert clamped(one, value) == one.reference(acc).reshape(-1).tolist()


@settings(max_examples=60, deadline=None)
@given(channels())
def test_the_general_form_is_right_for_every_accumulator(layer: Channels) -> None:
    found = general(layer)
    assert isinstance(found, General)
    for channel in range(layer.size):
        one, acc = every(layer, channel)
        single = replace(
            found,
            multiplier=found.multiplier[channel : channel + 1],
            addend=found.addend[channel : channel + 1],
            right=found.right[channel : channel + 1],
        )
        assert clamped(one, single.apply(acc)) == one.reference(acc).reshape(-1).tolist()


@settings(max_examples=40, deadline=None)
@given(channels(most_real=3.0))
def test_thresholds_are_where_the_reference_steps(layer: Channels) -> None:
    for channel in range(layer.size):
        one, acc = every(replace(layer, clamp=(-128, 127)), channel)
        if one.saturates[0] or not one.multiplier[0]:
            continue
        counted = (one.thresholds[:, :, None] <= acc.reshape(1, 1, -1)).sum(axis=0).reshape(-1)
        assert counted.tolist() == one.reference(acc).reshape(-1).tolist()


def test_relu_layers_find_constants_in_every_slot() -> None:
    rng = np.random.default_rng(3)
    reals = rng.uniform(2**-9, 2**-7, 64).tolist()
    low, high = rng.integers(-40000, -20000, 64), rng.integers(30000, 60000, 64)
    layer = Channels(low, high, Requant.of(reals), -128, (-128, 127))
    shift = largest_shift(layer, 1)
    assert find(layer, 1, shift).exact.sum() >= 62
    assert find(layer, 256, shift + 8).exact.all()


def test_a_wrong_constant_is_not_proved() -> None:
    layer = Channels(np.array([-5000]), np.array([50000]), Requant.of([0.0051]), -128, (-128, 127))
    found = find(layer, 1, largest_shift(layer, 1))
    assert found.exact.all()
    for field in ("bias", "multiplier", "rounding"):
        step = 1 << 22 if field == "multiplier" else 64
        wrong = replace(found, **{field: getattr(found, field) + step})
        assert not agrees(layer, wrong.apply).any(), field


def test_two_sided_results_that_round_twice_are_refused() -> None:
    layer = Channels(np.array([-50000]), np.array([50000]), Requant.of([0.002]), 0, (-128, 127))
    assert not find(layer, 1, largest_shift(layer, 1)).exact.any()
    once = replace(layer, requant=Requant.of([0.002], Rounding.SINGLE))
    assert find(once, 1, largest_shift(once, 1)).exact.all()


@pytest.mark.parametrize(
    ("high", "real", "reason"),
    [
        (2**29 + 5, 0.01, "an accumulator is too large for requantisation in 32 bits"),
        (2**31, 0.01, "an accumulator leaves 32 bits"),
        (1000, 0.7, "a factor of requantisation is 1/2 or more"),
        (2**28, 2**-24, "a factor of requantisation is too small for 32 bits"),
    ],
)
def test_general_form_refuses(high: int, real: float, reason: str) -> None:
    layer = Channels(np.array([-1000]), np.array([high]), Requant.of([real]), -128, (-128, 127))
    assert general(layer) == reason


def matrix(weights: list[list[int]], bias: int = 0, real: float = 0.01, zero: int = -128) -> Matrix:
    return Matrix.of(
        np.array(weights, np.int64),
        np.full(len(weights), bias, np.int64),
        input_zero=-128,
        unsigned=True,
        requant=Requant.of([real]),
        zero_point=zero,
        clamp=(-128, 127),
    )


def test_mixed_lanes_are_proved_or_refused() -> None:
    assert isinstance(prepare_mixed(matrix([[1, -128, 3, 4], [127, -127, 0, 5]])), Mixed)
    assert isinstance(prepare_mixed(matrix([[1, 0, 3, 4], [-128, -127, 0, 5]])), Mixed)  # 256 * -128 + 1 still fits
    refused = prepare_mixed(matrix([[-1, 0, 3, 4], [-128, -127, 0, 5]]))
    assert refused == "a weight of -128 leaves the lanes of mixed weights"
    assert isinstance(prepare_plain(matrix([[-1, 0, 3, 4], [-128, -127, 0, 5]])), General)


def test_large_accumulators_are_refused_in_odd_slots_only() -> None:
    large = 1 << 23
    even = matrix([[127, 127, 126, 125], [127, 127, 126, 125]], real=2**-17, zero=-20)
    assert isinstance(prepare_mixed(replace(even, bias=np.array([large, 0]))), Mixed)
    refused = prepare_mixed(replace(even, bias=np.array([0, large - 2])))
    assert refused == "256 times an accumulator leaves 32 bits"
    assert isinstance(prepare_plain(replace(even, bias=np.array([0, large]))), General)


def test_reachable_bounds_are_reached() -> None:
    weights, bias = np.array([[3, -2, 0, 1]]), np.array([7])
    low, high = reachable(weights, bias, -128, 127)
    grid = np.array(np.meshgrid(*[[-128, 127]] * 4)).reshape(4, -1)
    acc = weights @ grid + bias
    assert (low[0], high[0]) == (acc.min(), acc.max())


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 2**31 - 1), st.integers(0, 2**32 - 1), st.integers(-1, 2**26))
def test_first_multiple(step: int, start: int, width: int) -> None:
    found = int(first_multiple(np.array([step]), np.array([start]), np.array([width]))[0])
    tried = (np.arange(1 << 14) * step - start) & 0xFFFFFFFF
    hits = np.flatnonzero(tried <= width)
    if hits.size:
        assert found == hits[0]
    else:
        assert found == -1 or (found >= 1 << 14 and (found * step - start) % 2**32 <= width)
