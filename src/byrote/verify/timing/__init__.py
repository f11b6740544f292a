"""Timings of cores as data: one file per core, every number with its source and how far it can be trusted."""

from byrote.verify.timing.table import Interval, Timing, Trust, load_timing, timing_names

__all__ = ["Interval", "Timing", "Trust", "load_timing", "timing_names"]
