"""Depthwise kernels of the DSP extension against the reference, whole and in every split of rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from byrote.ir import Rounding
from byrote.kernel import Layout, Storage
from byrote.ops.depthwise_conv2d import dsp
from tests.planes.harness import Host, KernelSource
from tests.planes.layers import Case, Shape, depthwise_case

PLANES = KernelSource("depthwise3x3_dsp.h", "depthwise3x3_dsp", "depthwise3x3_dsp(&s, t[0], in[0], out, rows)")
PIXELS = KernelSource("depthwise_dsp.h", "depthwise_dsp", "depthwise_dsp(&s, t[0], t[1], in[0], out, rows)")
EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(PLANES, tmp_path_factory.mktemp("planes"))
    yield host
    host.close()


@pytest.fixture(scope="module")
def pixels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    host = Host(PIXELS, tmp_path_factory.mktemp("pixels"))
    yield host
    host.close()


@st.composite
def plane_cases(draw: st.DrawFn) -> Case:
    stride = draw(st.sampled_from([1, 2]))
    same = draw(st.booleans())
    least = 1 if same else 3
    shape = Shape(
        draw(st.integers(least, 30)),
        draw(st.integers(least, 14)),
        draw(st.integers(1, 4)),
        stride=(stride, stride),
        same=same,
    )
    output = Storage(draw(st.sampled_from(list(Layout))), unsigned=draw(st.booleans()))
    zero = -128 if same else draw(st.integers(-128, 127))
    relu = draw(st.booleans())
    return depthwise_case(
        np.random.default_rng(draw(st.integers(0, 2**16))),
        shape,
        input_storage=Storage(Layout.HCW, unsigned=True, pitch=shape.width + draw(st.integers(0, 3))),
        output_storage=output,
        input_zero=zero,
        output_zero=-128 if relu else draw(st.integers(-128, 127)),
        clamp=(-128, 127) if draw(st.booleans()) else (-100, 90),
        rounding=draw(st.sampled_from(list(Rounding))),
    )


@st.composite
def pixel_cases(draw: st.DrawFn) -> Case:
    vertical = draw(st.booleans())
    kernel = (draw(st.integers(1, 10)), 1) if vertical else (draw(st.integers(1, 4)), draw(st.integers(1, 5)))
    stride = (draw(st.integers(1, 3)), 1 if vertical else draw(st.integers(1, 3)))
    dilation = (draw(st.integers(1, 2)), 1 if vertical else draw(st.integers(1, 2)))
    same = draw(st.booleans())
    extent = ((kernel[0] - 1) * dilation[0] + 1, (kernel[1] - 1) * dilation[1] + 1)
    height = draw(st.integers(1 if same else extent[0], extent[0] + 12))
    width = 1 if vertical else draw(st.integers(1 if same else extent[1], extent[1] + 7))
    return depthwise_case(
        np.random.default_rng(draw(st.integers(0, 2**16))),
        Shape(height, width, draw(st.integers(1, 9)), kernel, stride, dilation, same),
        input_storage=Storage(unsigned=draw(st.booleans())),
        output_storage=Storage(draw(st.sampled_from(list(Layout))), unsigned=draw(st.booleans())),
        input_zero=draw(st.sampled_from([-128, -3, 0, 77])),
        output_zero=draw(st.integers(-128, 127)),
        clamp=(-128, 127) if draw(st.booleans()) else (-100, 90),
        rounding=draw(st.sampled_from(list(Rounding))),
    )


def check(host: Host, case: Case, lowered: dsp.Lowered, blocks: int, held: int, above: int) -> None:
    """The whole layer in one call, then in calls of `blocks` rows with `held` kept ones."""
    rows = case.rows(lowered.overread)
    whole = host.run(lowered, [rows.whole()], len(case.expected()), len(case.y))
    assert whole == case.expected()
    for first, count, slots in rows.split(blocks, held, above):
        expected = case.expected(first, count)
        assert host.run(lowered, [slots], len(expected), count) == expected, (first, count, slots.held)


@EXAMPLES
@given(case=plane_cases(), blocks=st.integers(1, 9), held=st.integers(0, 4), above=st.integers(0, 2))
def test_planes(planes: Host, case: Case, blocks: int, held: int, above: int) -> None:
    assume(dsp.rejects3x3(case.layer) is None)
    check(planes, case, dsp.lower3x3(case.layer), blocks, held, above)


@EXAMPLES
@given(case=pixel_cases(), blocks=st.integers(1, 6), held=st.integers(0, 11), above=st.integers(0, 2))
def test_pixels(pixels: Host, case: Case, blocks: int, held: int, above: int) -> None:
    assume(dsp.rejects(case.layer) is None)
    check(pixels, case, dsp.lower(case.layer), blocks, held, above)
