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
from byrote.ops.conv2d.winograd import Tile
from tests.planes.convolutions import ConvCase, conv_case
from tests.planes.harness import BUILDS, Host, KernelSource, emulate, needs

TILES = {"2x2": winograd.SQUARE, "2x4": winograd.WIDE, "1x4": winograd.ROW}
each_tile = pytest.mark.parametrize("tile", TILES.values(), ids=TILES)


def source(tile: Tile) -> KernelSource:
    call = f"{tile.kernel}(&s, t[0], t[1], in[0], out, scratch, rows)"
    return KernelSource(f"{tile.kernel}.h", "winograd_dsp", call)


EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Host]]:
    kernels = {tile.kernel: Host(source(tile), tmp_path_factory.mktemp(tile.kernel)) for tile in TILES.values()}
    yield kernels
    for kernel in kernels.values():
        kernel.close()


@st.composite
def cases(draw: st.DrawFn) -> ConvCase:
    same = draw(st.booleans())
    least = 1 if same else 3
    return conv_case(
        np.random.default_rng(draw(st.integers(0, 2**16))),
        (draw(st.integers(least, 8)), draw(st.integers(least, 17))),
        (draw(st.sampled_from([8, 12, 16])), draw(st.sampled_from([8, 12]))),
        input_storage=Storage(unsigned=draw(st.booleans())),
        output_storage=Storage(draw(st.sampled_from(list(Layout))), unsigned=draw(st.booleans())),
        input_zero=draw(st.sampled_from([-128, -5, 0, 60])),
        output_zero=draw(st.sampled_from([-128, -128, 3, 100])),
        clamp=(-128, 127) if draw(st.booleans()) else (-100, 90),
        rounding=draw(st.sampled_from(list(Rounding))),
        same=same,
    )


@each_tile
@EXAMPLES
@given(case=cases(), blocks=st.integers(1, 5), held=st.integers(0, 4), above=st.integers(0, 2))
def test_equals_reference(
    hosts: dict[str, Host], tile: Tile, case: ConvCase, blocks: int, held: int, above: int
) -> None:
    assume(winograd.rejects(case.layer, tile) is None)
    host, lowered = hosts[tile.kernel], winograd.lower(case.layer, tile)
    rows = case.rows()
    assert host.run(lowered, [rows.whole()], len(case.expected()), len(case.y)) == case.expected()
    for first, count, slots in rows.split(blocks, held, above):
        expected = case.expected(first, count)
        assert host.run(lowered, [slots], len(expected), count) == expected, (first, count)


def plain(rng_seed: int = 0) -> ConvCase:
    storage = Storage(unsigned=True)
    rng = np.random.default_rng(rng_seed)
    return conv_case(rng, (6, 7), (16, 16), input_storage=storage, output_storage=storage)


@each_tile
@pytest.mark.parametrize(("compiler", "optimise"), BUILDS)
def test_on_cortex_m4(tmp_path: Path, tile: Tile, compiler: str, optimise: tuple[str, ...] | None) -> None:
    needs(compiler)
    case = plain()
    lowered = winograd.lower(case.layer, tile)
    size, rows = len(case.expected()), case.rows().whole()
    whole = emulate(source(tile), lowered, [rows], size, len(case.y), tmp_path, compiler, optimise)
    assert whole.output == case.expected()


@each_tile
def test_sums_beyond_32_bits_are_refused(tile: Tile) -> None:
    layer = plain().layer
    bias = np.full(16, 3 * 2**28, np.int32)
    why = winograd.rejects(replace(layer, bias=bias, requant=Requant.of([2.0**-29] * 16)), tile)
    assert why is not None
    assert "spare bit" in why


@each_tile
def test_lanes_of_16_bits_are_proved(tile: Tile) -> None:
    """Weights that int8 cannot hold, as if quantised to more bits: the nine of them no longer fit a lane."""
    layer = plain().layer
    limit = 32767 // (max(map(sum, tile.down)) * max(map(sum, tile.line)))
    wide = np.full((16, 3, 3, 16), limit + 1, np.int16)
    assert "lanes have 16 bits" in (winograd.rejects(replace(layer, weights=wide), tile) or "")
    narrow = np.full((16, 3, 3, 16), limit, np.int16)
    assert "lanes have 16 bits" not in (winograd.rejects(replace(layer, weights=narrow), tile) or "")


@each_tile
def test_weights_grow_by_the_stated_factor(tile: Tile) -> None:
    layer = plain().layer
    filters = winograd.lower(layer, tile).tables[0]
    assert filters.size == round(tile.flash_factor * layer.weights.size)


@each_tile
def test_other_convolutions_are_refused(tile: Tile) -> None:
    layer = plain().layer
    assert "stride 1" in (winograd.rejects(replace(layer, stride=(2, 2)), tile) or "")
    assert "multiples of 4" in (winograd.rejects(replace(layer, weights=layer.weights[..., :6]), tile) or "")
