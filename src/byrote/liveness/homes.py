"""Which buffer holds what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from byrote.ir import TensorId


@dataclass(frozen=True)
class Homes:
    """Indices of the buffers in `Problem.buffers` (and `Plan.offsets`) that hold each thing.

    `whole`: per tensor, views included, the buffer whose first byte is the tensor's first; `kept` and `fresh`: per
    streamed tensor, where there are such rows; `scratch` and `accumulator`: per node, only where they have bytes.
    Scratch belongs to RUN calls.
    """

    whole: Mapping[TensorId, int]
    kept: Mapping[TensorId, int]
    fresh: Mapping[TensorId, int]
    scratch: Mapping[int, int]
    accumulator: Mapping[int, int]

    def addresses(self, offsets: Sequence[int]) -> dict[TensorId, int]:
        """First byte of every tensor that is whole in memory."""
        return {tensor: offsets[buffer] for tensor, buffer in self.whole.items()}
