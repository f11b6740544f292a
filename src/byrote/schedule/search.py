"""Which schedules are worth having.

Pareto dynamic programming over contiguous segments of the order: the plans of order[:end] are those of order[:start]
followed by one piece, for every start, rows per step and pace; a plan is worth keeping when no other needs less RAM
and fewer cycles.  A whole-tensor step is a piece of one node, so the result is never worse than layer by layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from byrote.ir import Graph, TensorId
from byrote.kernel import NodeView, Selection
from byrote.schedule.bystanders import Bystanders
from byrote.schedule.dataflow import Dataflow
from byrote.schedule.footprint import Footprint
from byrote.schedule.options import Goal, Granularity, Options
from byrote.schedule.order import best_order
from byrote.schedule.pace import paces
from byrote.schedule.region import Region
from byrote.schedule.rows import row_segment
from byrote.schedule.schedule import Schedule, Segment
from byrote.schedule.steady import Cost, Setting, Walk
from byrote.schedule.whole import whole_segment, with_views

_BLOCKS = (1, 2, 4, 8)
_PACES = 5
_PLANS = 24
_RAM_PLANS = 4
"""Plans kept per position; few are enough where little RAM is all that counts."""
_HOPE = 14
"""Sixteenths of an estimate that may turn out to be enough: bytes at borders of the image are shared."""
_CYCLES_PER_MOVED_BYTE = 1
_CYCLES_PER_CALL = 20
_CYCLES_PER_ROW_NODE = 100
"""So that whole tensors win where nothing else differs."""


@dataclass(frozen=True)
class Piece:
    """order[start:end] run together; `block`: rows per step, None for one node on whole tensors.

    `ram`: bytes of arena while it runs, by estimate unless `measured`; `coarse`: see `paces`.
    """

    start: int
    end: int
    ram: int
    cycles: int
    block: int | None = None
    coarse: frozenset[int] = frozenset()
    measured: bool = False


@dataclass(frozen=True)
class Plan:
    """Pieces that make up the whole order."""

    ram: int
    cycles: int
    pieces: tuple[Piece, ...]


def kernel_cost(graph: Graph, selection: Selection) -> Cost:
    """What the chosen kernels state about themselves, for all calls of an inference.

    A call of an accumulating kernel takes input rows; its work does not depend on how many calls share it.
    """

    @cache
    def cost(node: int, rows: int) -> int:
        applied = graph.nodes[node]
        kernel = selection.choice(node).kernel
        storages = selection.storages
        inputs, outputs = (tuple(storages[t] for t in ids) for ids in (applied.inputs, applied.outputs))
        view = NodeView(graph, applied, inputs, outputs, selection.small)
        if kernel.accumulates:
            calls = -(-max((kind.rows for kind in graph.types(applied.inputs)), default=1) // max(rows, 1))
            return kernel.cost(view, 1) + _CYCLES_PER_CALL * calls
        calls, rest = divmod(graph.tensors[applied.outputs[0]].type.rows, max(rows, 1))
        return calls * (kernel.cost(view, rows) + _CYCLES_PER_CALL) + (kernel.cost(view, rest) if rest else 0)

    return cost


class Search:
    """All pieces of one graph with their prices, which improve as pieces are measured.

    With an `order` that was found before it only builds schedules of plans that were, too.
    """

    def __init__(
        self,
        graph: Graph,
        selection: Selection,
        options: Options,
        cost: Cost | None = None,
        order: tuple[int, ...] | None = None,
    ) -> None:
        self.flow = Dataflow(graph, selection)
        self.options = options
        self.cost = cost or kernel_cost(graph, selection)
        self.pushed = self.flow.inputs[0] if options.push_input else None
        self.footprint = Footprint(self.flow, options.align, either_way=options.goal is not Goal.SPEED)
        self.order = best_order(self.flow, self.footprint) if order is None else order
        self.bystanders = Bystanders(self.flow, self.footprint, self.order, options.keep_input, self.pushed)
        self._pieces: dict[tuple[int, int], list[Piece]] = {}
        if order is None:
            self._fill()

    # Pieces

    def _fill(self) -> None:
        whole = [self._whole_piece(index) for index in range(len(self.order))]
        for piece in whole:
            self._add([piece])
        if self.options.granularity is Granularity.WHOLE and self.pushed is None:
            return
        limit = max((piece.ram for piece in whole), default=0)
        if self.pushed is not None:  # there may be no plan of whole tensors to be better than
            limit = sum(
                self.footprint.size(root) for root in range(len(self.flow.root)) if self.flow.root[root] == root
            )
        self._add_rows(_BLOCKS[:1], limit)
        if self.options.goal is Goal.RAM:
            plans = self.plans()
            limit = min(limit, plans[0].ram * 5 // 4) if plans else limit
        self._add_rows(_BLOCKS[1:], limit)

    def _add(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            known = self._pieces.setdefault((piece.start, piece.end), [])
            if piece not in known:
                known.append(piece)

    def _whole_piece(self, index: int) -> Piece:
        node = self.order[index]
        live, dying = self.bystanders.live_before(index)
        rows = self.flow.rows(self.flow.graph.nodes[node].outputs[0])
        ram = self.footprint.during(node, live, dying)
        return Piece(index, index + 1, ram, self.cost(node, rows), measured=True)

    def _add_rows(self, blocks: Sequence[int], limit: int) -> None:
        setting = Setting(self.bystanders, self.cost, limit)
        for end in range(1, len(self.order) + 1):
            for block, coarse in self._variants(setting, end, blocks):
                self._add(list(self._row_pieces(Walk(setting, end, block, coarse))))

    def _variants(self, setting: Setting, end: int, blocks: Sequence[int]) -> Iterator[tuple[int, frozenset[int]]]:
        """Rows per step, and which strided nodes have producers that make several rows per call: the earliest ones."""
        edges = setting.edges
        strided = [
            node
            for node in self.order[:end]
            if any(edge.stride is not None and edge.stride > 1 for edge in edges[node])
        ]
        cuts = sorted({round(i * len(strided) / (_PACES - 1)) for i in range(_PACES)})
        last = self.order[end - 1]
        tensor = edges[last][0].tensor if self.flow.accumulates(last) else self.flow.graph.nodes[last].outputs[0]
        for block in blocks:
            if block == 1 or block < self.flow.rows(tensor):
                yield from ((block, frozenset(strided[:cut])) for cut in cuts)

    def _row_pieces(self, walk: Walk) -> Iterator[Piece]:
        for price in walk.prices():
            inside = self.order[price.start : walk.end]
            if len(inside) < 2 and (price.start or self.pushed is None):
                continue
            cycles = price.cycles + price.moved * _CYCLES_PER_MOVED_BYTE + len(inside) * _CYCLES_PER_ROW_NODE
            made = {tensor for node in inside for tensor in self.flow.graph.nodes[node].outputs}
            if self.pushed is not None:
                made.add(self.pushed)
            edges = walk.setting.edges
            coarse = {node for node in inside if node in walk.coarse and any(e.root in made for e in edges[node])}
            yield Piece(price.start, walk.end, price.ram * _HOPE // 16, cycles, walk.block, frozenset(coarse))

    def _allowed(self, piece: Piece) -> bool:
        """The readers of a pushed input are all in the first piece."""
        if self.pushed is None:
            return True
        readers = set(self.flow.readers.get(self.pushed, ()))
        inside = readers.intersection(self.order[piece.start : piece.end])
        return not inside or (inside == readers and piece.start == 0 and piece.block is not None)

    # What measuring found out

    def learn(self, piece: Piece, height: int) -> None:
        """Bytes that the piece's own buffers need; others live beside them."""
        ram = height + sum(map(self.footprint.size, self.passing(piece)))
        pieces = self._pieces[piece.start, piece.end]
        pieces[pieces.index(piece)] = replace(piece, ram=ram, measured=True)

    def distrust(self, piece: Piece, ram: int) -> None:
        """Beside its neighbours it needed more than by itself."""
        pieces = self._pieces[piece.start, piece.end]
        pieces[pieces.index(piece)] = replace(piece, ram=max(ram, piece.ram))

    def passing(self, piece: Piece) -> tuple[TensorId, ...]:
        """Whole tensors that live beside the piece's own buffers."""
        return self.bystanders.around(piece.start, piece.end).passing

    def refuse(self, piece: Piece) -> None:
        """It cannot be built."""
        known = self._pieces.get((piece.start, piece.end), [])
        if piece in known:
            known.remove(piece)

    # Plans

    def plans(self, *, roomy: bool = False) -> list[Plan]:
        """Plans worth having, the one with the least RAM first; cycles fall as RAM grows.

        `roomy`: instead of few cycles, little RAM in all pieces, so that neighbours leave each other room.
        There is none if a pushed input is read by nodes that cannot run row by row.
        """
        count = len(self.order)
        ending: list[list[list[Piece]]] = [[] for _ in range(count + 1)]
        for (_, end), pieces in sorted(self._pieces.items()):
            ending[end].append(_best_pieces([piece for piece in pieces if self._allowed(piece)], roomy))
        points: list[list[_Point]] = [[_Point(0, 0, 0, None, None)]]
        for end in range(1, count + 1):
            reached = [
                _Point(
                    max(before.ram, piece.ram),
                    before.cycles + (piece.ram if roomy else piece.cycles),
                    before.pieces + 1,
                    before,
                    piece,
                )
                for pieces in ending[end]
                for piece in pieces
                for before in points[piece.start]
            ]
            points.append(_pareto(reached, _RAM_PLANS if roomy or self.options.goal is Goal.RAM else _PLANS))
        return [_plan(point.ram, point.path()) for point in points[-1]]

    def whole_cycles(self, piece: Piece) -> int:
        """Of the same nodes on whole tensors, one after the other."""
        return sum(self._pieces[index, index + 1][0].cycles for index in range(piece.start, piece.end))

    def whole_plan(self) -> Plan | None:
        """Layer by layer; None if the input is pushed."""
        if self.pushed is not None:
            return None
        pieces = [self._pieces[index, index + 1][0] for index in range(len(self.order))]
        return _plan(max((piece.ram for piece in pieces), default=0), pieces)

    # From plans to schedules

    def segment(self, piece: Piece) -> Segment | None:
        """The exact steps; None if there are none after all."""
        nodes = self.order[piece.start : piece.end]
        if piece.block is None:
            return whole_segment(self.flow, nodes[0], either_way=self.footprint.either_way)
        region = Region(self.flow, nodes, self.pushed if piece.start == 0 else None)
        if region.obstacle() is not None:
            return None
        pace = paces(region, piece.block, piece.coarse)
        segment = pace if isinstance(pace, str) else row_segment(region, pace, piece.block)
        return None if isinstance(segment, str) else segment

    def schedule(self, plan: Plan) -> Schedule | None:
        """None if a piece cannot be built after all; it is then refused in future."""
        segments: list[Segment] = []
        for piece in plan.pieces:
            segment = self.segment(piece)
            if segment is None:
                self.refuse(piece)
                return None
            segments.append(segment)
        return _add_views(self.flow, segments)


class _Point:
    """A way to reach a position of the order; `cycles` or what else is to be little beside RAM."""

    __slots__ = ("before", "cycles", "piece", "pieces", "ram")

    def __init__(self, ram: int, cycles: int, pieces: int, before: _Point | None, piece: Piece | None) -> None:
        self.ram = ram
        self.cycles = cycles
        self.pieces = pieces
        self.before = before
        self.piece = piece

    def path(self) -> list[Piece]:
        found: list[Piece] = []
        point: _Point | None = self
        while point is not None and point.piece is not None:
            found.append(point.piece)
            point = point.before
        return found[::-1]


def _pareto(points: list[_Point], width: int) -> list[_Point]:
    """Points that no other one beats in both respects, by RAM; thinned out evenly if there are many."""
    points.sort(key=lambda point: (point.ram, point.cycles, point.pieces))
    best: list[_Point] = []
    for point in points:
        if not best or point.cycles < best[-1].cycles:
            best.append(point)
    if len(best) <= width:
        return best
    return [best[round(i * (len(best) - 1) / (width - 1))] for i in range(width)]


def _plan(ram: int, pieces: list[Piece]) -> Plan:
    return Plan(ram, sum(piece.cycles for piece in pieces), tuple(pieces))


def _best_pieces(pieces: list[Piece], roomy: bool) -> list[Piece]:
    """Those that no other one with the same nodes beats in both respects, or the one with the least RAM."""
    if roomy:
        return [min(pieces, key=lambda piece: (piece.ram, piece.cycles))] if pieces else []
    best: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: (piece.ram, piece.cycles)):
        if not best or piece.cycles < best[-1].cycles:
            best.append(piece)
    return best


def _add_views(flow: Dataflow, segments: Sequence[Segment]) -> Schedule:
    """Views join the schedule as soon as their input exists; a view of a row segment's tensor follows the segment."""
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


def preferred(plans: Sequence[Plan], options: Options) -> list[Plan]:
    """Plans in the order in which they serve the goal."""
    by_ram = sorted(plans, key=lambda plan: (plan.ram, plan.cycles))
    by_speed = sorted(plans, key=lambda plan: (plan.cycles, plan.ram))
    if options.goal is Goal.RAM or options.granularity is Granularity.ROWS:
        return by_ram
    if options.goal is Goal.AUTO and by_speed:
        limit = by_speed[0].cycles * 108 // 100
        quick = [plan for plan in by_ram if plan.cycles <= limit]
        return quick + [plan for plan in by_speed if plan.cycles > limit]
    if options.goal is Goal.FLASH:
        return sorted(plans, key=lambda plan: (sum(piece.block is not None for piece in plan.pieces), plan.ram))
    return by_speed


def schedule(graph: Graph, selection: Selection, options: Options, cost: Cost | None = None) -> Schedule:
    """The preferred schedule by estimate, nothing placed.  Raises ValueError if the input cannot be pushed."""
    search = Search(graph, selection, options, cost)
    while plans := preferred(search.plans(), options):
        found = search.schedule(plans[0])
        if found is not None:
            return found
    raise ValueError("the input cannot be delivered row by row: a node that reads it needs all of it at once")
