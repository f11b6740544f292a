"""TensorFlow Lite flatbuffers."""

from byrote.importers.tflite.build import import_tflite

__all__ = ["import_tflite"]
