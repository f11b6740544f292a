"""Depthwise kernels of the DSP extension against the reference, whole and in every split of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from byrote.ir import Rounding
from byrote.kernel import Layout, Lowered, Storage
from byrote.ops.depthwise_conv2d import dsp
from tests.planes.harness import BUILDS, Host, KernelSource, emulate, needs
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


def check(host: Host, case: Case, lowered: Lowered, blocks: int, held: int, above: int) -> None:
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


def on_core(
    source: KernelSource, case: Case, lowered: Lowered, folder: Path, compiler: str, optimise: tuple[str, ...] | None
) -> None:
    """One step in the middle, and the whole with the recommended flags."""
    rows = case.rows(lowered.overread)
    if optimise is None:
        size = len(case.expected())
        whole = emulate(source, lowered, [rows.whole()], size, len(case.y), folder / "whole", compiler)
        assert whole.output == case.expected()
    expected = case.expected(1, 2)
    slots = rows.call(1, 2, rows.extent - rows.stride)
    step = emulate(source, lowered, [slots], len(expected), 2, folder / "step", compiler, optimise)
    assert step.output == expected


@pytest.mark.parametrize(("compiler", "optimise"), BUILDS)
@pytest.mark.parametrize("stride", [1, 2])
def test_planes_on_cortex_m4(tmp_path: Path, compiler: str, optimise: tuple[str, ...] | None, stride: int) -> None:
    needs(compiler)
    case = depthwise_case(
        np.random.default_rng(stride),
        Shape(23, 7, 3, stride=(stride, stride)),
        input_storage=Storage(Layout.HCW, unsigned=True, pitch=7),
        output_storage=Storage(unsigned=True),
    )
    on_core(PLANES, case, dsp.lower3x3(case.layer), tmp_path, compiler, optimise)


@pytest.mark.parametrize(("compiler", "optimise"), BUILDS)
@pytest.mark.parametrize("vertical", [False, True])
def test_pixels_on_cortex_m4(tmp_path: Path, compiler: str, optimise: tuple[str, ...] | None, vertical: bool) -> None:
    needs(compiler)
    shape = Shape(12, 1, 6, (5, 1), same=False) if vertical else Shape(8, 6, 6, (3, 4), (1, 2))
    case = depthwise_case(
        np.random.default_rng(1), shape, input_storage=Storage(), output_storage=Storage(), input_zero=-3, output_zero=5
    )
    on_core(PIXELS, case, dsp.lower(case.layer), tmp_path, compiler, optimise)


def test_planes_refuse_what_they_cannot_do() -> None:
    unsigned = Storage(Layout.HCW, unsigned=True)
    rng = np.random.default_rng(0)
    plain = depthwise_case(rng, Shape(8, 8, 2), input_storage=unsigned, output_storage=Storage(unsigned=True)).layer
    assert dsp.rejects3x3(plain) is None
    assert "pads with -128 only" in (dsp.rejects3x3(replace(plain, input_zero=-127)) or "")
    assert "unsigned channel planes" in (dsp.rejects3x3(replace(plain, input=Storage(Layout.HCW))) or "")
    assert "unsigned channel planes" in (dsp.rejects3x3(replace(plain, input=Storage(unsigned=True))) or "")
    assert "stride 1x2" in (dsp.rejects3x3(replace(plain, stride=(1, 2))) or "")
    assert "3x3" in (dsp.rejects3x3(replace(plain, dilation=(2, 2))) or "")
    assert "different orders" in (dsp.rejects3x3(replace(plain, input=replace(unsigned, channels=(1, 0)))) or "")


def test_channels_may_be_stored_in_another_order(planes: Host) -> None:
    rng = np.random.default_rng(0)
    order = (2, 0, 1)
    case = depthwise_case(
        rng,
        Shape(6, 5, 3),
        input_storage=Storage(Layout.HCW, unsigned=True, channels=order),
        output_storage=Storage(unsigned=True, channels=order),
    )
    lowered = dsp.lower3x3(case.layer)
    shuffled = replace(case, x=case.x[:, :, list(order)], y=case.y[:, :, list(order)])
    whole = shuffled.rows(lowered.overread).whole()
    assert planes.run(lowered, [whole], len(case.expected()), 6) == shuffled.expected()
