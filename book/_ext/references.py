"""One form of citation everywhere: the list's labels are the text's, and lead back to the text.

``sphinxcontrib.bibtex`` writes [Shreedhar and Varghese, 1995] in the text and [SV95] in the
list, and links entries back only within one page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pybtex.plugin
from docutils import nodes
from pybtex.style.formatting.plain import Style as Plain
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle
from sphinxcontrib.bibtex.style.template import join, year

NAME = "as_in_the_text"


class Labels(BaseLabelStyle):  # type: ignore[misc]
    """Labels that say what ``cite:p`` says."""

    def format_labels(self, sorted_entries: Iterable[Any]) -> Iterator[str]:
        """Yield each entry's label."""
        style = AuthorYearReferenceStyle()
        names = style.person.author_or_editor_or_title(full=False)
        for entry in sorted_entries:
            label = join(sep=style.author_year_sep)[names, year]
            yield str(label.format_data({"entry": entry, "style": style}))


class List(Plain):  # type: ignore[misc]
    """Entries by author and year, with these labels."""

    default_label_style = NAME


class BackLinks(SphinxPostTransform):
    """End each entry of the list with links to where it is cited."""

    default_priority = 6  # after the entries have been written, before references are resolved

    def run(self, **kwargs: Any) -> None:
        """Add the links to one page's entries."""
        domain = self.env.get_domain("cite")
        keys = {item.citation_id: item.key for item in domain.citations}  # type: ignore[attr-defined]
        for entry in self.document.findall(nodes.citation):
            places: dict[str, str] = {}
            for cited in domain.citation_refs:  # type: ignore[attr-defined]
                if keys.get(entry["ids"][0]) in {target.key for target in cited.targets}:
                    places.setdefault(cited.docname, cited.citation_ref_id)
            links = nodes.inline("", " Cited in ", classes=["cited-in"])
            for number, (page, place) in enumerate(places.items()):
                title = nodes.Text(self.env.titles[page].astext())
                links += nodes.Text(", " if number else "")
                links += make_refnode(self.app.builder, self.env.docname, page, place, title)
            links += nodes.Text(".")
            entry[-1] += links


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the labels, the list and the links back."""
    pybtex.plugin.register_plugin("pybtex.style.labels", NAME, Labels)
    pybtex.plugin.register_plugin("pybtex.style.formatting", NAME, List)
    app.add_post_transform(BackLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
