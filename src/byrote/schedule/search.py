"""From a graph with kernels to the schedule that serves the user's goal."""

from __future__ import annotations

from byrote.ir import Graph
from byrote.kernel import Selection
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.footprint import Footprint
from byrote.schedule.options import Goal, Options
from byrote.schedule.order import best_order
from byrote.schedule.schedule import Schedule
from byrote.schedule.whole import whole_schedule


def schedule(graph: Graph, selection: Selection, options: Options) -> Schedule:
    """The preferred schedule.  The direction of whole-tensor segments is left open unless speed is all that counts:
    `settle` closes it when addresses are known.
    """
    flow = Dataflow(graph, selection)
    either_way = options.goal is not Goal.SPEED
    order = best_order(flow, Footprint(flow, options.align, either_way))
    return whole_schedule(flow, order, either_way=either_way)
