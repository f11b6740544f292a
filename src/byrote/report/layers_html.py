"""The page's sections about layers: which run together and at what price, what each costs, what passes changed."""

from __future__ import annotations

from byrote.passes import PassRecord
from byrote.report.json import Layer, Report, SegmentReport
from byrote.report.markup import Html, clean, element
from byrote.report.peak import plain_name
from byrote.report.tables import Column, Heading, Row, Share, table
from byrote.result import Result
from byrote.schedule import Mode

_NAME = 240
"""Characters of a layer's whole name."""


def segments_section(result: Result, report: Report) -> list[Html]:
    """Layers that run together, and what it costs in cycles to do so."""
    rows: list[Row] = []
    for segment in report.schedule:
        if not _together(segment):
            continue
        steps = len(result.schedule.segments[segment.segment].steps)
        price = _price(segment)
        cycles, whole = (f"{n:,}" if n is not None else "" for n in (segment.cycles, segment.cycles_whole))
        rows.append((_range(segment.nodes), f"{segment.rows_per_step}", f"{steps}", cycles, whole, price))
    if not rows:
        return []
    columns = ("layers", *map(Column, ("rows per step", "steps", "cycles, estimated", "one by one", "price")))
    words = "Of what these layers pass on, only the rows that are still needed exist. What that costs in cycles:"
    return [element("section", element("h2", "Layers that run together"), element("p", words), table(columns, rows))]


def _together(segment: SegmentReport) -> bool:
    return segment.mode == Mode.ROWS.value


def _price(segment: SegmentReport) -> str:
    if not segment.cycles or not segment.cycles_whole:
        return ""
    return f"{100 * (segment.cycles - segment.cycles_whole) / segment.cycles_whole:+.1f} %"


def _range(nodes: tuple[int, ...]) -> str:
    """`2 to 9`, or all of them where some in between run elsewhere."""
    if len(nodes) == 1:
        return str(nodes[0])
    gapless = nodes == tuple(range(nodes[0], nodes[0] + len(nodes)))
    return f"{nodes[0]} to {nodes[-1]}" if gapless else ", ".join(map(str, nodes))


def layers_section(result: Result, report: Report) -> Html:
    """All layers in the order in which they run."""
    rows: list[Row] = []
    moves = round(result.cost.moves.cycles)
    cycles = max(1, moves + sum(layer.cycles or 0 for layer in report.layers))
    for segment in report.schedule:
        if _together(segment):
            rows.append(Heading(f"layers {_range(segment.nodes)} run together, rows per step: {segment.rows_per_step}"))
        elif rows and _together(report.schedule[segment.segment - 1]):
            rows.append(Heading("one by one"))
        rows += [_layer(index, report.layers[index], max(report.macs, 1), cycles) for index in segment.nodes]
    if moves:
        rows.append(("", "keeping rows", "", "", "", f"{moves:,}", _share(moves / cycles), ""))
    numbers = map(Column, ("MACs", "of all", "cycles, estimated", "of all"))
    columns = (Column(""), "layer", "kernel", *numbers, "name")
    return element("section", element("h2", "Layers"), table(columns, rows))


def _layer(index: int, layer: Layer, macs: int, cycles: int) -> Row:
    taken = layer.cycles or 0
    return (
        str(index),
        layer.op,
        _kernel(layer),
        f"{layer.macs:,}" if layer.macs else "",
        _share(layer.macs / macs) if layer.macs else "",
        f"{taken:,}" if taken else "",
        _share(taken / cycles) if taken else "",
        element("span", plain_name(layer.name), title=clean(layer.name, _NAME)),
    )


def _share(part: float) -> Share:
    return Share(f"{100 * part:.1f} %", part)


def _kernel(layer: Layer) -> Html:
    """The kernel; below it, folded, why not the others."""
    if not layer.passed_over:
        return element("code", layer.kernel)
    others = [element("li", element("code", other.kernel), f": {other.why}") for other in layer.passed_over]
    return element("details", element("summary", element("code", layer.kernel)), element("ul", *others))


def changes_section(result: Result) -> list[Html]:
    """Passes that made the graph smaller."""
    rows: list[Row] = [_change(record) for record in result.passes if _changed(record)]
    if not rows:
        return []
    columns = ("pass", Column("layers before"), Column("after"), Column("MACs before"), Column("after"))
    return [element("section", element("h2", "What was simplified"), table(columns, rows))]


def _changed(record: PassRecord) -> bool:
    return record.nodes_before != record.nodes_after or record.macs_before != record.macs_after


def _change(record: PassRecord) -> Row:
    return (record.name, record.nodes_before, record.nodes_after, record.macs_before, record.macs_after)
