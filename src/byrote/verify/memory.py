"""The memory plan, checked by two programs that share nothing with the planner."""

from __future__ import annotations

from byrote.plan.validate import faults
from byrote.result import Result
from byrote.verify.outcome import Check
from byrote.verify.replay import Replay

PLAN = "no two living buffers share bytes"
REPLAY = "every read sees the bytes its producer wrote"


def plan_check(result: Result) -> Check:
    """Every pair of buffers, by the naive checker."""
    found = faults(result.problem, result.plan)
    if found:
        return Check(PLAN, False, found[0] + (f"; and {len(found) - 1} more faults" if len(found) > 1 else ""))
    crossing = [
        buffer.name
        for buffer, offset in zip(result.problem.buffers, result.plan.offsets, strict=True)
        if buffer.size and not any(a.start <= offset and offset + buffer.size <= a.end for a in result.arenas)
    ]
    if crossing:
        return Check(PLAN, False, f"{crossing[0]} does not lie in one arena")
    size = sum(arena.size for arena in result.arenas)
    places = f" of {len(result.arenas)} memories" if len(result.arenas) > 1 else ""
    return Check(PLAN, True, f"{len(result.problem.buffers)} buffers in {size:,} bytes{places}, every pair")


def replay_check(result: Result) -> Check:
    """One inference on an arena whose bytes remember what they hold."""
    try:
        reads = Replay(
            result.graph,
            result.schedule,
            result.selection,
            result.homes,
            result.plan.offsets,
            result.plan.height,
            tuple((arena.start, arena.end) for arena in result.arenas),
        ).run()
    except AssertionError as error:
        return Check(REPLAY, False, str(error))
    return Check(REPLAY, True, f"{reads:,} bytes read in the replay of the plan")
