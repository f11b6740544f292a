"""The plan of one arena as a picture: time from left to right, addresses from the bottom to the top.

Time is the clock of the plan: one unit per kind of call.  All steps of a row segment share it, so that a segment is as
wide as one of its steps.  A rectangle is a buffer: as wide as its life, as high as its bytes; small ones lie on large
ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.liveness.clock import clocks
from byrote.plan import Arena, Role
from byrote.report.buffers import PlacedBuffer, placed_buffers
from byrote.report.markup import Html, element, join
from byrote.report.peak import peak_of
from byrote.result import Result
from byrote.schedule import Mode, Segment

_WIDTH, _HEIGHT = 1000, 470
_LEFT, _RIGHT, _TOP, _BOTTOM = 72.0, 990.0, 30.0, 420.0
_LETTER, _CAPITAL = 6.4, 8.2
"""Widths of the picture's letters, generously."""
_MARGIN = 4.0
_LINE = 14.0
_NEAR = 1.4
"""A limit is drawn if it is at most so many times what is used."""

ROLE_CLASSES = {role: role.value.replace(" ", "-") for role in Role}
"""Class that gives a role its colour; page.css has them."""


@dataclass(frozen=True)
class _Scale:
    """From calls and bytes to the picture's units."""

    calls: int
    height: int

    def x(self, call: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * call / self.calls

    def y(self, byte: int) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * byte / self.height


def arena_picture(result: Result, arena: Arena, limit: int | None) -> Html:
    """An <svg> element; `limit`: bytes that the arena may have."""
    buffers = placed_buffers(result, arena)
    times = clocks(result.schedule)
    calls = max([1, *(clock.end for clock in times), *(buffer.end for buffer in buffers)])
    height = max(arena.size, limit if limit is not None and limit <= _NEAR * arena.size else 0, 1)
    scale = _Scale(calls, height)
    spans = [(segment, clock.start, clock.end) for segment, clock in zip(result.schedule.segments, times, strict=True)]
    peak = peak_of(result, arena)
    parts = [
        element("title", f"{arena.size:,} bytes of {arena.memory.name}; fullest when {peak.at or 'nothing runs'}"),
        *_bands(result, spans, scale),
        *_axis(height, scale),
        *(_rectangle(buffer, scale) for buffer in sorted(buffers, key=_area, reverse=True)),
        *_labels(buffers, scale),
        *_peak(peak.call, peak.at, scale),
        *(_limit(limit, scale) if limit is not None and limit <= height else ()),
    ]
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    return element("svg", join(parts), viewBox=box, role="img", aria_label=f"plan of the arena in {arena.memory.name}")


def _bands(result: Result, spans: Sequence[tuple[Segment, int, int]], scale: _Scale) -> list[Html]:
    """What runs when, below the picture; every other segment is shaded."""
    parts: list[Html] = []
    for index, (segment, start, end) in enumerate(spans):
        left, width = scale.x(start), scale.x(end) - scale.x(start)
        if width <= 0:
            continue
        kind = "rows" if segment.mode is Mode.ROWS else "one"
        texts = _segment_texts(result, segment)
        tip = element("title", texts[0])
        if index % 2:
            parts.append(element("rect", cls="shade", x=left, y=_TOP, width=width, height=_BOTTOM - _TOP))
        parts.append(element("rect", tip, cls=f"seg {kind}", x=left, y=_BOTTOM + 5, width=width, height=18.0))
        text = next((text for text in texts if _width(text) < width), "")
        if text:
            parts.append(_text(text, left + width / 2, _BOTTOM + 18, "mid"))
    parts.append(_text("time: calls; those of a row segment come again in every step", _LEFT, _HEIGHT - 8.0, "dim"))
    return parts


def _segment_texts(result: Result, segment: Segment) -> tuple[str, ...]:
    """The longest first."""
    first, last, steps = segment.nodes[0], segment.nodes[-1], len(segment.steps)
    if segment.mode is Mode.ROWS and first != last:
        together = f"layers {first} to {last} together"
        rows = f"{segment.rows_per_step} row{'s' * (segment.rows_per_step != 1)} per step, {steps} steps"
        return f"{together}, {rows}", f"{together}, {steps} steps", f"layers {first} to {last}", f"{first}–{last}"
    op = result.graph.nodes[first].op.name
    return f"layer {first} {op}", f"{first} {op}", str(first)


def _axis(height: int, scale: _Scale) -> list[Html]:
    """Lines at round addresses."""
    step = next(unit * 10**power for power in range(13) for unit in (1, 2, 5) if unit * 10**power * 6 >= height)
    parts: list[Html] = []
    for byte in range(0, height + 1, step):
        y = scale.y(byte)
        parts.append(element("line", cls="grid", x1=_LEFT, x2=_RIGHT, y1=y, y2=y))
        parts.append(_text(f"{byte:,}", _LEFT - 6, y + 4, "end dim"))
    return parts


def _area(buffer: PlacedBuffer) -> int:
    return buffer.size * (buffer.end - buffer.start)


def _rectangle(buffer: PlacedBuffer, scale: _Scale) -> Html:
    left, right = scale.x(buffer.start), scale.x(buffer.end)
    bottom, top = scale.y(buffer.offset), scale.y(buffer.offset + buffer.size)
    size = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    return element("rect", element("title", buffer.text), cls=f"buffer {ROLE_CLASSES[buffer.role]}", **size)


def _labels(buffers: Sequence[PlacedBuffer], scale: _Scale) -> list[Html]:
    """Names in the rectangles that have room for them; no two texts on each other."""
    taken: list[tuple[float, float, float, float]] = []
    parts: list[Html] = []
    for buffer in sorted(buffers, key=_area, reverse=True):
        left, right = scale.x(buffer.start) + _MARGIN, scale.x(buffer.end) - _MARGIN
        high, low = scale.y(buffer.offset + buffer.size) + 2, scale.y(buffer.offset) - 2
        wordings = (f"{buffer.made_by or buffer.role.value}, {buffer.size:,}", f"{buffer.size:,}")
        text = next((text for text in wordings if _width(text) < right - left), "")
        if not text or low - high < _LINE:
            continue
        for line in (high, low - _LINE, (high + low - _LINE) / 2):
            box = (left, left + _width(text), line, line + _LINE)
            if not any(_collide(box, other) for other in taken):
                taken.append(box)
                parts.append(_text(text, left, line + 11, "in"))
                break
    return parts


def _collide(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _peak(call: int, at: str, scale: _Scale) -> list[Html]:
    """A frame around the call at which the most bytes are in use."""
    left, right = scale.x(call), scale.x(call + 1)
    middle = (left + right) / 2
    text = f"fullest: {at}" if at else "fullest"
    half = _width(text) / 2
    side = "start" if middle - half < _LEFT else "end" if middle + half > _RIGHT else "mid"
    anchor = {"start": left, "end": right, "mid": middle}[side]
    return [
        element("rect", cls="peak", x=left, y=_TOP - 6, width=right - left, height=_BOTTOM - _TOP + 8),
        _text(text, anchor, _TOP - 12, f"{side} strong"),
    ]


def _limit(limit: int, scale: _Scale) -> list[Html]:
    """What there is; above it is too much."""
    y = scale.y(limit)
    over = element("rect", cls="over", x=_LEFT, y=_TOP, width=_RIGHT - _LEFT, height=y - _TOP)
    line = element("line", cls="limit", x1=_LEFT, x2=_RIGHT, y1=y, y2=y)
    return [*([over] if y > _TOP else []), line, _text(f"there are {limit:,}", _RIGHT - 4, max(y - 4, 12.0), "end bad")]


def _width(text: str) -> float:
    return sum(_CAPITAL if letter.isupper() else _LETTER for letter in text)


def _text(text: str, x: float, y: float, cls: str) -> Html:
    return element("text", text, cls=cls, x=x, y=y)
