"""Random planning problems, and the least height found by trying every offset."""

from __future__ import annotations

from hypothesis import strategies as st

from byrote.plan import Buffer, Overlap, Problem, View


@st.composite
def problems(
    draw: st.DrawFn,
    most: int = 12,
    largest: int = 40,
    calls: int = 10,
    aligns: tuple[int, ...] = (1, 1, 2, 4),
    least_distance: int = -5,
) -> Problem:
    """Buffers with overlaps of those alive together, and views (some of them filling their parent)."""
    buffers: list[Buffer] = []
    for index in range(draw(st.integers(1, most))):
        start = draw(st.integers(0, calls - 1))
        end = draw(st.integers(start + 1, min(calls, start + 5)))
        size = draw(st.integers(0 if index % 5 == 4 else 1, largest))
        buffers.append(Buffer(f"b{index}", size, start, end, draw(st.sampled_from(aligns))))
    views: list[View] = []
    for _ in range(draw(st.integers(0, 3))):
        of = draw(st.integers(0, len(buffers) - 1))
        parent = buffers[of]
        start = draw(st.integers(parent.start, parent.end - 1))
        end = draw(st.integers(start + 1, parent.end))
        align = draw(st.sampled_from(aligns))
        inset = 0 if draw(st.booleans()) else draw(st.integers(0, parent.size // parent.align)) * parent.align
        size = parent.size - inset if draw(st.booleans()) else draw(st.integers(0, parent.size - inset))
        # A view of a view, or one at an odd place, may ask for an alignment that cannot be had.
        is_alignable = inset % max(align, parent.align) == 0 and all(view.inside != of for view in views)
        align = align if is_alignable else 1
        views.append(View(len(buffers), of, inset))
        buffers.append(Buffer(f"v{len(buffers)}", size, start, end, align))
    count = len(buffers)
    overlaps = [
        Overlap(draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1)), draw(st.integers(least_distance, 30)))
        for _ in range(draw(st.integers(0, count)))
    ]
    capacity = draw(st.sampled_from((None, 50, 200)))
    return Problem(tuple(buffers), tuple(views), tuple(o for o in overlaps if o.low != o.high), capacity)


def least_height(problem: Problem) -> int:
    """The least height of a problem without views, by trying all offsets of all buffers at ever greater heights."""
    height = max((buffer.size for buffer in problem.buffers), default=0)
    while not _fits(problem, height, ()):
        height += 1
    return height


def _fits(problem: Problem, height: int, offsets: tuple[int, ...]) -> bool:
    index = len(offsets)
    if index == len(problem.buffers):
        return True
    buffer = problem.buffers[index]
    for offset in range(0, height - buffer.size + 1, buffer.align):
        tried = (*offsets, offset)
        if all(_may(problem, tried, other, index) for other in range(index)) and _fits(problem, height, tried):
            return True
    return False


def _may(problem: Problem, offsets: tuple[int, ...], a: int, b: int) -> bool:
    x, y = problem.buffers[a], problem.buffers[b]
    if x.end <= y.start or y.end <= x.start:
        return True
    if offsets[a] + x.size <= offsets[b] or offsets[b] + y.size <= offsets[a]:
        return True
    if x.size == 0 or y.size == 0:
        return True
    return any(
        {overlap.low, overlap.high} == {a, b} and offsets[overlap.high] >= offsets[overlap.low] + overlap.distance
        for overlap in problem.overlaps
    )
