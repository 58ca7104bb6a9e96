"""The built site, page by page: self-contained, whole, accessible, fit for a phone.

Tests marked ``site`` need the built site (`make book`); those marked ``browser`` look at it
in the Chromium or Chrome of this machine. Without one they are skipped, and in CI fail.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import accessible
import pandas as pd
import pytest
import repository
import yaml
from browsing import DESK, HTML, PHONE, ROOT, TABLET, Look


def toc_pages() -> list[str]:
    """Return the pages that the table of contents promises, and those that Sphinx adds."""

    def files(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            for key, value in node.items():
                if key in {"file", "root"}:
                    yield re.sub(r"\.(ipynb|md|rst)$", "", str(value)) + ".html"
                else:
                    yield from files(value)
        elif isinstance(node, list):
            for item in node:
                yield from files(item)

    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [*dict.fromkeys(files(toc)), "search.html", "genindex.html"]


PAGES = toc_pages()


# --- what can be seen without a browser ---------------------------------------------------


class Page(HTMLParser):
    """The links, pictures and anchors of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.pictures: list[tuple[str, str | None]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.update(value for key in ("id", "name") if (value := values.get(key)))
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        elif tag == "link" and values.get("rel") not in {"search", "canonical"}:
            self.loads.append(values.get("href") or "")
        elif tag in {"script", "img", "iframe", "source", "video", "audio", "object"}:
            self.loads.append(values.get("src") or values.get("data") or "")
        elif tag == "meta" and (values.get("http-equiv") or "").lower() == "refresh":
            self.links.append((values.get("content") or "").split("url=", 1)[-1])
        if value := values.get("id"):
            self.ids.append(value)
        if tag == "img":
            self.pictures.append((values.get("src") or "", values.get("alt")))
        elif values.get("role") == "img":
            self.pictures.append((tag, values.get("aria-label")))


@functools.cache
def read_page(path: Path) -> Page:
    return Page(path)


def built_pages() -> list[Path]:
    """Return all pages of the built site; fail where there is none."""
    found = [path for path in HTML.rglob("*.html") if "_static" not in path.parts]
    assert found, f"no site in {HTML}: run `make book`"
    return found


@pytest.mark.site
def test_every_page_of_the_contents_was_built() -> None:
    built_pages()
    assert [page for page in PAGES if not (HTML / page).is_file()] == []


@pytest.mark.site
def test_no_internal_link_or_anchor_is_broken() -> None:
    broken = []
    for path in built_pages():
        page = read_page(path)
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or link in {"", "#"} or link.startswith("//"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.path.startswith("/") or not target.is_file():
                broken.append(f"{path.relative_to(HTML)}: {link}")
            elif parts.fragment and target.suffix == ".html":
                anchors = read_page(target).anchors
                if unquote(parts.fragment) not in anchors:
                    broken.append(f"{path.relative_to(HTML)}: {link} (no such anchor)")
    assert broken == []


@pytest.mark.site
def test_no_page_loads_anything_from_elsewhere() -> None:
    outside = [
        f"{path.relative_to(HTML)}: {source}"
        for path in built_pages()
        for source in read_page(path).loads
        if source.startswith("//") or urlsplit(source).scheme not in {"", "data"}
    ]
    for sheet in (HTML / "_static").rglob("*.css"):
        text = sheet.read_text(encoding="utf-8", errors="replace")
        if re.search(r"(?:@import\s+(?:url\()?|url\()\s*[\"']?(?:https?:)?//", text):
            outside.append(str(sheet.relative_to(HTML)))
    assert outside == []


@pytest.mark.site
def test_every_picture_has_an_alt_text_that_is_not_a_file_name() -> None:
    poor = []
    for path in built_pages():
        for source, alt in read_page(path).pictures:
            text = (alt or "").strip()
            named = re.search(r"\.(png|svg|jpe?g|gif|webp)$", text) or text == Path(source).stem
            if not text or named or text.startswith(("../", "_images")):
                poor.append(f"{path.relative_to(HTML)}: {source[:80]} alt={alt!r}")
    assert poor == []


@pytest.mark.site
def test_no_id_stands_twice_in_a_page_with_figures() -> None:
    figures, twice = 0, []
    for path in built_pages():
        if mine := sum(tag == "svg" for tag, _ in read_page(path).pictures):
            figures += mine
            ids = Counter(read_page(path).ids)
            twice += [f"{path.name}: {name}" for name, count in ids.items() if count > 1]
    assert figures > 30
    assert twice == []


def titles(head: str) -> list[list[str]]:
    """Return the words of a table's head, row by row."""
    rows = re.findall(r"<tr.*?</tr>", head, re.DOTALL)
    return [re.findall(r"<th[^>]*>(.*?)</th>", row, re.DOTALL) for row in rows]


def flattened(table: pd.DataFrame) -> list[list[str]]:
    return titles(accessible.flatten_head(accessible.HEAD.search(table.to_html())[0]))


def test_the_name_of_an_index_gets_no_row_of_its_own() -> None:
    table = pd.DataFrame({"x": [1], "y": [2]})
    assert flattened(table) == [["", "x", "y"]]
    assert flattened(table.rename_axis("cap")) == [["cap", "x", "y"]]
    two = table.set_index(pd.MultiIndex.from_tuples([("a", 1)], names=["policy", "seed"]))
    assert flattened(two) == [["policy", "seed", "x", "y"]]


def test_a_head_with_something_in_both_rows_keeps_them() -> None:
    table = pd.DataFrame({"x": [1]}).rename_axis("cap").rename_axis("metric", axis=1)
    assert flattened(table) == [["metric", "x"], ["cap", ""]]
    groups = pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("wait", "FIFO")]))
    assert flattened(groups) == [["", "wait"], ["", "FIFO"]]


@pytest.mark.site
def test_no_table_has_a_blank_band_in_its_head() -> None:
    bands = []
    for path in built_pages():
        for head in accessible.HEAD.findall(path.read_text(encoding="utf-8")):
            if accessible.flatten_head(head) != head:
                bands.append(f"{path.relative_to(HTML)}: {titles(head)}")
    assert bands == []


@pytest.mark.site
def test_chapters_are_numbered_and_folds_of_code_are_called_so() -> None:
    unnumbered, odd = [], []
    for number, path in enumerate(page for page in PAGES if re.match(r"book/0[1-8]_", page)):
        text = (HTML / path).read_text(encoding="utf-8")
        if f'<h1><span class="section-number">{number + 1}. </span>' not in text:
            unnumbered.append(path)
        odd += [
            f"{path}: {name}" for name in re.findall(r"(?:Show|Hide) code cell|Toggle hid", text)
        ]
    assert (unnumbered, odd) == ([], [])


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://github.com/someone/fair.git", "https://github.com/someone/fair"),
        ("https://token@github.com/someone/fair", "https://github.com/someone/fair"),
        ("git@github.com:someone/fair.git", "https://github.com/someone/fair"),
        ("ssh://git@gitlab.com/someone/fair.git", "https://gitlab.com/someone/fair"),
    ],
)
def test_buttons_lead_to_the_repository_of_the_remote(remote: str, url: str) -> None:
    options = repository.theme_options(remote, "main")
    assert options["repository_url"] == url
    assert options["use_repository_button"]
    assert options["use_issues_button"]
    assert ("colab_url" in options["launch_buttons"]) == ("github.com" in url)


@pytest.mark.parametrize(
    "remote", ["", "/srv/git/fair", "../fair", "file:///srv/fair", "https://example.org/a/b"]
)
def test_no_buttons_without_a_remote_that_a_reader_can_open(remote: str) -> None:
    assert repository.theme_options(remote, "main") == {"repository_url": ""}


# --- in a browser -------------------------------------------------------------------------


@pytest.fixture(scope="session")
def looks(browser: Any, origins: dict[str, str]) -> Iterator[Any]:
    """Return a function that opens, or opens again, the tab for an origin and a theme."""
    opened: dict[tuple[str, str], Look] = {}

    def look(origin: str, theme: str) -> Look:
        if (origin, theme) not in opened:
            opened[origin, theme] = Look(browser, origins[origin], theme)
        tab = opened[origin, theme]
        tab.page.emulate_media(media="screen")
        tab.page.set_viewport_size(PHONE)
        tab.faults.clear()
        tab.outside.clear()
        return tab

    yield look
    for tab in opened.values():
        tab.context.close()


OPEN_ALL = """() => {
  for (const option of document.querySelectorAll(".question .options li:last-child button"))
    option.click();
  for (const fold of document.querySelectorAll("details")) fold.open = true;
}"""
CUT = """() => [...document.querySelectorAll(".highlight pre, .cell_output .output,"
    + ".pst-scrollable-table-container, mjx-container[display]")]
  .filter(node => node.clientWidth && node.scrollWidth > node.clientWidth + 1
    && getComputedStyle(node).overflowX !== "visible")
  .map(node => [node.localName, node.textContent.slice(0, 60),
    getComputedStyle(node).maskImage !== "none"])"""
FAULTS_OF_FIGURES = (Path(__file__).parent / "figures.js").read_text(encoding="utf-8")
HALF = """() => [...document.querySelectorAll(".cell_output tbody")].flatMap(body =>
  [...body.rows[0].cells].map((_, i) => [...body.rows].map(row => row.cells[i])
      .filter(cell => cell?.localName === "td"))
    .filter(column => new Set(column.map(cell => cell.matches(".number"))).size > 1)
    .map(column => column.map(cell => cell.textContent)))"""


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("origin", "theme"), [("http", "light"), ("http", "dark"), ("file", "dark")]
)
def test_page(looks: Any, origin: str, theme: str, path: str) -> None:
    tab = looks(origin, theme)
    tab.visit(path)
    assert tab.page.evaluate("document.documentElement.dataset.theme") == theme
    found = {}
    tab.page.evaluate(OPEN_ALL)  # or nobody looks at what is folded
    for name, size in (("phone", PHONE), ("tablet", TABLET), ("desk", DESK)):
        tab.resize(size)
        found[f"wider than the {name}"] = tab.overflow()
        cut = tab.page.evaluate(CUT)
        found[f"cut on the {name} without a hint"] = [what for _, what, hint in cut if not hint]
        found[f"code or equation cut on the {name}"] = [
            what for tag, what, _ in cut if tag in {"pre", "mjx-container"}
        ]
        if (
            origin == "http" and size != TABLET
        ):  # the page is the same, and axe takes most of the time
            found[f"barriers on the {name}"] = tab.violations()
    found["columns half of numbers"] = tab.page.evaluate(HALF)
    found["errors"] = tab.faults
    found["requests to elsewhere"] = tab.outside
    assert {what: items for what, items in found.items() if items} == {}


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_can_be_read(looks: Any, theme: str, path: str) -> None:
    tab = looks("http", theme)
    tab.visit(path)
    for size in (PHONE, DESK):
        tab.resize(size)
        assert tab.page.evaluate(FAULTS_OF_FIGURES) == []


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("text.style.fontSize = '8px'", "is 6.9 px"),
        ("text.style.fill = 'color-mix(in srgb, var(--fl-text) 40%, var(--fl-ground))'", "to 1"),
        ("text.setAttribute('x', -20)", "cut off"),
        ("text.after(text.cloneNode(true))", "overlaps"),
        ("figure.style.setProperty('--c0072b2', '#243444')", "--c0072b2"),
        ("figure.style.background = 'gray'", "slab"),
        ("figure.prepend(slab)", "slab"),
    ],
)
def test_negative_control_a_spoiled_figure_is_noticed(looks: Any, spoil: str, said: str) -> None:
    tab = looks("http", "dark")
    tab.visit("book/04_results.html")
    tab.page.evaluate(
        "{ const figure = document.querySelector('.fl-figure');"
        " const text = figure.querySelector('text');"
        " const slab = figure.querySelector('path').cloneNode();"
        " slab.setAttribute('d', 'M 0 0 H 400 V 250 H 0 z'); slab.style.fill = '#ddd';"
        f" {spoil} }}"
    )
    assert said in "\n".join(tab.page.evaluate(FAULTS_OF_FIGURES))


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("path", PAGES)
def test_page_in_print(looks: Any, path: str) -> None:
    tab = looks("http", "dark")
    tab.visit(path)
    tab.page.emulate_media(media="print")
    tab.resize({"width": 720, "height": 1000})  # the text width of A4 paper
    shade = "getComputedStyle(document.body).backgroundColor"
    assert tab.page.evaluate(shade) == "rgb(255, 255, 255)", "a dark page is printed dark"
    assert tab.overflow() == []
    for furniture in (".bd-sidebar-primary", ".bd-header-article", ".prev-next-footer"):
        for element in tab.page.locator(furniture).all():
            assert not element.is_visible(), f"{furniture} is printed"


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("origin", ["http", "file"])
def test_search_works_without_a_server(looks: Any, origin: str) -> None:
    tab = looks(origin, "light")
    tab.visit("search.html?q=fair")
    first = tab.page.locator("#search-results li a").first
    first.wait_for()
    assert first.get_attribute("href")
    assert (tab.faults, tab.outside) == ([], [])


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("query", ["noisy+neighbor", "noisy+neighbour", "utilization"])
def test_search_finds_the_glossary_by_either(looks: Any, query: str) -> None:
    tab = looks("http", "light")
    tab.visit(f"search.html?q={query}")
    tab.page.locator("#search-results li a[href*='glossary']").first.wait_for()
    assert tab.faults == []


@pytest.mark.site
@pytest.mark.browser
@pytest.mark.parametrize("origin", ["http", "file"])
def test_sliders_have_names_and_move_by_keyboard(looks: Any, origin: str) -> None:
    sliders = 0
    for path in PAGES:
        if "Slider" not in (HTML / path).read_text(encoding="utf-8"):
            continue
        tab = looks(origin, "light")
        tab.visit(path)
        sliders += tab.page.locator(".widget-slider").count()
        for handle in tab.page.locator(".widget-slider").get_by_role("slider").all():
            assert handle.get_attribute("aria-label"), f"{path}: a slider without a name"
            spoken = [handle.get_attribute("aria-valuetext")]
            for key in ("End", "ArrowLeft"):
                handle.press(key)
                spoken.append(handle.get_attribute("aria-valuetext"))
            assert spoken[1] not in (None, spoken[2]), f"{path}: a slider is stuck"
        tab.page.wait_for_timeout(300)
        assert (path, tab.faults, tab.outside) == (path, [], [])
    assert sliders
