"""What a whole inference is predicted to cost, layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from byrote.costs.model import NOTHING, CostModel, Prediction
from byrote.ir import Graph
from byrote.kernel import NodeView, Selection
from byrote.schedule import Phase, Run, Schedule, Slide

_MOVE_CALL, _MOVE_WORD = 12.0, 2.5
"""Instructions of moving rows: per call, per four bytes."""


@dataclass(frozen=True)
class InferenceCost:
    """`layers[i]`: all calls of node i (nothing for views).  `moves`: keeping rows.  `basis`: what it rests on.

    `exact_core`: measured on this very core.
    """

    layers: tuple[Prediction, ...]
    moves: Prediction
    basis: str
    exact_core: bool

    @property
    def total(self) -> Prediction:
        """The whole inference."""
        return sum(self.layers, self.moves)


def view_of(graph: Graph, selection: Selection, node: int) -> NodeView:
    """A node on the storages that were chosen."""
    applied, storages = graph.nodes[node], selection.storages
    inputs, outputs = (tuple(storages[t] for t in ids) for ids in (applied.inputs, applied.outputs))
    return NodeView(graph, applied, inputs, outputs, selection.small)


def layer_cycles(model: CostModel, graph: Graph, selection: Selection) -> Callable[[int, int], int] | None:
    """For the scheduler: cycles of a whole node made `rows` output rows at a time (an accumulator: taking them).

    None where nothing was measured: the scheduler has a rough measure of its own.
    """
    if not model.kernels:
        return None

    @cache
    def cycles(node: int, rows: int) -> int:
        if selection.choices[node] is None:
            return 0
        return round(model.layer(selection.choice(node).kernel, view_of(graph, selection, node), rows).cycles)

    return cycles


def predict(model: CostModel, graph: Graph, selection: Selection, schedule: Schedule) -> InferenceCost:
    """The cost of every call of a schedule."""
    layers = [NOTHING] * len(graph.nodes)
    taken: dict[int, int] = {}
    moves = NOTHING
    for segment in schedule.segments:
        for step in segment.steps:
            for action in step.actions:
                if isinstance(action, Slide):
                    moves += _move(graph, selection, action)
                elif isinstance(action, Run) and action.phase is Phase.RUN:
                    kernel = selection.choice(action.node).kernel
                    if kernel.accumulates:
                        taken[action.node] = max(taken.get(action.node, 0), action.rows)
                        continue
                    view = view_of(graph, selection, action.node)
                    layers[action.node] += model.call(kernel, view, action.rows)
    for node, rows in taken.items():
        layers[node] = model.layer(selection.choice(node).kernel, view_of(graph, selection, node), rows)
    return InferenceCost(tuple(layers), moves, model.basis, model.exact_core)


def _move(graph: Graph, selection: Selection, action: Slide) -> Prediction:
    size = action.rows * selection.storages[action.tensor].row_size(graph.tensors[action.tensor].type)
    instructions = _MOVE_CALL + _MOVE_WORD * size / 4
    return Prediction(instructions, instructions * 1.3, measured=False)
