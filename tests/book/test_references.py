"""Citations have one form in text and list, and each leads to the other."""

from __future__ import annotations

import re
from functools import cache
from html import unescape

import pytest
from browsing import HTML

LINK = re.compile(r'<a class="reference internal" href="bibliography\.html#(\w+)"[^>]*>(.*?)</a>')
ENTRY = re.compile(r'<div class="citation" id="(\w+)">(.*?)</div>', re.S)

pytestmark = pytest.mark.site


def plain(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", markup))


@cache
def entries() -> dict[str, str]:
    """Return the list's entries by anchor, as markup."""
    page = (HTML / "book" / "bibliography.html").read_text(encoding="utf-8")
    return dict(ENTRY.findall(page))


def label(entry: str) -> str:
    found = re.search(r'<span class="label">(.*?)</span>\s*<p>', entry, re.S)
    assert found is not None
    return plain(found[1]).strip("[]")


def test_text_and_list_say_the_same() -> None:
    differing, cited = [], set()
    for path in (HTML / "book").glob("*.html"):
        for anchor, said in LINK.findall(path.read_text(encoding="utf-8")):
            cited.add(anchor)
            if plain(said) != label(entries()[anchor]):
                differing.append(f"{path.name}: {plain(said)}, {label(entries()[anchor])}")
    assert differing == []
    assert cited == entries().keys()
    assert "Shreedhar and Varghese, 1995" in map(label, entries().values())


def test_every_entry_leads_back_to_where_it_is_cited() -> None:
    for anchor, entry in entries().items():
        back = re.findall(r'href="(\w+\.html)#(\w+)"', entry)
        assert back, f"{label(entry)} leads nowhere"
        for page, place in back:
            text = (HTML / "book" / page).read_text(encoding="utf-8")
            assert f'id="{place}"' in text
            assert f"bibliography.html#{anchor}" in text


def test_the_source_article_is_named_on_the_first_page() -> None:
    (entry,) = (entry for entry in entries().values() if label(entry).startswith("The source"))
    assert "In Chinese, in the series" in plain(entry)
    assert "intro.html" in entry
