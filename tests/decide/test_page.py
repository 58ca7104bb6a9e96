"""The report as a page and as text: whole, escaped, and harmless whatever tenants are called."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import crowded, trace_of

from fairness_lib import read_trace
from fairness_lib.decide import compare
from fairness_lib.decide import words as said
from fairness_lib.decide.page import page
from fairness_lib.decide.text import FORMATS, render

HOSTILE = [
    '<script>document.title = "owned"</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '=HYPERLINK("http://example.com")',
    "@SUM(1+1)",
    "\x1b[31mred\x1b[0m\x07",
    "\u202egnihtyna",
    "a|b`c`[d](javascript:e)",
    "%s{0}{record}\\x",
    "x" * 10_000,
    "]]><!--</style></svg></title>",
    "line\nbreak",
]


class Seen(HTMLParser):
    """Tags, attributes and text of a page; fails at what is not closed in order."""

    VOID = ("meta", "br", "img", "rect", "line", "path")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(tag, set()).add(name)
            if name in ("href", "src", "xlink:href", "action", "data"):
                self.links.append(value)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag


def record_of(names):
    rows = [(names[0], i / 20, 1.0) for i in range(600)]
    rows += [(name, i + n / 20, 0.1) for n, name in enumerate(names[1:]) for i in range(100)]
    return compare(trace_of(rows), workers=4, objective_s=1.0).to_dict()


@pytest.fixture(scope="module")
def hostile():
    return record_of(HOSTILE)


def parsed(html: str) -> Seen:
    seen = Seen()
    seen.feed(html)
    seen.close()
    assert seen.open == []
    return seen


def test_hostile_names_add_no_tag_and_no_attribute(hostile) -> None:
    plain = parsed(page(record_of([f"tenant{i}" for i in range(len(HOSTILE))])))
    bad = parsed(page(hostile))
    assert bad.tags == plain.tags
    assert bad.attributes == plain.attributes
    assert "script" not in bad.tags
    assert all(link.startswith("data:text/csv;base64,") for link in bad.links)


def test_names_are_there_as_text(hostile) -> None:
    html = page(hostile)
    assert "&lt;script&gt;document.title = &quot;owned&quot;&lt;/script&gt;" in html
    assert "\x1b" not in html
    assert "\u202e" not in html


@settings(max_examples=40, deadline=None)
@given(st.text(min_size=1, max_size=40))
def test_any_name_is_text_in_every_format(name) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        return
    for shown in (said.html(name), said.short(name), said.markdown(name)):
        assert shown.isprintable()
    assert not re.search(r"[<>\"']", said.html(name))
    assert not re.search(r"(?<!\\)[|`\[\]]", said.markdown(name))
    assert not said.cell(name).lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    assert said.cell(name).lstrip("'") == name.lstrip("'")


def test_no_cell_of_csv_is_a_formula_and_every_name_comes_back(hostile) -> None:
    rows = list(csv.reader(io.StringIO(render(hostile, "csv"))))
    assert len(rows) == 1 + len(HOSTILE)
    names = [row[0] for row in rows[1:]]
    assert not any(name.startswith(("=", "@", "+", "-")) for name in names)
    assert sorted(name.removeprefix("'") for name in names) == sorted(
        name.removeprefix("'") for name in HOSTILE
    )


@pytest.mark.parametrize("style", ["table", "markdown"])
def test_text_has_no_control_characters(hostile, style) -> None:
    text = render(hostile, style)
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(max(text.split("\n"), key=len)) < 400


def test_hostile_names_of_columns_are_harmless_too() -> None:
    head = 'tenant,"<i>\x1b[31m",arrival,"cost <i>\x1b[31m"'
    rows = [f"{'ab'[i % 2]},x,{i / 10},1" for i in range(50)]
    text = "\n".join([head, *rows, "a,x,1,-1"])
    trace = read_trace(io.BytesIO(text.encode()), skip_bad_rows=True)
    record = compare(trace, workers=3).to_dict()
    for style in ("table", "markdown"):
        assert all(line.isprintable() for line in render(record, style).split("\n"))
    assert "<i>" not in page(record)
    assert repr(trace).replace("\n", "").isprintable()


def test_markdown_has_as_many_cells_in_every_row(hostile) -> None:
    lines = [line for line in render(hostile, "markdown").split("\n") if line.startswith("|")]
    tables: dict[int, int] = {}
    for line in lines:
        cells = len(re.findall(r"(?<!\\)\|", line))
        tables[cells] = tables.get(cells, 0) + 1
    assert all(rows >= 3 for rows in tables.values())


def test_json_is_the_record_and_has_a_version(hostile) -> None:
    assert json.loads(render(hostile, "json")) == hostile
    assert hostile["version"] == 1


@pytest.mark.parametrize("style", FORMATS)
def test_every_verdict_renders(style) -> None:
    one_tenant = trace_of([("a", i / 10, 1.0) for i in range(50)])
    for found in (
        compare(crowded(), workers=500),
        compare(crowded(), objective_s=1.0),
        compare(one_tenant, workers=2),
        compare(crowded(), workers=4, objective_s=1.0, cap=50, deadline_s=60.0),
        compare(trace_of([(f"t{n}", i / 10, 1.0) for n in range(8) for i in range(60)]), workers=8),
    ):
        record = found.to_dict()
        assert record["verdict"]["sentence"] in render(record, "table")
        assert render(record, style)
        parsed(page(record))


def test_of_many_tenants_twenty_have_a_row_and_all_are_in_the_file() -> None:
    rows = [(f"t{n:04}", n / 100, 1.0) for n in range(4000)]
    record = compare(trace_of(rows), workers=20).to_dict()
    html = page(record)
    assert "3,980 others" in html
    assert len(record["tenants"]) == 4000
    assert len(html) < 1_000_000


def test_a_page_asks_nobody(hostile) -> None:
    html = page(hostile)
    assert "default-src 'none'" in html
    assert not re.search(r"(?:src|href)=\"(?!data:)", html)
    assert "url(" not in html
    assert "@import" not in html
