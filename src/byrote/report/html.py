"""The report as one page that needs nothing else: no script, no font, no picture from elsewhere.

The same result gives the same bytes.  Sections are in the order in which people ask: does it fit, what does it take,
what lies where and when, what does each layer cost and why is it done this way.
"""

from __future__ import annotations

from pathlib import Path

from byrote.plan import Role
from byrote.report.arena_picture import ROLE_CLASSES, arena_picture
from byrote.report.buffers import placed_buffers
from byrote.report.json import Report
from byrote.report.layers_html import changes_section, layers_section, segments_section
from byrote.report.markup import Html, element, join
from byrote.report.peak import plain_name
from byrote.report.tables import Column, table
from byrote.result import Result

_STYLE = Path(__file__).with_name("page.css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing may be loaded and nothing may run, whatever the page holds."""


def html_page(result: Result, report: Report) -> str:
    """The page of a compilation, and of what its report says."""
    sections = [
        _head(result, report),
        _figures(result, report),
        _memory(report),
        *_arenas(result, report),
        *segments_section(result, report),
        layers_section(result, report),
        *changes_section(result),
        _basis(result, report),
    ]
    head = [
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{report.name} for {report.target}"),
        element("style", Html(_STYLE.read_text(encoding="utf-8"))),
    ]
    body = element("body", element("main", join(sections)))
    return f"<!DOCTYPE html>\n{element('html', element('head', join(head)), body, lang='en')}\n"


def _head(result: Result, report: Report) -> Html:
    verdict = element("span", "fits", cls="good") if report.fits else element("span", "does not fit", cls="bad")
    options = result.options
    words = [f"--optimize {options.goal.value}", f"--schedule {options.granularity.value}"]
    words += ["--keep-input"] * options.keep_input + ["--push-input"] * options.push_input
    words += ["--io int8"] * options.int8_io
    lines = [
        element("h1", report.name, Html(" "), element("span", verdict, cls="verdict")),
        element("p", f"{report.model} for {report.target}, {result.target.description}", cls="dim"),
        element("p", f"profile {report.profile}, {', '.join(words)}", cls="dim"),
        *(element("p", shortfall.text, cls="shortfall") for shortfall in report.shortfalls),
        *(element("p", f"Warning: {warning}", cls="warning") for warning in report.warnings),
    ]
    return element("header", join(lines))


def _figures(result: Result, report: Report) -> Html:
    """The numbers that are asked for first."""
    cost, clock = report.cost, result.target.clock_mhz
    cards = [
        _card("RAM", f"{report.ram.total:,}", "bytes, the stack apart"),
        _card("weights and tables", f"{report.flash.weights:,}", "bytes of flash, code apart"),
        _card("multiply-accumulates", f"{report.macs:,}", "per inference"),
    ]
    if cost.cycles_low is not None:
        time = f", {cost.cycles_low / clock / 1000:,.1f} ms at {clock:g} MHz" if clock else ""
        cards.append(_card("cycles", f"{cost.cycles_low:,}", f"estimated{time}"))
    elif cost.instructions is not None:
        cards.append(_card("instructions", f"{cost.instructions:,}", "estimated"))
    if cost.energy_uj is not None:
        digits = 0 if cost.energy_uj >= 100 else 2
        cards.append(_card("energy", f"{cost.energy_uj:,.{digits}f} µJ", "estimated, per inference"))
    return element("section", join(cards), cls="cards")


def _card(name: str, figure: str, note: str) -> Html:
    return element("div", element("b", name), element("strong", figure), element("small", note), cls="card")


def _memory(report: Report) -> Html:
    """A bar per memory; where more is needed than there is, the bar is what is needed and what is too much is red."""
    ram, several = report.ram, len(report.ram.memories) > 1
    bars = [_bar(f"RAM: {m.name}" if several else "RAM", m.used, m.limit) for m in ram.memories]
    bars.append(_bar("flash: weights and tables", report.flash.weights, report.flash_limit))
    if ram.proven_optimal:
        proof = "No placement of these buffers needs less RAM."
    else:
        proof = f"No placement of these buffers needs less than {ram.lower_bound:,} bytes."
    notes = [proof]
    if ram.state:
        notes.append(f"{ram.state:,} bytes of RAM are state, kept between calls.")
    notes.append("Code and stack are known only after building: see byrote verify.")
    return element("section", element("h2", "Memory"), join(bars), element("p", " ".join(notes), cls="dim"))


def _bar(name: str, used: int, limit: int | None) -> Html:
    if limit is None:
        return element("p", element("b", name), f" {used:,} bytes; the target states no limit")
    all_of_it = max(used, limit, 1)
    parts = [element("i", cls="used", style=f"width:{100 * min(used, limit) / all_of_it:.2f}%")]
    if used > limit:
        parts.append(element("i", cls="excess", style=f"width:{100 * (used - limit) / all_of_it:.2f}%"))
        verdict = element("span", f"{used - limit:,} too many", cls="bad")
    else:
        verdict = element("span", f"{100 * used / max(limit, 1):.1f} %", cls="dim")
    words = element("p", element("b", name), f" {used:,} of {limit:,} bytes ", verdict)
    return element("div", words, element("div", *parts, cls="bar"), cls="memory")


def _arenas(result: Result, report: Report) -> list[Html]:
    """Each arena as a picture and as a list; then what there is when it is fullest."""
    parts: list[Html] = []
    for arena in result.arenas:
        title = f"Arena in {arena.memory.name}" if len(result.arenas) > 1 else "Arena"
        buffers = placed_buffers(result, arena)
        if not arena.size or not buffers:
            continue
        capacity = arena.memory.capacity
        state = result.state if arena.memory == result.memories[0] else 0
        limit = max(0, capacity - state) if capacity is not None else None
        columns = ("what", "of layer", "name", Column("offset"), Column("bytes"), Column("calls"), "alive from when")
        rows = [(b.role.value, b.made_by, b.name, b.offset, b.size, f"{b.start}–{b.end - 1}", b.first) for b in buffers]
        present = {buffer.role for buffer in buffers}
        parts += [
            element("h2", title),
            element("div", arena_picture(result, arena, limit), cls="wide"),
            _legend(present),
            element("details", element("summary", f"all {len(buffers)} buffers"), table(columns, rows)),
        ]
    return [element("section", join([*parts, *_peak(report)]))] if parts else []


def _legend(present: set[Role]) -> Html:
    entries = [element("li", _key(role), role.value) for role in Role if role in present]
    note = element("li", "rectangles that cover each other share bytes at a distance that is safe", cls="dim")
    return element("ul", *entries, note, cls="legend")


def _key(role: Role | None) -> Html:
    return element("span", cls=f"key {_colour(role)}")


def _colour(role: Role | None) -> str:
    """The class of a role; None stands for bytes that are not in use."""
    return ROLE_CLASSES[role] if role is not None else "unused"


def _peak(report: Report) -> list[Html]:
    """What the bytes are used for when most are in use."""
    total = max(1, sum(report.peak_bytes.values()))
    roles = {role.value: role for role in Role}
    stack = [
        element("i", cls=_colour(roles.get(name)), style=f"width:{100 * n / total:.2f}%")
        for name, n in report.peak_bytes.items()
    ]
    entries = [
        element("li", _key(roles.get(name)), f"{name} {n:,} ", element("span", f"{100 * n / total:.1f} %", cls="dim"))
        for name, n in report.peak_bytes.items()
    ]
    several = sum(memory.used > 0 for memory in report.ram.memories) > 1
    fullest = "All memories together are fullest" if several else "Fullest"
    columns = ("what", *(("in",) if several else ()), "of layer", "name", Column("bytes"))
    rows = [
        (
            buffer.role,
            *((buffer.memory,) if several else ()),
            f"{buffer.layer} {buffer.op}" if buffer.layer is not None else "",
            plain_name(buffer.name),
            buffer.size,
        )
        for buffer in report.peak
    ]
    return [
        element("h3", f"{fullest} when {report.peak_at}" if report.peak_at else "At the fullest moment"),
        element("div", *stack, cls="bar"),
        element("ul", *entries, cls="legend"),
        element("details", element("summary", f"the {len(rows)} buffers then"), table(columns, rows)),
    ]


def _basis(result: Result, report: Report) -> Html:
    """What estimates rest on, and how to build."""
    cost, power = report.cost, result.target.power
    words = "Cycles and instructions on this page are estimates: nothing was built or run." if cost.estimated else ""
    basis = f"{words} Basis: {cost.basis}." if cost.basis else words
    flags = [element("p", element("b", name), " ", element("code", " ".join(f))) for name, f in report.build.items()]
    lines = [element("p", basis)]
    if power is not None and cost.energy_uj is not None:
        lines.append(element("p", f"Energy: {power.mw_per_mhz:g} mW/MHz, {power.source}"))
    return element(
        "section", element("h2", "Estimates and flags"), *lines, element("p", "Recommended flags:"), *flags, cls="dim"
    )
