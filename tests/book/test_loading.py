"""What pages weigh and how soon they can be read and moved, with limits that a busy machine keeps.

``python -m benchmarks.loading`` measures the same and prints it; the times that the book is built
for (read within 2 s, live within 4 s at Fast 3G) are in docs/decisions.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from browsing import HTML

from benchmarks.loading import PAGES, Load, load, served

MOST_BYTES = 700_000
READABLE_MS, LIVE_MS = 4_000, 8_000
MOST_BLOCKING = 50_000
SLOW = """
  const late = Date.now() + 9000;
  addEventListener("DOMContentLoaded", () => { while (Date.now() < late); }, { capture: true });
"""
pytestmark = pytest.mark.site


class Head(HTMLParser):
    """The scripts that the parser waits for, and the viewports, of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.blocking: list[str] = []
        self.viewports = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        later = {"defer", "async"} & values.keys() or values.get("type") == "module"
        if tag == "script" and values.get("src") and not later:
            self.blocking.append(str(values["src"]))
        self.viewports += tag == "meta" and values.get("name") == "viewport"


def heavy(text: str, folder: Path) -> list[str]:
    """Return the scripts over 50 kB that a page's parser waits for."""
    sources = (source.split("?")[0] for source in Head(text).blocking)
    return [name for name in sources if (folder / name).stat().st_size > MOST_BLOCKING]


def pages() -> list[Path]:
    found = [path for path in HTML.rglob("*.html") if "_static" not in path.parts]
    assert found, f"no site in {HTML}: run `make book`"
    return found


def test_no_parser_waits_for_a_heavy_script() -> None:
    late = {path.name: heavy(path.read_text(encoding="utf-8"), path.parent) for path in pages()}
    assert {name: scripts for name, scripts in late.items() if scripts} == {}


@pytest.mark.parametrize(
    ("attributes", "said"), [("", ["big.js"]), ("defer", []), ("async", []), ('type="module"', [])]
)
def test_a_heavy_script_is_noticed_unless_it_comes_later(
    tmp_path: Path, attributes: str, said: list[str]
) -> None:
    (tmp_path / "big.js").write_text("x" * (MOST_BLOCKING + 1))
    (tmp_path / "small.js").write_text("x" * MOST_BLOCKING)
    text = f'<script {attributes} src="big.js?v=1"></script><script src="small.js"></script>'
    assert heavy(text, tmp_path) == said


def test_every_page_has_one_viewport() -> None:
    counts = {path.name: Head(path.read_text(encoding="utf-8")).viewports for path in pages()}
    assert {name: count for name, count in counts.items() if count != 1} == {}


def test_formulas_and_widgets_bring_their_scripts_and_nothing_else_does() -> None:
    kinds = set()
    for path in pages():
        text = path.read_text(encoding="utf-8")
        formulas, widgets = 'class="math ' in text, "vnd.jupyter.widget-view+json" in text
        kinds |= {("formulas", formulas), ("widgets", widgets)}
        assert ("math.js" in text, "window.MathJax" in text) == (formulas, formulas), path.name
        assert ("widgets.js" in text, "controls.js" in text) == (widgets, widgets), path.name
    assert len(kinds) == 4, "pages with and without each"


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served(HTML) as address:
        yield address


def quick(visit: Load) -> bool:
    return visit.readable_ms <= READABLE_MS and (visit.live_ms or 0) <= LIVE_MS


@pytest.mark.browser
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_light_and_soon_there_on_a_slow_line(browser: Any, site: str, page: str) -> None:
    visit = load(browser, site + page, throttled=True)
    assert visit.total <= MOST_BYTES, visit.sizes
    assert visit.total > 100_000, "most of it was not counted"
    assert quick(visit), visit


@pytest.mark.browser
def test_negative_control_a_page_that_is_late_is_noticed(browser: Any, site: str) -> None:
    assert not quick(load(browser, site + PAGES[0], throttled=False, init=SLOW))
