"""Graph to graph, one rewrite per file, verified after each."""

from byrote.passes.pipeline import PIPELINE, PassRecord, run_passes

__all__ = ["PIPELINE", "PassRecord", "run_passes"]
