"""Instructions and cycles per multiply-accumulate of the kernels on channel planes and of their relatives.

    PYTHONPATH=src:. python scripts/kernel_bench_planes.py [depthwise3x3|depthwise|winograd] [gcc|clang|zig ...]

Emulated Cortex-M4; cycles at least and at most by Arm's timings at zero wait states, unaligned accesses included.
Every output is compared with the reference.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from byrote.kernel import Layout, Lowered, Storage
from byrote.ops.conv2d import winograd
from byrote.ops.depthwise_conv2d import dsp
from tests.planes.convolutions import conv_case
from tests.planes.harness import KernelSource, Slots, emulate
from tests.planes.layers import Case, Shape, depthwise_case
from tests.planes.test_depthwise import PIXELS, PLANES
from tests.planes.test_winograd import TILES, source

COMPILERS = ("gcc", "clang", "zig")


def measure(
    what: str,
    source: KernelSource,
    lowered: Lowered,
    slots: Slots,
    expected: bytes,
    rows: int,
    macs: int,
    names: list[str],
) -> None:
    """One line per compiler."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found = emulate(source, lowered, [slots], len(expected), rows, Path(folder), name)
        low, high = found.cycles
        right = "exact" if found.output == expected else "WRONG"
        print(
            f"{what:44} {name:6} {right} instructions {found.instructions / macs:6.3f} "
            f"cycles {low / macs:6.3f}..{high / macs:6.3f} code {found.code:5} stack {found.stack:4}",
            flush=True,
        )


def steps(case: Case, lowered: Lowered, macs_per_row: int) -> Iterator[tuple[str, Slots, bytes, int, int]]:
    """The whole layer, then one middle step of 1, 2 and 4 rows with as many kept rows as survive."""
    rows = case.rows(lowered.overread)
    total = len(case.y)
    yield "whole", rows.whole(), case.expected(), total, total * macs_per_row
    kept = rows.extent - rows.stride
    for block in (1, 2, 4):
        first = -(-rows.before // rows.stride) + 1
        if first + block < total and kept > 0:
            slots = rows.call(first, block, kept)
            yield f"{block} rows", slots, case.expected(first, block), block, block * macs_per_row


def depthwise3x3(names: list[str]) -> None:
    """Channel planes."""
    for height, width, channels, stride, pitch in (
        (25, 5, 64, 1, 5),
        (25, 5, 64, 1, 6),
        (48, 48, 8, 1, 48),
        (12, 12, 64, 1, 12),
        (48, 48, 16, 2, 48),
        (24, 24, 32, 2, 24),
    ):
        case = depthwise_case(
            np.random.default_rng(1),
            Shape(height, width, channels, stride=(stride, stride)),
            input_storage=Storage(Layout.HCW, unsigned=True, pitch=pitch),
            output_storage=Storage(unsigned=True),
        )
        lowered = dsp.lower3x3(case.layer)
        macs = case.y.shape[1] * channels * 9
        for what, slots, expected, rows, count in steps(case, lowered, macs):
            label = f"depthwise3x3 {height}x{width}x{channels} stride {stride} pitch {pitch}, {what}"
            measure(label, PLANES, lowered, slots, expected, rows, count, names)


def depthwise(names: list[str]) -> None:
    """Pixels of channels, any kernel."""
    for height, width, channels, kernel, stride, same in (
        (25, 5, 64, (3, 3), (1, 1), True),
        (12, 12, 64, (3, 3), (2, 2), True),
        (12, 12, 32, (5, 5), (1, 1), True),
        (20, 1, 64, (10, 1), (1, 1), False),
        (5, 1, 64, (5, 1), (1, 1), False),
        (49, 1, 64, (5, 1), (1, 1), True),
        (1, 64, 32, (1, 9), (1, 1), True),
    ):
        case = depthwise_case(
            np.random.default_rng(1),
            Shape(height, width, channels, kernel, stride, same=same),
            input_storage=Storage(unsigned=True),
            output_storage=Storage(unsigned=True),
        )
        lowered = dsp.lower(case.layer)
        macs = case.y.shape[1] * channels * kernel[0] * kernel[1]
        for what, slots, expected, rows, count in steps(case, lowered, macs):
            label = f"depthwise {height}x{width}x{channels} {kernel[0]}x{kernel[1]} stride {stride[0]}, {what}"
            measure(label, PIXELS, lowered, slots, expected, rows, count, names)


def winograd3x3(names: list[str]) -> None:
    """3x3 by Winograd; per multiply-accumulate of the plain convolution."""
    storage = Storage(unsigned=True)
    for size, channels in ((16, 16), (16, 32), (8, 64)):
        rng = np.random.default_rng(1)
        case = conv_case(rng, (size, size), (channels, channels), input_storage=storage, output_storage=storage)
        macs = case.y.size * channels * 9
        for name, tile in TILES.items():
            lowered = winograd.lower(case.layer, tile)
            label = f"winograd {name} {size}x{size} {channels}->{channels}, form {dict(lowered.fields)['output']}"
            whole = case.rows().whole()
            measure(label, source(tile), lowered, whole, case.expected(), len(case.y), macs, names)


BENCHES = {"depthwise3x3": depthwise3x3, "depthwise": depthwise, "winograd": winograd3x3}


def main(arguments: list[str]) -> None:
    """Run the named benches with the named compilers."""
    names = [a for a in arguments if a in COMPILERS] or ["gcc", "zig"]
    for name in [a for a in arguments if a in BENCHES] or list(BENCHES):
        BENCHES[name](names)


if __name__ == "__main__":
    main(sys.argv[1:])
