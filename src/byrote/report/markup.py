"""HTML that is escaped by construction: text becomes markup only through `element`.

What it makes is also well-formed XML.  Text of models is cut to a length, and characters that are not printable
(controls, marks that turn the direction of writing around) become dots.
"""

from __future__ import annotations

import html

_LONGEST = 600
"""Characters of one text; no sentence of ours is that long unless a model's names are."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Content = str | Html | int
Value = str | int | float


def element(name: str, /, *content: Content, cls: str = "", **attributes: Value) -> Html:
    """An element; strings that are not Html are escaped.  `cls` is the class; an underscore stands for a hyphen."""
    stated = {"class": cls, **attributes} if cls else attributes
    listed = "".join(f' {key.replace("_", "-")}="{_attribute(value)}"' for key, value in stated.items())
    if name in ("rect", "line", "meta") and not content:
        return Html(f"<{name}{listed}/>")
    return Html(f"<{name}{listed}>{''.join(map(markup, content))}</{name}>")


def join(parts: list[Html]) -> Html:
    """One after the other, a line each."""
    return Html("\n".join(parts))


def markup(content: Content) -> Html:
    """Html as it is; numbers with commas; anything else escaped."""
    if isinstance(content, Html):
        return content
    return Html(html.escape(clean(content) if isinstance(content, str) else f"{content:,}"))


def clean(text: str, longest: int = _LONGEST) -> str:
    """Printable text of at most `longest` characters."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(c if c.isprintable() else " " if c.isspace() else "." for c in cut)


def _attribute(value: Value) -> str:
    if isinstance(value, str):
        return html.escape(clean(value))
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
