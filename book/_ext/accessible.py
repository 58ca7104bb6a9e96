"""Mend what the page generators write that assistive technology reads wrongly.

The theme's own buttons are mended in ``book/_templates``; here the body of each page, and the
contents beside it.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

MENDED = {
    # A summary that reads "Show code cell source" must not be announced as something else.
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # The entries of a list of references have a deprecated role, and its list cannot hold them.
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    ' role="doc-biblioentry"': "",
}


HEAD = re.compile(r"<thead>.*?</thead>", re.DOTALL)
ROW = re.compile(r"<tr\b[^>]*>.*?</tr>", re.DOTALL)
CELL = re.compile(r"<th\b[^>]*>(.*?)</th>", re.DOTALL)


def flatten_head(head: str) -> str:
    """Move the names of an index, which pandas gives a row of its own, into the row above."""
    *_, above, last = ["", "", *ROW.findall(head)]
    names, titles = (list(CELL.finditer(row)) for row in (last, above))
    depth = next((i for i, cell in enumerate(names) if not cell[1].strip()), len(names))
    blank = [*titles[:depth], *names[depth:]]
    if not depth or len(names) != len(titles) or any(cell[1].strip() for cell in blank):
        return head
    merged = above[: titles[0].start()] + last[names[0].start() : names[depth - 1].end()]
    return head.replace(last, "").replace(above, merged + above[titles[depth - 1].end() :])


def mend_head(head: str) -> str:
    """Flatten a table's head, and let its long names break."""
    return CELL.sub(lambda cell: cell[0].replace("_", "_<wbr>"), flatten_head(head))


def mend_body(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Replace the known faults in one page's body."""
    body = context.get("body")
    if body:
        for fault, mended in MENDED.items():
            body = body.replace(fault, mended)
        body = HEAD.sub(lambda found: mend_head(found[0]), body)
        context["body"] = body


# The arrow that folds the pages below one has a picture for a name.
FOLD = re.compile(r"(<a [^>]*>)([^<]+)(</a><details[^>]*>)<summary>")


def name_folds(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Name the arrows of the sidebar by what they fold away."""
    write = context.get("generate_toctree_html")
    if write:

        def named(*args: Any, **options: Any) -> str:
            return FOLD.sub(
                r'\1\2\3<summary aria-label="Pages of: \2">', str(write(*args, **options))
            )

        context["generate_toctree_html"] = named


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the mending."""
    app.connect("html-page-context", mend_body)
    app.connect("html-page-context", name_folds, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
