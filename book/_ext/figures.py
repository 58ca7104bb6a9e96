"""Put SVG figures into the page itself, in the page's colours, light and dark.

A stored figure has plain colours on white, so that it can be read anywhere. In a page its white is
the page's ground and its black the page's text, greys stand between the two, and colours are as
much lighter as the style sheet says (``--fl-keep``). An alt text becomes the drawing's name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from fairness_lib.plots.svg import shortened
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

COLOR = re.compile(r"#[0-9a-f]{6}\b")
FONT = re.compile(r"font-family:[^;\"]*;?")
PX_PER_PT = 4 / 3

log = logging.getLogger(__name__)


class drawing(nodes.General, nodes.Element):  # type: ignore[misc]
    """An SVG that is part of the page."""


def page_color(color: str) -> str:
    """Return what a colour of a figure is in a page.

    >>> page_color("#ffffff"), page_color("#000000")
    ('var(--fl-ground)', 'var(--fl-text)')
    """
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    if red != green or green != blue:
        return f"color-mix(in srgb,{color} var(--fl-keep),white)"
    if red in (0, 255):
        return "var(--fl-ground)" if red else "var(--fl-text)"
    return f"color-mix(in srgb,var(--fl-text) {100 - red / 2.55:.0f}%,var(--fl-ground))"


def for_page(svg: str, name: str, prefix: str) -> str:
    """Return a figure as part of a page, with an accessible name and ids of its own."""
    root = shortened(svg)
    ground = next(iter(root), None)
    if ground is not None and ground.get("style") == "fill:#ffffff":
        root.remove(ground)
    _, _, width, height = (float(number) for number in root.attrib.pop("viewBox").split())
    text = ElementTree.tostring(root, encoding="unicode")
    body = FONT.sub("", text[text.index(">") + 1 :])
    body = re.sub(r'(\bid="|href="#|url\(#)', rf"\1{prefix}-", body)
    colors = {color: f"--c{color[1:]}" for color in sorted(set(COLOR.findall(body)))}
    body = COLOR.sub(lambda found: f"var({colors[found[0]]})", body)
    attributes = {
        "class": "fl-figure",
        "role": "img",
        "aria-label": name,
        "viewBox": f"0 0 {width:g} {height:g}",
        "width": f"{width * PX_PER_PT:.0f}",
        "height": f"{height * PX_PER_PT:.0f}",
        "style": ";".join(f"{own}:{page_color(color)}" for color, own in colors.items()),
    }
    start = ElementTree.tostring(ElementTree.Element("svg", attributes), encoding="unicode")
    return start.replace(" />", ">") + body


class Inline(SphinxPostTransform):
    """Replace images that are SVG files by the drawings in them."""

    default_priority = 500
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Do so for one page."""
        for number, image in enumerate(list(self.document.findall(nodes.image)), 1):
            path = Path(self.app.srcdir, image["uri"])
            if path.suffix != ".svg" or not path.is_file():
                continue
            if not image.get("alt"):
                log.warning("a figure without an alt text", location=image)
            svg = for_page(path.read_text(encoding="utf-8"), image.get("alt", ""), f"f{number}")
            image.replace_self(drawing(svg=svg))


def visit(translator: Any, node: drawing) -> None:
    """Write a drawing."""
    translator.body.append(node["svg"])
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the drawings."""
    app.add_node(drawing, html=(visit, None))
    app.add_post_transform(Inline)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
