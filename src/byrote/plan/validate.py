"""The naive checker of plans: every pair against every pair.  Shares nothing with what it checks."""

from __future__ import annotations

from byrote.plan.problem import Buffer, Plan, Problem


def faults(problem: Problem, plan: Plan) -> tuple[str, ...]:
    """Every way in which `plan` is not a solution of `problem`, each as a sentence; empty if it is one.

    A capacity that is exceeded is no fault of the plan: the caller reports it.
    """
    buffers = problem.buffers
    if len(plan.offsets) != len(buffers):
        return (f"the plan places {len(plan.offsets)} buffers, the problem has {len(buffers)}",)
    found: list[str] = []
    for buffer, offset in zip(buffers, plan.offsets, strict=True):
        if offset < 0:
            found.append(f"{buffer.name} lies at {offset}, below the memory")
        if offset % buffer.align:
            found.append(f"{buffer.name} lies at {offset}, not a multiple of its alignment {buffer.align}")
    found.extend(_view_faults(problem, plan))
    inside = {view.inside for view in problem.views}
    for a in range(len(buffers)):
        for b in range(a + 1, len(buffers)):
            if a in inside or b in inside:
                continue  # a view lies in its parent, in space and in time (checked above): the parent's pairs cover it
            if _clash(buffers[a], plan.offsets[a], buffers[b], plan.offsets[b]) and not _excused(problem, plan, a, b):
                both = f"{_where(problem, plan, a)} and {_where(problem, plan, b)}"
                found.append(f"{both} are alive together and share bytes")
    top = max((offset + buffer.size for buffer, offset in zip(buffers, plan.offsets, strict=True)), default=0)
    if top > plan.height:
        found.append(f"a buffer reaches up to byte {top}, above the stated height {plan.height}")
    if plan.lower_bound > plan.height:
        found.append(f"the stated lower bound {plan.lower_bound} is above the height {plan.height}")
    if plan.lower_bound == plan.height and not plan.proven:
        found.append(f"the height {plan.height} is the lower bound, yet the plan is not stated as proven")
    if plan.proven and plan.height > max(top, plan.lower_bound):
        found.append(f"stated as proven at height {plan.height}, but the buffers only reach up to {top}")
    return tuple(found)


def validate(problem: Problem, plan: Plan) -> None:
    """Raise ValueError with all faults of `plan`, if there are any."""
    found = faults(problem, plan)
    if found:
        raise ValueError("the plan is wrong: " + "; ".join(found))


def _where(problem: Problem, plan: Plan, index: int) -> str:
    buffer = problem.buffers[index]
    offset = plan.offsets[index]
    return f"{buffer.name} (bytes {offset}..{offset + buffer.size}, calls {buffer.start}..{buffer.end})"


def _clash(a: Buffer, a_offset: int, b: Buffer, b_offset: int) -> bool:
    call = max(a.start, b.start)
    byte = max(a_offset, b_offset)
    return call < min(a.end, b.end) and byte < min(a_offset + a.size, b_offset + b.size)


def _view_faults(problem: Problem, plan: Plan) -> list[str]:
    found: list[str] = []
    for view in problem.views:
        child = problem.buffers[view.inside]
        parent = problem.buffers[view.of]
        if plan.offsets[view.inside] != plan.offsets[view.of] + view.offset:
            found.append(
                f"{child.name} lies at {plan.offsets[view.inside]}, not at {view.offset} within {parent.name}, "
                f"which lies at {plan.offsets[view.of]}"
            )
        if view.offset < 0 or view.offset + child.size > parent.size:
            found.append(f"{child.name} does not fit at {view.offset} within {parent.name} of {parent.size} bytes")
        if child.start < child.end and not parent.start <= child.start <= child.end <= parent.end:
            found.append(f"{child.name} is alive when {parent.name}, in which it lies, is not")
    return found


def _stands_for(problem: Problem, index: int) -> tuple[int, ...]:
    """The buffer itself and those that it fills wholly and dies with, up the chain of views."""
    chain = [index]
    for _ in problem.views:
        up = [view for view in problem.views if view.inside == chain[-1]]
        if not up:
            break
        child, parent = problem.buffers[chain[-1]], problem.buffers[up[0].of]
        if up[0].offset != 0 or child.size != parent.size or child.end != parent.end:
            break
        chain.append(up[0].of)
    return tuple(chain)


def _excused(problem: Problem, plan: Plan, a: int, b: int) -> bool:
    for overlap in problem.overlaps:
        lows = _stands_for(problem, overlap.low)
        highs = _stands_for(problem, overlap.high)
        if not ((a in lows and b in highs) or (b in lows and a in highs)):
            continue
        # What is said of a view holds while that view is alive, so it must be, whenever its parent meets the other.
        together = max(problem.buffers[a].start, problem.buffers[b].start)
        if max(problem.buffers[overlap.low].start, problem.buffers[overlap.high].start) > together:
            continue
        if plan.offsets[overlap.high] >= plan.offsets[overlap.low] + overlap.distance:
            return True
    return False
