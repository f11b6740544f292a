"""A small network with a residual connection, and how much memory it takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.support.options import Conv2DOptions
from tests.support.sketch import Sketch, per_tensor

SAME = Conv2DOptions(padding=0, stride_h=1, stride_w=1)


def residual(path: Path) -> Path:
    """16 x 16 x 3 to 12 x 16 x 16 and a global mean: a few KB of arena, whole or by rows."""
    rng = np.random.default_rng(3)
    sketch = Sketch()
    x = sketch.input((1, 16, 16, 3), per_tensor(0.05))

    def conv(source: int, kernel: int, channels: int) -> int:
        shape = (12, kernel, kernel, channels)
        weights = rng.integers(-127, 128, shape, dtype=np.int8)
        return sketch.conv2d(source, weights, np.zeros(12, np.int32), (0.004,) * 12, to=per_tensor(0.1), options=SAME)

    a = conv(x, 3, 3)
    b = conv(conv(a, 3, 12), 1, 12)
    y = sketch.mean(sketch.add_tensors(a, b, per_tensor(0.2)), (1, 2), per_tensor(0.1))
    path.write_bytes(sketch.model(y).to_bytes())
    return path
