"""Opening a model file of any supported format."""

from __future__ import annotations

from pathlib import Path

from byrote.importers.tflite import import_tflite
from byrote.ir import Graph, user_error
from byrote.ops import Profile

LARGEST_FILE = 256 << 20
"""Bytes; far above what fits a microcontroller, far below what hurts this machine."""


def load_model(path: Path, profile: Profile = Profile.TFLM) -> Graph:
    """The graph of a model file.  Raises UserError for anything that is wrong with the file."""
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise user_error(str(path), f"the file has {size} bytes, more than {LARGEST_FILE}")
        data = path.read_bytes()
    except OSError as error:
        raise user_error(str(path), error.strerror or str(error), "check the path") from error
    if data[4:8] != b"TFL3":
        raise user_error(str(path), "this is not a TensorFlow Lite model", "give a .tflite file")
    return import_tflite(data, path.stem, str(path), profile)
