"""Trains a digit classifier, quantises it to int8 and writes digits_int8.tflite and golden.npz beside this file.

pip install 'byrote[verify]' scikit-learn && python train.py
"""

# scikit-learn is needed for training alone, so a development environment need not have it.
# pyright: reportMissingImports=false

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
from network import Array, Network, adam
from quantise import quantise
from sklearn.datasets import load_digits

from byrote.verify.oracle import tflm_calls

FOLDER = Path(__file__).parent
EPOCHS, BATCH, RATE = 80, 50, 4e-3
TRAINED_ON = 1400
GOLDEN = 20
Labels = npt.NDArray[np.int64]


class _Digits(Protocol):
    images: Array
    target: Labels


def main(epochs: int = EPOCHS, folder: Path = FOLDER) -> None:
    """Train, quantise, measure on digits that training did not see, and write the two files."""
    started = time.monotonic()
    images, labels = digits()
    seen, unseen = slice(TRAINED_ON), slice(TRAINED_ON, None)
    network = Network(np.random.default_rng(1))
    train(network, images[seen], labels[seen], epochs)
    model = quantise(network, images[seen])

    inputs = np.rint(images[unseen] * 255 - 128).astype(np.int8)
    runs = tflm_calls(model, [[image[np.newaxis]] for image in inputs])
    outputs = np.concatenate([run.outputs[0] for run in runs])
    exact = accuracy(network.forward(images[unseen])[-1], labels[unseen])
    print(f"unseen digits right: float {exact:.1%}, int8 {accuracy(outputs, labels[unseen]):.1%} of {len(inputs)}")
    print(f"{len(model)} bytes, {time.monotonic() - started:.0f} s")

    (folder / "digits_int8.tflite").write_bytes(model)
    shown = labels[unseen][:GOLDEN].astype(np.int8)
    np.savez_compressed(folder / "golden.npz", image=inputs[:GOLDEN], probabilities=outputs[:GOLDEN], label=shown)


def digits() -> tuple[Array, Labels]:
    """The 1,797 digits of scikit-learn in a fixed random order: (n, 8, 8, 1) between 0 and 1, and what they show."""
    loaded = cast("_Digits", load_digits())
    order = np.random.default_rng(0).permutation(len(loaded.target))
    return loaded.images[order][..., np.newaxis] / 16, loaded.target[order].astype(np.int64)


def train(network: Network, images: Array, labels: Labels, epochs: int) -> None:
    """Adam on the cross entropy, with a rate that falls to nothing and images shifted by up to a pixel."""
    random = np.random.default_rng(2)
    steps = epochs * (len(images) // BATCH)
    step = 0
    for epoch in range(epochs):
        order = random.permutation(len(images))
        loss = 0.0
        for batch in np.split(order, len(images) // BATCH):
            step += 1
            made = network.forward(shifted(images[batch], random))
            loss += network.backward(made, labels[batch])
            adam(network.parameters, step, RATE * (1 + np.cos(np.pi * step / steps)) / 2)
        print(f"epoch {epoch + 1:2d} of {epochs}: loss {loss / (len(images) // BATCH):.4f}")


def shifted(images: Array, random: np.random.Generator) -> Array:
    """Each image moved sideways by -1, 0 or 1 pixel; what leaves on one side is lost."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (0, 0)))
    offsets = random.integers(0, 3, len(images))
    return np.stack([image[:, left : left + 8] for image, left in zip(padded, offsets, strict=True)])


def accuracy(scores: npt.NDArray[np.generic], labels: Labels) -> float:
    """The share of rows whose largest score is at the label."""
    return float((scores.argmax(axis=1) == labels).mean())


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--epochs", type=int, default=EPOCHS)
    options.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder for the two files")
    chosen = options.parse_args()
    main(chosen.epochs, chosen.output)
