"""The page: well-formed, self-contained, deterministic, safe whatever a model's names are, and right about the plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from byrote.driver import compile_model
from byrote.options import CompileOptions
from byrote.plan import Memory
from byrote.report.html import html_page
from byrote.report.json import Report
from byrote.report.markup import Html, clean, element
from byrote.result import Result
from byrote.schedule import Goal, Granularity
from tests.memories.network import SAME, residual
from tests.support.sketch import Sketch, per_tensor

NASTY = '</title></svg><script>alert(\'x\')</script>"><img src=https://evil.example/ onerror="y">&amp;\x01\u202e\ud7ff'

OPTIONS = {
    "auto": CompileOptions(),
    "rows": CompileOptions(goal=Goal.RAM),
    "whole": CompileOptions(granularity=Granularity.WHOLE),
    "pushed": CompileOptions(push_input=True),
    "two memories": CompileOptions(memories=(Memory("dtcm", 2048), Memory("sram", 65536))),
    "too little RAM": CompileOptions(ram=1024),
    "too little flash": CompileOptions(flash=512),
    "host": CompileOptions(target="host"),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return residual(tmp_path_factory.mktemp("model") / "residual.tflite")


@dataclass(frozen=True)
class Made:
    """A page and what it is made of."""

    result: Result
    report: Report
    page: str


def make(model: Path, options: CompileOptions) -> Made:
    compiled = compile_model(model, options)
    report = compiled.report()
    return Made(compiled.result, report, html_page(compiled.result, report))


@pytest.fixture(scope="module", params=OPTIONS.values(), ids=list(OPTIONS))
def made(request: pytest.FixtureRequest, model: Path) -> Made:
    options: CompileOptions = request.param
    return make(model, options)


def parse(page: str) -> ElementTree.Element:
    """The page is well-formed XML too, so any mistake in nesting or escaping is an error."""
    return ElementTree.fromstring(page)


def texts(page: str) -> str:
    return "\n".join(" ".join(part.itertext()) for part in parse(page).iterfind("body"))


class _Reader(HTMLParser):
    """What a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_nothing_is_loaded_and_nothing_runs(made: Made) -> None:
    page = made.page
    parse(page)
    reader = _Reader()
    reader.feed(page)
    tags = {tag for tag, _ in reader.tags}
    assert {"main", "svg", "table", "style"} <= tags
    assert not tags & {"script", "img", "link", "iframe", "object", "a", "image", "use", "foreignobject", "base"}
    assert not [key for _, attributes in reader.tags for key in attributes if key.startswith("on") or "href" in key]
    assert not re.search(r"(?i)https?:|//[a-z]|url\(|@import|javascript:", page)


def buffers_in(svg: ElementTree.Element) -> Iterator[ElementTree.Element]:
    return (rect for rect in svg.iterfind(".//rect") if rect.get("class", "").startswith("buffer"))


def test_every_buffer_is_drawn_inside_the_picture(made: Made) -> None:
    result = made.result
    pictures = list(parse(made.page).iterfind(".//svg"))
    assert len(pictures) == len(result.arenas)
    drawn = 0
    for svg, arena in zip(pictures, result.arenas, strict=True):
        _, _, width, height = map(float, svg.get("viewBox", "").split())
        for rect in svg.iterfind(".//rect"):
            x, y, w, h = (float(rect.get(key, "nan")) for key in ("x", "y", "width", "height"))
            assert 0 <= x <= x + w <= width
            assert 0 <= y <= y + h <= height
            assert w > 0
        tips = [rect.findtext("title", "") for rect in buffers_in(svg)]
        drawn += len(tips)
        assert all(re.search(r"bytes at [\d,]+ to [\d,]+; alive .*\(calls \d+ to \d+\)$", tip) for tip in tips)
        ends = [int(tip.split(" to ")[1].split(";")[0].replace(",", "")) for tip in tips]
        assert max(ends) == arena.size
    assert drawn == sum(buffer.size > 0 for buffer in result.problem.buffers)


def test_the_picture_is_to_scale(model: Path) -> None:
    """Two rectangles overlap exactly if the buffers share bytes and a call."""
    (svg,) = parse(make(model, CompileOptions()).page).iterfind(".//svg")
    found: list[tuple[float, float, float, float, int, int, int, int]] = []
    for rect in buffers_in(svg):
        x, y, w, h = (float(rect.get(key, "nan")) for key in ("x", "y", "width", "height"))
        tip = rect.findtext("title", "").replace(",", "")
        low, high = map(int, re.findall(r"at (\d+) to (\d+)", tip)[0])
        start, last = map(int, re.findall(r"calls (\d+) to (\d+)", tip)[0])
        found.append((x, x + w, y, y + h, start, last + 1, low, high))
    for one in found:
        for other in found:
            seen = min(one[1], other[1]) - max(one[0], other[0]) > 0.1
            seen = seen and min(one[3], other[3]) - max(one[2], other[2]) > 0.1
            shared = max(one[4], other[4]) < min(one[5], other[5]) and max(one[6], other[6]) < min(one[7], other[7])
            assert seen == shared


def test_the_peak_is_marked_where_it_is(made: Made) -> None:
    report = made.report
    root = parse(made.page)
    assert len(list(root.iterfind(".//rect[@class='peak']"))) == len(made.result.arenas)
    if len(made.result.arenas) == 1:
        assert f"fullest: {report.peak_at}" in [text.text for text in root.iterfind(".//text")]
    said = " ".join(texts(made.page).split())
    assert all(f"{role} {count:,}" in said for role, count in report.peak_bytes.items())


def test_figures_are_those_of_the_report(made: Made) -> None:
    report = made.report
    said = texts(made.page)
    for number in (report.ram.total, report.flash.weights, report.macs, report.cost.cycles_low):
        assert number is None or f"{number:,}" in said
    assert all(layer.kernel in said for layer in report.layers)
    assert all(other.why in said for layer in report.layers for other in layer.passed_over)
    assert "estimate" in said
    assert report.cost.basis in said
    for segment in report.schedule:
        if segment.cycles and segment.cycles_whole and segment.rows_per_step is not None:
            assert f"{segment.cycles:,}" in said


def test_what_does_not_fit_is_said_first(model: Path) -> None:
    made = make(model, CompileOptions(ram=1024))
    page, body = made.page, texts(made.page)
    (shortfall,) = made.report.shortfalls
    assert "does not fit" in body[:200]
    assert shortfall.text in body
    root = parse(page)
    assert root.find(".//rect[@class='over']") is not None
    assert root.find(".//i[@class='excess']") is not None
    assert "512 too many" in body


def test_the_same_bytes_every_time(model: Path) -> None:
    assert make(model, CompileOptions()).page == make(model, CompileOptions()).page


@pytest.fixture(scope="module", params=[NASTY, "<" * 10_000, "ü\n\t\x00\x7f" * 40], ids=["markup", "long", "odd"])
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two convolutions whose tensors all have the same hostile name."""
    name: str = request.param
    rng = np.random.default_rng(5)
    sketch = Sketch()
    x = sketch.input((1, 12, 12, 4), per_tensor(0.05))
    for _ in range(2):
        weights = rng.integers(-127, 128, (4, 3, 3, 4), dtype=np.int8)
        x = sketch.conv2d(x, weights, np.zeros(4, np.int32), (0.004,) * 4, to=per_tensor(0.1), options=SAME)
    sketch.tensors[:] = [replace(tensor, name=name) for tensor in sketch.tensors]
    path = tmp_path_factory.mktemp("hostile") / "a'\"><script>&.tflite"
    path.write_bytes(sketch.model(x).to_bytes())
    return path


def test_hostile_names_stay_text(hostile: Path) -> None:
    made = make(hostile, CompileOptions(ram=256, goal=Goal.RAM))
    page = html_page(made.result, replace(made.report, warnings=(NASTY, "<b>" * 10_000)))
    parse(page)
    reader = _Reader()
    reader.feed(page)
    assert not {tag for tag, _ in reader.tags} & {"script", "img", "a"}
    assert "<script" not in page
    assert "\u202e" not in page
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", page)
    assert max(map(len, texts(page).split("\n"))) < 20_000
    assert len(page) < 100_000


def test_text_is_escaped_by_construction() -> None:
    assert element("p", "<&'\">") == "<p>&lt;&amp;&#x27;&quot;&gt;</p>"
    assert element("p", title="\"'<&>") == '<p title="&quot;&#x27;&lt;&amp;&gt;"></p>'
    assert element("p", Html("<i/>"), 1234567) == "<p><i/>1,234,567</p>"
    assert element("rect", stroke_width=1.50, cls="a", x=2.0) == '<rect class="a" stroke-width="1.5" x="2"/>'
    assert clean("a\nb\x00\ud800") == "a b.."
    assert clean("n" * 10_000, 5) == "nnnn…"
