"""Schedule, lifetimes and placement together: which plan serves the user's goal, and where everything lies.

Estimated prices of row segments lead the search; those that it would use are built and placed by themselves, and it
searches again with what that found, until it would use only measured ones.  The best few plans are then placed as a
whole, and the best of them is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from byrote.ir import Graph
from byrote.kernel import Selection
from byrote.liveness import Homes, liveness, segment_problem
from byrote.liveness.clock import clocks
from byrote.plan import Plan as Placement
from byrote.plan import Problem, solve
from byrote.plan.solve import Effort
from byrote.schedule import Goal, Mode, Options, Schedule, settle
from byrote.schedule.search import Plan, Search, preferred
from byrote.schedule.steady import Cost

_MEASUREMENTS = 64
_ROUNDS = 8
_ROUNDING = 64
"""Bytes that an estimate may be too high: sizes are rounded up to the alignment."""
_SMALL_EFFORT = Effort(iterations=150, nodes=0)
"""For one segment by itself."""
_EFFORT = Effort(iterations=1_000, nodes=500)
"""For a whole plan."""
_QUICK_EFFORT = Effort(iterations=300, nodes=0)
"""For a whole plan of which many are tried."""


@dataclass(frozen=True)
class SegmentCost:
    """What running these nodes together costs, sliding of rows included, and what they would cost one by one."""

    nodes: tuple[int, ...]
    cycles: int
    whole: int


@dataclass(frozen=True)
class Arrangement:
    """A schedule with all addresses.  `cycles` by the cost that was given, in all and per segment (views apart).

    `order` and `pieces`: what the schedule was built from.  `fastest`: cycles of the fastest plan that was known.
    `drafted`: the schedule before addresses settled the direction of layers that may go either way.
    """

    order: tuple[int, ...]
    pieces: Plan
    fastest: int
    drafted: Schedule
    schedule: Schedule
    problem: Problem
    homes: Homes
    plan: Placement
    cycles: int
    segments: tuple[SegmentCost, ...]


class CannotPushError(ValueError):
    """The input cannot be delivered row by row."""


def arrange(graph: Graph, selection: Selection, options: Options, cost: Cost | None = None) -> Arrangement:
    """The plan that serves the goal best.

    With a limit of RAM that no plan keeps it is the one that needs least.  Raises CannotPushError if the input shall be
    pushed but a node needs all of it at once.
    """
    search = Search(graph, selection, options, cost)
    found: list[Arrangement] = []
    for _ in range(_ROUNDS):
        plan = _measured_plan(search, graph, selection, options)
        if plan is None or (found and not _promising(plan, found, options)):
            break
        placed = _place(search, plan, graph, selection, options)
        if placed is None:
            continue
        found.append(placed)
        if placed.plan.height <= plan.ram:
            break
        found += _roomy(search, placed, graph, selection, options)
        _distrust(search, plan, placed)
    found += _whole(search, found, graph, selection, options)
    if not found:
        raise CannotPushError("the input cannot be delivered row by row: a node that reads it needs all of it at once")
    best = min(found, key=lambda placed: rank(placed, options))
    return replace(best, fastest=min(best.cycles, *(plan.cycles for plan in search.plans())))


def rearrange(
    placed: Arrangement,
    graph: Graph,
    selection: Selection,
    options: Options,
    change: Sequence[int],
    whole: Sequence[int],
    enough: int,
) -> Arrangement | None:
    """The same plan with other kernels; None where it cannot be built with them.

    `change[i]`: cycles that node i costs more than before; `whole[i]`: what it would cost in one call.  `enough`: bytes
    of arena that will do, 0: as few as can be.
    """
    search = Search(graph, selection, options, order=placed.order)
    found = _located(
        search, placed.pieces, graph, selection, options, replace(_QUICK_EFFORT, enough=enough) if enough else _EFFORT
    )
    if found is None:
        return None
    drafted, schedule, problem, homes, plan = found
    segments = tuple(
        SegmentCost(
            before.nodes,
            before.cycles + sum(change[node] for node in before.nodes),
            sum(whole[node] for node in before.nodes),
        )
        for before in placed.segments
    )
    cycles = placed.cycles + sum(change)
    return replace(
        placed,
        drafted=drafted,
        schedule=schedule,
        problem=problem,
        homes=homes,
        plan=plan,
        cycles=cycles,
        segments=segments,
    )


def frontier(graph: Graph, selection: Selection, options: Options, cost: Cost | None = None) -> tuple[Arrangement, ...]:
    """Placed plans of which none needs less RAM and fewer cycles than another; RAM grows, cycles fall."""
    search = Search(graph, selection, replace(options, goal=Goal.AUTO, ram=None), cost)
    placed: list[Arrangement] = [arrange(graph, selection, replace(options, goal=Goal.RAM, ram=None), cost)]
    for plan in search.plans():
        found = _place(search, plan, graph, selection, options)
        placed += [] if found is None else [found]
    best: list[Arrangement] = []
    for found in sorted(placed, key=lambda found: (found.plan.height, found.cycles)):
        if not best or found.cycles < best[-1].cycles:
            best.append(found)
    return tuple(best)


def _order(plans: list[Plan], options: Options) -> list[Plan]:
    """By preference; with a limit of RAM those first that should keep it."""
    wanted = preferred(plans, options)
    if options.ram is None:
        return wanted
    limit = options.ram
    fitting = [plan for plan in wanted if plan.ram <= limit]
    return fitting + sorted((plan for plan in wanted if plan.ram > limit), key=lambda plan: plan.ram)


def _roomy(
    search: Search, placed: Arrangement, graph: Graph, selection: Selection, options: Options
) -> list[Arrangement]:
    """A plan that leaves more room, where RAM is what counts and pieces got into each other's way."""
    if options.goal is not Goal.RAM and rank(placed, options)[0] is False:
        return []
    plan = _measured_plan(search, graph, selection, options, roomy=True)
    if plan is None or plan.ram >= placed.plan.height:
        return []
    found = _place(search, plan, graph, selection, options)
    return [] if found is None else [found]


def _whole(
    search: Search, found: list[Arrangement], graph: Graph, selection: Selection, options: Options
) -> list[Arrangement]:
    """Layer by layer, where rows turned out to need more than that by estimate, or where little code is wanted."""
    plan = search.whole_plan()
    wanted = options.goal is Goal.FLASH or not found
    if plan is None or not (wanted or plan.ram < min(placed.plan.height for placed in found) + _ROUNDING):
        return []
    placed = _place(search, plan, graph, selection, options)
    return [] if placed is None else [placed]


def _measured_plan(
    search: Search, graph: Graph, selection: Selection, options: Options, *, roomy: bool = False
) -> Plan | None:
    """The preferred plan; estimates are replaced by measurements until it has none left."""
    for _ in range(_MEASUREMENTS):
        plans = search.plans(roomy=True)[:1] if roomy else _order(search.plans(), options)
        if not plans:
            return None
        unknown = [piece for piece in plans[0].pieces if not piece.measured]
        if not unknown:
            return plans[0]
        for piece in unknown:
            segment = search.segment(piece)
            if segment is None:
                search.refuse(piece)
                continue
            problem = segment_problem(graph, segment, selection, options, search.passing(piece))
            search.learn(piece, solve(problem, _SMALL_EFFORT).height)
    return None


def _distrust(search: Search, plan: Plan, placed: Arrangement) -> None:
    """Raise the price of the pieces during which the arena is full."""
    peak = placed.plan.height
    full = [
        buffer
        for buffer, offset in zip(placed.problem.buffers, placed.plan.offsets, strict=True)
        if offset + buffer.size == peak
    ]
    nodes: set[int] = set()
    for segment, clock in zip(placed.schedule.segments, clocks(placed.schedule), strict=True):
        if any(buffer.start < clock.end and clock.start < buffer.end for buffer in full):
            nodes.update(segment.nodes)
    for piece in plan.pieces:
        if search.order[piece.start] in nodes:
            search.distrust(piece, peak)


def _place(search: Search, plan: Plan, graph: Graph, selection: Selection, options: Options) -> Arrangement | None:
    found = _located(search, plan, graph, selection, options, _EFFORT)
    if found is None:
        return None
    segments = tuple(
        SegmentCost(search.order[piece.start : piece.end], piece.cycles, search.whole_cycles(piece))
        for piece in plan.pieces
    )
    return Arrangement(search.order, plan, plan.cycles, *found, plan.cycles, segments)


def _located(
    search: Search, plan: Plan, graph: Graph, selection: Selection, options: Options, effort: Effort
) -> tuple[Schedule, Schedule, Problem, Homes, Placement] | None:
    """A plan as drafted and with addresses; None if it cannot be built."""
    schedule = search.schedule(plan)
    if schedule is None:
        return None
    problem, homes = liveness(graph, schedule, selection, options)
    placement = solve(problem, effort)
    settled = settle(graph, schedule, selection, homes.addresses(placement.offsets))
    return schedule, settled, problem, homes, placement


def _promising(plan: Plan, found: list[Arrangement], options: Options) -> bool:
    """It should be better than what was placed."""
    best = min(found, key=lambda placed: rank(placed, options))
    fits = options.ram is None or plan.ram <= options.ram
    if options.goal is Goal.RAM or not fits:
        return plan.ram < best.plan.height
    return plan.cycles < best.cycles or plan.ram < best.plan.height


def rank(placed: Arrangement, options: Options) -> tuple[bool, int, int]:
    """The best has the lowest rank; comparable between selections of kernels, too."""
    fits = options.ram is None or placed.plan.height <= options.ram
    by_ram = options.goal is Goal.RAM or not fits
    height, cycles = placed.plan.height, placed.cycles
    if options.goal is Goal.FLASH and fits:  # every segment of rows has loops and calls of its own
        return False, sum(segment.mode is Mode.ROWS for segment in placed.schedule.segments), height
    return (not fits, height, cycles) if by_ram else (not fits, cycles, height)
