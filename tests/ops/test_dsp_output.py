"""Constants of the DSP kernels' outputs: right for every sum, and refused only where there are none."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from byrote.ir import Requant, Rounding, requantize
from byrote.ops.dsp_output import MULTIPLY, DspOutput, Points, Sums, Target, dsp_output, impossible, line, staircases


@st.composite
def layers(draw: st.DrawFn) -> tuple[Requant, Target, Sums]:
    """One channel with few thousand sums."""
    multiplier, shift = draw(st.integers(1 << 30, (1 << 31) - 1)), -draw(st.integers(2, 9))
    requant = Requant((multiplier,), (shift,), draw(st.sampled_from(list(Rounding))))
    zero, low = draw(st.integers(-128, 127)), draw(st.integers(-128, 0))
    target = Target.of(zero, (low, draw(st.integers(low, 127))), unsigned=draw(st.booleans()))
    least, most = -draw(st.integers(0, 4000)), draw(st.integers(0, 4000))
    return requant, target, Sums((0,), (least,), (most,), (draw(st.integers(1, 400)),), draw(st.sampled_from((1, 4))))


@settings(max_examples=60, deadline=None)
@given(layers())
def test_every_sum(layer: tuple[Requant, Target, Sums]) -> None:
    requant, target, sums = layer
    found = dsp_output(requant, target, sums)
    if isinstance(found, str) or found.form != MULTIPLY:
        return
    every = np.arange(sums.least[0], sums.most[0] + 1, dtype=np.int64)
    scaled = sums.unit * found.factors[0] * every + found.bias[0]
    result = (scaled * found.multiplier[0] >> 32) >> found.shift
    right = np.clip(requantize(every, requant) + target.zero_point, target.low, target.high)
    assert isinstance(found, DspOutput)
    assert np.array_equal(np.clip(result, *target.limits), right)


@settings(max_examples=60, deadline=None)
@given(layers(), st.integers(0, 14))
def test_what_is_refused_at_once_has_no_line(layer: tuple[Requant, Target, Sums], shift: int) -> None:
    requant, target, sums = layer
    (stairs,) = staircases(requant, target, sums)
    points, slope = Points.of(stairs, target), requant.channel(0)
    if impossible(points, slope, 300, shift):
        assert all(line(points, slope, factor, shift) is None for factor in range(1, 301, 7))


def test_two_roundings_around_zero_are_refused_at_once() -> None:
    """They step unevenly where signs change, so that no line is."""
    requant = Requant((1_500_000_000,), (-6,), Rounding.DOUBLE)
    target, sums = Target.of(0, (-128, 127), unsigned=False), Sums((0,), (-9000,), (9000,), (127,))
    (stairs,) = staircases(requant, target, sums)
    points = Points.of(stairs, target)
    assert all(impossible(points, requant.channel(0), 258, shift) for shift in (9, 10, 11, 12))
