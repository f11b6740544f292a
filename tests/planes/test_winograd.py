"""Winograd's convolution in exact integers against the reference, whole and in every split of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from byrote.ir import Requant, Rounding
from byrote.kernel import Layout, Storage
from byrote.ops.conv2d import winograd
from tests.planes.convolutions import ConvCase, conv_case
from tests.planes.harness import BUILDS, Host, KernelSource, emulate, needs

WINOGRAD = KernelSource("winograd_dsp.h", "winograd_dsp", "winograd_dsp(&s, t[0], t[1], in[0], out, scratch, rows)")
EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    kernel = Host(WINOGRAD, tmp_path_factory.mktemp("winograd"))
    yield kernel
    kernel.close()


@st.composite
def cases(draw: st.DrawFn) -> ConvCase:
    same = draw(st.booleans())
    least = 1 if same else 3
    return conv_case(
        np.random.default_rng(draw(st.integers(0, 2**16))),
        (draw(st.integers(least, 8)), draw(st.integers(least, 9))),
        (draw(st.sampled_from([8, 12, 16])), draw(st.sampled_from([8, 12]))),
        input_storage=Storage(unsigned=draw(st.booleans())),
        output_storage=Storage(draw(st.sampled_from(list(Layout))), unsigned=draw(st.booleans())),
        input_zero=draw(st.sampled_from([-128, -5, 0, 60])),
        output_zero=draw(st.sampled_from([-128, -128, 3, 100])),
        clamp=(-128, 127) if draw(st.booleans()) else (-100, 90),
        rounding=draw(st.sampled_from(list(Rounding))),
        same=same,
    )


@EXAMPLES
@given(case=cases(), blocks=st.integers(1, 5), held=st.integers(0, 4), above=st.integers(0, 2))
def test_equals_reference(host: Host, case: ConvCase, blocks: int, held: int, above: int) -> None:
    assume(winograd.rejects(case.layer) is None)
    lowered = winograd.lower(case.layer)
    rows = case.rows()
    assert host.run(lowered, [rows.whole()], len(case.expected()), len(case.y)) == case.expected()
    for first, count, slots in rows.split(blocks, held, above):
        expected = case.expected(first, count)
        assert host.run(lowered, [slots], len(expected), count) == expected, (first, count)


def plain(rng_seed: int = 0) -> ConvCase:
    storage = Storage(unsigned=True)
    rng = np.random.default_rng(rng_seed)
    return conv_case(rng, (6, 7), (16, 16), input_storage=storage, output_storage=storage)


@pytest.mark.parametrize(("compiler", "optimise"), BUILDS)
def test_on_cortex_m4(tmp_path: Path, compiler: str, optimise: tuple[str, ...] | None) -> None:
    needs(compiler)
    case = plain()
    lowered = winograd.lower(case.layer)
    size, rows = len(case.expected()), case.rows().whole()
    whole = emulate(WINOGRAD, lowered, [rows], size, len(case.y), tmp_path, compiler, optimise)
    assert whole.output == case.expected()


def test_sums_beyond_32_bits_are_refused() -> None:
    layer = plain().layer
    bias = np.full(16, 3 * 2**28, np.int32)
    why = winograd.rejects(replace(layer, bias=bias, requant=Requant.of([2.0**-29] * 16)))
    assert why is not None
    assert "spare bit" in why


def test_lanes_of_16_bits_are_proved() -> None:
    """Weights that int8 cannot hold, as if quantised to more bits: the nine of them no longer fit a lane."""
    layer = plain().layer
    wide = np.full((16, 3, 3, 16), 32767 // 9 + 1, np.int16)
    assert "lanes have 16 bits" in (winograd.rejects(replace(layer, weights=wide)) or "")
    narrow = np.full((16, 3, 3, 16), 32767 // 9, np.int16)
    assert "lanes have 16 bits" not in (winograd.rejects(replace(layer, weights=narrow)) or "")


def test_weights_grow_by_the_stated_factor() -> None:
    layer = plain().layer
    filters = winograd.lower(layer).tables[0]
    assert filters.size == round(winograd.FLASH_FACTOR * layer.weights.size)


def test_other_convolutions_are_refused() -> None:
    layer = plain().layer
    assert "stride 1" in (winograd.rejects(replace(layer, stride=(2, 2))) or "")
    assert "multiples of 4" in (winograd.rejects(replace(layer, weights=layer.weights[..., :6])) or "")
