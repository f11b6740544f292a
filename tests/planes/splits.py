"""Cutting the work of a layer into calls, each with its kept and fresh rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.planes.harness import Slots

JUNK = 0xEE
"""What padding slots and bytes that may be read but not used contain."""

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Rows:
    """A window along the rows of an input that is stored as `data`, uint8 [rows, bytes per row]."""

    data: Bytes
    extent: int
    stride: int
    before: int
    out_rows: int
    overread: int

    def whole(self) -> Slots:
        """All output rows in one call."""
        return Slots(b"", self.data.tobytes() + self.slack, 0, -self.before, 0, len(self.data))

    def call(self, first_row: int, rows: int, held: int, above: int = 0) -> Slots:
        """Output rows first_row.. with `held` kept rows; slot 0 lies `above` rows above the first window."""
        top = first_row * self.stride - self.before
        end = top + (rows - 1) * self.stride + self.extent
        origin = top - above
        held = min(held, end - origin)
        slots = [self._row(r) for r in range(origin, min(end, max(len(self.data), origin + held)))]
        kept, fresh = b"".join(slots[:held]) + self.slack, b"".join(slots[held:]) + self.slack
        return Slots(kept, fresh, held, above, max(-origin, 0), len(self.data) - origin)

    def split(self, rows: int, held: int, above: int = 0) -> Iterator[tuple[int, int, Slots]]:
        """(first row, rows, slots) of every call when `rows` are made at a time."""
        for first in range(0, self.out_rows, rows):
            count = min(rows, self.out_rows - first)
            yield first, count, self.call(first, count, held, above)

    @property
    def slack(self) -> bytes:
        return bytes([JUNK]) * self.overread

    def _row(self, index: int) -> bytes:
        inside = 0 <= index < len(self.data)
        return self.data[index].tobytes() if inside else bytes([JUNK]) * self.data.shape[1]


def planes(x: npt.NDArray[np.int64], pitch: int) -> Bytes:
    """[H, W, C] to rows of channel planes, [H, C * pitch]; the columns beyond W hold junk."""
    stored = np.full((x.shape[0], x.shape[2], pitch), JUNK, np.uint8)
    stored[:, :, : x.shape[1]] = (x & 0xFF).transpose(0, 2, 1)
    return stored.reshape(x.shape[0], -1)


def pixels(x: npt.NDArray[np.int64]) -> Bytes:
    """[H, W, C] to rows of pixels, [H, W * C]."""
    return (x & 0xFF).astype(np.uint8).reshape(x.shape[0], -1)
