"""From a graph with kernels to the schedules worth having.

Pareto dynamic programming over contiguous segments of the order: the plans of order[:end] are those of order[:start]
followed by one segment, for every start, rows per step and pace; a plan is worth keeping when no other needs less RAM
and fewer cycles.  A whole-tensor step is a segment of one node, so the result is never worse than layer by layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from byrote.ir import Graph, TensorId
from byrote.kernel import Selection
from byrote.schedule.bystanders import Bystanders
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.footprint import Footprint
from byrote.schedule.options import Goal, Granularity, Options
from byrote.schedule.order import best_order
from byrote.schedule.pace import paces
from byrote.schedule.region import CALLER, Edge, Region
from byrote.schedule.rows import row_segment
from byrote.schedule.schedule import Schedule, Segment
from byrote.schedule.steady import Walk, all_edges
from byrote.schedule.whole import whole_segment, with_views

Cost = Callable[[int, int], int]
"""(node, rows per call) to the cycles of all its calls in one inference."""

_BLOCKS = (1, 2, 4, 8)
_PACES = 5
_PLANS = 24
_CYCLES_PER_MOVED_BYTE = 1


@dataclass(frozen=True)
class Candidate:
    """A schedule with an estimate of its arena and of its cycles; planning tells the arena exactly."""

    schedule: Schedule
    ram: int
    cycles: int


@dataclass(frozen=True)
class _Piece:
    """order[start:end]; `block` None: one node on whole tensors."""

    start: int
    end: int
    ram: int
    cycles: int
    block: int | None = None
    coarse: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _Plan:
    ram: int
    cycles: int
    pieces: tuple[_Piece, ...] = ()


def default_cost(graph: Graph) -> Cost:
    """A rough measure where no core's table is known: multiply-accumulates, outputs, and an overhead per call."""

    def cost(node: int, rows: int) -> int:
        outputs = graph.types(graph.nodes[node].outputs)
        calls = -(-max((kind.rows for kind in outputs), default=1) // max(rows, 1))
        return 3 * graph.node_macs(node) + 8 * sum(kind.elements for kind in outputs) + 150 * calls

    return cost


def candidates(
    graph: Graph, selection: Selection, options: Options, cost: Cost | None = None
) -> tuple[Candidate, ...]:
    """Schedules worth trying, the one with the least estimated RAM first; cycles fall as RAM grows.

    With `push_input` the first input is delivered row by row; there may be no such schedule, then the result is empty.
    """
    flow = Dataflow(graph, selection)
    either_way = options.goal is not Goal.SPEED
    footprint = Footprint(flow, options.align, either_way)
    order = best_order(flow, footprint)
    pushed = flow.inputs[0] if options.push_input else None
    search = _Search(flow, footprint, order, options, pushed, cost or default_cost(graph))
    return search.candidates()


def schedule(graph: Graph, selection: Selection, options: Options, cost: Cost | None = None) -> Schedule:
    """The preferred schedule by estimate; `choose` decides after planning."""
    found = candidates(graph, selection, options, cost)
    return preferred(found, options)[0].schedule


@dataclass
class _Search:
    flow: Dataflow
    footprint: Footprint
    order: tuple[int, ...]
    options: Options
    pushed: TensorId | None
    cost: Cost
    refused: set[tuple[int, int, int | None, frozenset[int]]] = field(
        default_factory=set[tuple[int, int, "int | None", frozenset[int]]]
    )

    def candidates(self) -> tuple[Candidate, ...]:
        """Plans whose segments cannot be built after all are replaced by others."""
        pieces = self._pieces()
        while True:
            plans = self._best(pieces)
            built = [self._build(plan) for plan in plans]
            if None not in built or not plans:
                return tuple(candidate for candidate in built if candidate is not None)

    def _pieces(self) -> list[list[_Piece]]:
        """Per end position all segments that end there."""
        count = len(self.order)
        bystanders = Bystanders(self.flow, self.footprint, self.order, self.options.keep_input, self.pushed)
        result = [[] for _ in range(count + 1)] if False else [list[_Piece]() for _ in range(count + 1)]
        for index in range(count):
            result[index + 1].append(self._whole_piece(bystanders, index))
        if self.options.granularity is Granularity.WHOLE and self.pushed is None:
            return result
        edges = all_edges(bystanders)
        for end in range(1, count + 1):
            for block, coarse in self._variants(edges, end):
                result[end] += self._row_pieces(Walk(bystanders, end, block, coarse, edges))
        return result

    def _whole_piece(self, bystanders: Bystanders, index: int) -> _Piece:
        node = self.order[index]
        live, dying = bystanders.live_before(index)
        rows = self.flow.rows(self.flow.graph.nodes[node].outputs[0])
        return _Piece(index, index + 1, self.footprint.during(node, live, dying), self.cost(node, rows))

    def _variants(self, edges: dict[int, tuple[Edge, ...]], end: int) -> list[tuple[int, frozenset[int]]]:
        """Rows per step, and which strided nodes have producers that make several rows per call: the earliest ones."""
        strided = [
            node for node in self.order[:end] if any(edge.stride is not None and edge.stride > 1 for edge in edges[node])
        ]
        cuts = sorted({round(i * len(strided) / (_PACES - 1)) for i in range(_PACES)})
        return [(block, frozenset(strided[:cut])) for block in _BLOCKS for cut in cuts]

    def _row_pieces(self, walk: Walk) -> list[_Piece]:
        found: list[_Piece] = []
        for price in walk.prices():
            pushing = CALLER in price.rows
            if walk.end - price.start < 2 and not pushing:
                continue
            cycles = sum(self.cost(node, rows) for node, rows in price.rows.items() if node != CALLER)
            cycles += price.moved * _CYCLES_PER_MOVED_BYTE
            coarse = walk.coarse.intersection(self.order[price.start : walk.end])
            found.append(_Piece(price.start, walk.end, price.ram, cycles, walk.block, coarse))
        return found

    def _best(self, pieces: list[list[_Piece]]) -> list[_Plan]:
        plans: list[list[_Plan]] = [[_Plan(0, 0)]]
        for end in range(1, len(self.order) + 1):
            reached = [
                _Plan(max(plan.ram, piece.ram), plan.cycles + piece.cycles, (*plan.pieces, piece))
                for piece in pieces[end]
                if (piece.start, piece.end, piece.block, piece.coarse) not in self.refused
                if self._allowed(piece)
                for plan in plans[piece.start]
            ]
            plans.append(_pareto(reached))
        return plans[-1]

    def _allowed(self, piece: _Piece) -> bool:
        """The readers of a pushed input are all in the first segment."""
        if self.pushed is None:
            return True
        readers = set(self.flow.readers.get(self.pushed, ()))
        inside = readers.intersection(self.order[piece.start : piece.end])
        return not inside or (inside == readers and piece.start == 0 and piece.block is not None)

    def _build(self, plan: _Plan) -> Candidate | None:
        segments: list[Segment] = []
        for piece in plan.pieces:
            segment = self._segment(piece)
            if segment is None:
                self.refused.add((piece.start, piece.end, piece.block, piece.coarse))
                return None
            segments.append(segment)
        return Candidate(_add_views(self.flow, segments), plan.ram, plan.cycles)

    def _segment(self, piece: _Piece) -> Segment | None:
        nodes = self.order[piece.start : piece.end]
        if piece.block is None:
            return whole_segment(self.flow, nodes[0], either_way=self.footprint.either_way)
        region = Region(self.flow, nodes, self.pushed if piece.start == 0 else None)
        pace = paces(region, piece.block, piece.coarse)
        if region.obstacle() is not None or isinstance(pace, str):
            return None
        segment = row_segment(region, pace, piece.block)
        return None if isinstance(segment, str) else segment


def _pareto(plans: Sequence[_Plan]) -> list[_Plan]:
    """Plans that no other one beats in both respects, by RAM; thinned out evenly if there are many."""
    best: list[_Plan] = []
    for plan in sorted(plans, key=lambda plan: (plan.ram, plan.cycles, len(plan.pieces))):
        if not best or plan.cycles < best[-1].cycles:
            best.append(plan)
    if len(best) <= _PLANS:
        return best
    return [best[round(i * (len(best) - 1) / (_PLANS - 1))] for i in range(_PLANS)]


def _add_views(flow: Dataflow, segments: Sequence[Segment]) -> Schedule:
    """Views join the schedule as soon as their input exists."""
    order = tuple(node for segment in segments for node in segment.nodes)
    holder = {node: segment for segment in segments for node in segment.nodes}
    result: list[Segment] = []
    waiting: list[Segment] = []
    for node in with_views(flow, order):
        segment = holder.get(node)
        if segment is None:
            waiting.append(whole_segment(flow, node))
        elif segment.nodes[0] == node:
            result += [*waiting, segment]
            waiting = []
    return Schedule((*result, *waiting))


def preferred(found: Sequence[Candidate], options: Options) -> list[Candidate]:
    """Candidates in the order in which they serve the goal, by estimate."""
    by_ram = sorted(found, key=lambda candidate: (candidate.ram, candidate.cycles))
    by_speed = sorted(found, key=lambda candidate: (candidate.cycles, candidate.ram))
    if options.goal is Goal.RAM or options.granularity is Granularity.ROWS:
        return by_ram
    if options.goal is Goal.AUTO:
        limit = by_speed[0].cycles * 1.08 if by_speed else 0
        quick = [candidate for candidate in by_ram if candidate.cycles <= limit]
        return quick + [candidate for candidate in by_speed if candidate.cycles > limit]
    return by_speed
