"""Graph to graph, one rewrite per file, verified after each."""

from byrote.passes.edges import Edges, move_conversions, no_edges
from byrote.passes.pipeline import PIPELINE, PassRecord, run_passes

__all__ = ["PIPELINE", "Edges", "PassRecord", "move_conversions", "no_edges", "run_passes"]
