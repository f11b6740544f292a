"""Properties of what operators are built from, searched by hypothesis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from byrote.ir import DType
from byrote.ops import Unreadable
from byrote.ops.broadcast import merged, strides_in
from byrote.ops.case import case, constant, options, per_tensor, tensor
from byrote.ops.nearest import nearest_requant
from byrote.ops.quantize.kernels import ordered, thresholds
from byrote.ops.quantize.op import Quantize
from byrote.ops.reciprocal import reciprocal
from tests.support.single import by_reference, operator_of

FEW = settings(max_examples=60, deadline=None)


@FEW
@given(count=st.integers(1, 120_000), x=st.integers(0, 1 << 24))
def test_reciprocals_divide_exactly(count: int, x: int) -> None:
    multiplier, shift, half = reciprocal(count, 129 * count)
    x %= 129 * count
    assert (x * 64 * multiplier) >> (32 + shift) == x // count
    assert half == count // 2


@FEW
@given(scale=st.floats(2.0**-20, 1024, width=32), zero=st.integers(-128, 127), step=st.integers(0, 254))
def test_quantisation_thresholds_are_tight(scale: float, zero: int, step: int) -> None:
    """The float just below a threshold gives one less."""
    op = Quantize(DType.INT8, per_tensor(scale, zero))
    key = thresholds(op)[step : step + 1]
    here = (key ^ ((key >> 31) & np.int32(0x7FFFFFFF))).view(np.float32)
    assert ordered(here)[0] == key[0]
    below = np.nextafter(here, np.float32(-np.inf))
    assert op.reference([here])[0][0] >= step - 127
    assert op.reference([below])[0][0] < step - 127


@FEW
@given(
    real=st.floats(2.0**-24, 2.0, width=64)
    | st.sampled_from([2.0**-k for k in range(20)] + [3 * 2.0**-9, 5 * 2.0**-12]),
    reach=st.integers(1, 1 << 24),
    seed=st.integers(0, 1000),
)
def test_nearest_factors_round_like_float64(real: float, reach: int, seed: int) -> None:
    """Ties included: halves go away from zero.

    A factor such as 0.7, some of whose products are rounded to a tie and some not, is refused: no integer does that.
    """
    bounds = np.asarray([reach])
    try:
        requant = nearest_requant([real], -bounds, bounds, (-128, 127))
    except Unreadable:
        reject()
    acc = np.random.default_rng(seed).integers(-reach, reach + 1, 2000)
    product = acc * real
    wanted = np.clip(np.sign(product) * np.floor(np.abs(product) + 0.5), -128, 127)
    multiplier, shift = requant.channel(0)
    total = 31 - shift
    ours = [((int(a) * multiplier + (1 << (total - 1))) >> total) for a in acc]
    np.testing.assert_array_equal(np.clip(ours, -128, 127), wanted)


def test_a_factor_whose_halves_are_rounded_both_ways_is_refused() -> None:
    """35 * 0.7 is rounded to the half, 45 * 0.7 below it, 55 * 0.7 to it again: no line does the same."""
    halves = np.asarray([35, 45, 55]) * 0.7
    assert list(halves % 1 == 0.5) == [True, False, True]
    bounds = np.asarray([1024])
    with pytest.raises(Unreadable, match=r"its factor 0\.7 .* meet halves, which float64 rounds now up, now down"):
        nearest_requant([0.7], -bounds, bounds, (-128, 127))


@FEW
@given(data=st.data(), shape=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_strided_slices_equal_indexing(data: st.DataObject, shape: list[int]) -> None:
    count = data.draw(st.integers(1, len(shape)))
    x = np.arange(np.prod(shape)).astype(np.int8).reshape(shape)
    bound = st.lists(st.integers(-7, 7), min_size=count, max_size=count)
    begin, end = data.draw(bound), data.draw(bound)
    stride = data.draw(st.lists(st.sampled_from([-2, -1, 1, 2, 3]), min_size=count, max_size=count))
    masks = [data.draw(st.integers(0, (1 << count) - 1)) for _ in range(2)]
    index = tuple(
        slice(None if masks[0] >> k & 1 else begin[k], None if masks[1] >> k & 1 else end[k], stride[k])
        for k in range(count)
    )
    wanted = x[index]
    quant = per_tensor(0.1)
    bounds = [constant(np.asarray(v, np.int32)) for v in (begin, end, stride)]
    how = options(BeginMask=masks[0], EndMask=masks[1])
    view = case("STRIDED_SLICE", (tensor(shape, quant), *bounds), (tensor(wanted.shape, quant),), how)
    try:
        result = by_reference(view, (x,))[0]
    except Unreadable:
        assert not wanted.size
        return
    np.testing.assert_array_equal(result, wanted)


@FEW
@given(data=st.data(), shape=st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_merged_axes_visit_the_same_elements(data: st.DataObject, shape: list[int]) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    operand = tensor([n if keep else 1 for n, keep in zip(shape, kept, strict=True)]).type
    strides = strides_in(operand, tuple(shape))
    sizes, (steps,) = merged(tuple(shape), strides)

    def visited(lengths: tuple[int, ...], jumps: tuple[int, ...]) -> list[int]:
        places = np.zeros((), np.int64)
        for length, jump in zip(lengths, jumps, strict=True):
            places = places[..., None] + jump * np.arange(length)
        return places.reshape(-1).tolist()

    assert visited(sizes, steps) == visited(tuple(shape), strides)
    assert len(sizes) <= len(shape)


@FEW
@given(seed=st.integers(0, 1 << 30), index=st.integers(0, 3))
def test_sums_are_within_one_step_of_the_real_result(seed: int, index: int) -> None:
    """ADD, SUB, MUL and MEAN against real numbers: no bias, no overflow."""
    name = ("ADD", "SUB", "MUL", "MEAN")[index]
    rng = np.random.default_rng(seed)
    view = operator_of(name).cases(rng, 1)[0]
    kinds = [t for t in view.inputs if t is not None]
    arrays = [t.data if t.data is not None else rng.integers(-128, 128, t.type.shape).astype(np.int8) for t in kinds]
    result = by_reference(view, [a for a, t in zip(arrays, kinds, strict=True) if t.data is None])[0].astype(float)
    reals = [
        t.scale * (a.astype(float) - t.zero_point)
        for a, t in zip(arrays, kinds, strict=True)
        if t.type.quant is not None
    ]
    out = view.output()
    if name == "MEAN":
        axes = tuple(int(a) for a in arrays[1])
        real = np.asarray(reals[0].mean(axis=axes, keepdims=view.options.flag("KeepDims")))
    else:
        real = {"ADD": np.add, "SUB": np.subtract, "MUL": np.multiply}[name](*reals)
    code = view.options.integer("FusedActivationFunction")
    low, high = {0: (-np.inf, np.inf), 1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}[code]
    ideal = np.clip(np.clip(real, low, high) / out.scale + out.zero_point, -128, 127)
    np.testing.assert_allclose(result, ideal, atol=1.01)
