"""Tables of pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from byrote.report.markup import Content, Html, element, join


@dataclass(frozen=True)
class Column:
    """A column of numbers; other columns are given by their title alone."""

    title: str


@dataclass(frozen=True)
class Share:
    """A number with a bar of `part` (0 to 1) of the cell."""

    text: str
    part: float


@dataclass(frozen=True)
class Heading:
    """A row that says what those below it have in common."""

    text: str


Cell = Content | Share
Row = Sequence[Cell] | Heading


def table(columns: Sequence[str | Column], rows: Sequence[Row]) -> Html:
    """A table that can be moved sideways where it is too wide."""
    heads = [
        element("th", column.title, cls="n", scope="col")
        if isinstance(column, Column)
        else element("th", column, scope="col")
        for column in columns
    ]
    body = [_row(columns, row) for row in rows]
    parts = element("thead", element("tr", *heads)), element("tbody", join(body))
    return element("div", element("table", *parts), cls="wide")


def _row(columns: Sequence[str | Column], row: Row) -> Html:
    if isinstance(row, Heading):
        return element("tr", element("th", row.text, colspan=len(columns), scope="colgroup"), cls="group")
    cells = (_cell(column, cell) for column, cell in zip(columns, row, strict=True))
    return element("tr", *cells)


def _cell(column: str | Column, cell: Cell) -> Html:
    kind = "n" if isinstance(column, Column) else ""
    if isinstance(cell, Share):
        return element("td", cell.text, cls=f"{kind} share".strip(), style=f"--part:{100 * cell.part:.1f}%")
    return element("td", cell, cls=kind)
