"""From the trained network to an int8 model: activations by their range on the training set, weights per channel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from network import Array, Convolution, Network
from tflite_file import Quant, TfliteFile

PIXELS = Quant((1 / 255,), (-128,))
PROBABILITIES = Quant((1 / 256,), (-128,))


@dataclass(frozen=True)
class Tensor:
    """An activation in the file: its index and its quantisation."""

    index: int
    quant: Quant


def quantise(network: Network, images: Array) -> bytes:
    """The .tflite file of the network; `images` are those on which the ranges of the activations are taken."""
    file = TfliteFile()
    ranges = [quant_of(made) for made in network.forward(images)]
    image = Tensor(file.tensor("image", (1, 8, 8, 1), "int8", PIXELS), PIXELS)
    stem = image
    for name, layer, quant in zip(("stem", "stem_depthwise", "stem_pointwise"), network.stem, ranges, strict=False):
        stem = convolution(file, name, layer, stem, quant)
    block = stem
    for name, layer, quant in zip(("block_depthwise", "block_pointwise"), network.block, ranges[3:], strict=False):
        block = convolution(file, name, layer, block, quant)
    joined, _, logits_quant = ranges[5:]
    total = file.tensor("residual", (1, 4, 4, 16), "int8", joined)
    file.add(stem.index, block.index, total)
    pooled = file.tensor("pooled", (1, 2, 2, 16), "int8", joined)  # an average keeps its input's quantisation
    file.average_pool(total, pooled, size=2)
    flat = file.tensor("flat", (1, 64), "int8", joined)
    file.reshape(pooled, flat, (1, 64))
    logits = file.tensor("logits", (1, 10), "int8", logits_quant)
    weights, bias = parameters(file, "dense", network.dense.value.T, network.bias.value, joined, axis=0)
    file.fully_connected(flat, weights, bias, logits)
    probabilities = file.tensor("probabilities", (1, 10), "int8", PROBABILITIES)
    file.softmax(logits, probabilities)
    return file.to_bytes(image.index, probabilities)


def convolution(file: TfliteFile, name: str, layer: Convolution, x: Tensor, quant: Quant) -> Tensor:
    """Writes one convolution and its parameters."""
    rows, channels = layer.passed.shape[1], layer.passed.shape[3]
    y = file.tensor(name, (1, rows, rows, channels), "int8", quant)
    values = layer.weights.value
    ordered = values[np.newaxis] if layer.depthwise else values.transpose(3, 0, 1, 2)
    axis = 3 if layer.depthwise else 0
    weights, bias = parameters(file, name, ordered, layer.bias.value, x.quant, axis)
    file.convolution(x.index, weights, bias, y, layer.stride, layer.relu, layer.depthwise)
    return Tensor(y, quant)


def parameters(file: TfliteFile, name: str, weights: Array, bias: Array, x: Quant, axis: int) -> tuple[int, int]:
    """Weights as int8, symmetric, one scale per index of `axis`; the bias as int32 in the accumulator's scale."""
    others = tuple(other for other in range(weights.ndim) if other != axis)
    scales = np.abs(weights).max(axis=others) / 127
    shape = [1] * weights.ndim
    shape[axis] = -1
    quantised = np.rint(weights / scales.reshape(shape)).astype(np.int8)
    zeros = (0,) * len(scales)
    steps = scales * x.scales[0]
    return (
        file.constant(f"{name}/weights", quantised, Quant(tuple(scales), zeros, axis)),
        file.constant(f"{name}/bias", np.rint(bias / steps).astype(np.int32), Quant(tuple(steps), zeros)),
    )


def quant_of(values: Array) -> Quant:
    """255 equal steps over the values' range, which is widened to contain 0 as an exact value."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    scale = (high - low) / 255
    return Quant((scale,), (round(-128 - low / scale),))
