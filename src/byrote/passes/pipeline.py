"""The passes in order.  Each is a function Graph -> Graph that keeps every output byte for every input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from byrote.ir import Graph, verify
from byrote.passes.channels import remove_channels
from byrote.passes.constant_outputs import materialise_outputs
from byrote.passes.dead_code import remove_dead_code
from byrote.passes.fold_constants import fold_constants
from byrote.passes.fold_pads import fold_pads
from byrote.passes.fuse_clamps import fuse_clamps
from byrote.passes.reshapes import absorb_reshapes
from byrote.passes.single_channel import widen_single_channels

Pass = Callable[[Graph], Graph]

PIPELINE: tuple[tuple[str, Pass], ...] = (
    ("fold-constants", fold_constants),
    ("dead-code", remove_dead_code),
    ("fold-pads", fold_pads),
    ("fuse-clamps", fuse_clamps),
    ("reshapes", absorb_reshapes),
    ("single-channel", widen_single_channels),
    ("channels", remove_channels),
    ("dead-code-again", remove_dead_code),
    ("constant-outputs", materialise_outputs),
)


@dataclass(frozen=True)
class PassRecord:
    """What a pass did, for the report: numbers of nodes and multiply-accumulates before and after."""

    name: str
    nodes_before: int
    nodes_after: int
    macs_before: int
    macs_after: int


def run_passes(graph: Graph, pipeline: tuple[tuple[str, Pass], ...] = PIPELINE) -> tuple[Graph, tuple[PassRecord, ...]]:
    """Run all passes; the graph is verified after each."""
    records: list[PassRecord] = []
    for name, rewrite in pipeline:
        result = verify(rewrite(graph))
        records.append(PassRecord(name, len(graph.nodes), len(result.nodes), graph.macs, result.macs))
        graph = result
    return graph, tuple(records)
