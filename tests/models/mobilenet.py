"""MobileNetV2, width 1.0, 224x224, with random weights: large enough to show what a plan by rows is worth."""

from __future__ import annotations

import numpy as np
from tflite.BuiltinOperator import BuiltinOperator as Code

from tests.support.options import NONE, RELU6, Conv2DOptions, DepthwiseConv2DOptions, Pool2DOptions
from tests.support.sketch import Sketch, per_tensor

BLOCKS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
"""(expansion, channels, repeats, stride of the first) of the inverted residual blocks."""

ACTIVATION = per_tensor(6 / 255, -128)
LINEAR = per_tensor(0.1, 3)


def mobilenet_v2(size: int = 224) -> bytes:
    """The .tflite file: int8 in, int8 logits out."""
    rng = np.random.default_rng(11)
    sketch = Sketch()

    def conv(x: int, channels: int, kernel: int, stride: int, active: bool) -> int:
        depth = sketch.shape(x)[3]
        weights = rng.integers(-127, 128, (channels, kernel, kernel, depth), dtype=np.int8)
        bias = rng.integers(-2000, 2000, channels, dtype=np.int32)
        scale = 0.4 / (127 * np.sqrt(depth) * kernel)
        options = Conv2DOptions(stride_h=stride, stride_w=stride, activation=RELU6 if active else NONE)
        return sketch.conv2d(x, weights, bias, (scale,) * channels, ACTIVATION if active else LINEAR, options)

    def depthwise(x: int, stride: int) -> int:
        channels = sketch.shape(x)[3]
        weights = rng.integers(-127, 128, (1, 3, 3, channels), dtype=np.int8)
        bias = rng.integers(-2000, 2000, channels, dtype=np.int32)
        options = DepthwiseConv2DOptions(stride_h=stride, stride_w=stride, activation=RELU6)
        return sketch.depthwise_conv2d(x, weights, bias, (0.005,) * channels, ACTIVATION, options)

    x = conv(sketch.input((1, size, size, 3), per_tensor(1 / 128)), 32, 3, 2, active=True)
    for expansion, channels, repeats, first in BLOCKS:
        for repeat in range(repeats):
            before, stride = x, first if repeat == 0 else 1
            if expansion > 1:
                x = conv(x, expansion * sketch.shape(x)[3], 1, 1, active=True)
            x = conv(depthwise(x, stride), channels, 1, 1, active=False)
            if repeat:
                x = sketch.add_tensors(before, x, LINEAR)
    x = conv(x, 1280, 1, 1, active=True)
    side = sketch.shape(x)[1]
    x = sketch.pool(
        Code.AVERAGE_POOL_2D,
        x,
        Pool2DOptions(padding=1, stride_w=side, stride_h=side, filter_width=side, filter_height=side),
    )
    x = sketch.reshape(x, (1, 1280))
    weights = rng.integers(-127, 128, (1000, 1280), dtype=np.int8)
    return sketch.model(sketch.fully_connected(x, weights, None, (0.0005,), per_tensor(0.1))).to_bytes()
