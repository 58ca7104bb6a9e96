"""Matplotlib's SVG made short: the same drawing in fewer bytes, one element a line."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

NAMESPACE = "http://www.w3.org/2000/svg"
GEOMETRY = {"d", "height", "points", "transform", "viewBox", "width", "x", "y"}
NUMBER = re.compile(r"-?\d+\.\d+(?:e-\d+)?")
TEXT = {"text", "tspan"}


def compact(svg: str) -> str:
    r"""Return a drawing without what nobody sees: long numbers, spare ids, groups and repeats.

    Numbers keep two decimals, a style that all of a group share is said once by the group. What is
    short already comes back as it is.

    >>> path = '<g id="a"><path d="M 0.1234 1 \nz"/></g>'
    >>> print(compact(f'<svg xmlns="{NAMESPACE}">{path}</svg>'))
    <svg xmlns="http://www.w3.org/2000/svg" style="stroke-linejoin:round">
    <path d="M 0.12 1 z" />
    </svg>
    """
    return ElementTree.tostring(shortened(svg), encoding="unicode")


def shortened(svg: str) -> ElementTree.Element:
    """Return what `compact` writes, its names without their namespace."""
    root = ElementTree.fromstring(svg)
    _shorten(root, set(re.findall(r"#([\w-]+)", svg)))
    root.attrib = {"xmlns": NAMESPACE, **root.attrib, "style": "stroke-linejoin:round"}
    return root


def _shorten(element: ElementTree.Element, used: set[str]) -> None:
    """Shorten an element and all in it; `used` are the ids that something refers to."""
    element.tag = _local(element.tag)
    element.attrib = {
        name: _short(name, value)
        for long, value in element.items()
        if ((name := _local(long)) != "id" or value in used) and not value.startswith("rotate(-0 ")
    }
    children: list[ElementTree.Element] = []
    for child in element:
        _shorten(child, used)
        # matplotlib's only style sheet, which would be the whole page's, is said by the root
        if child.tag in {"metadata", "style"} or (child.tag in {"defs", "g"} and not len(child)):
            continue
        children += list(child) if child.tag == "g" and not child.attrib else [child]
    element[:] = children
    for left, right in pairwise(children):
        if left.tag == right.tag == "g" and left.attrib == right.attrib:
            right[:] = [*left, *right]
            element.remove(left)
    for group in element:
        styles = {child.get("style") for child in group}
        if group.tag == "g" and len(group) > 1 and len(styles) == 1:
            style = styles.pop()
            if style and "style" not in group.attrib and not re.search(r"(?<!-)opacity", style):
                group.set("style", style)
                for child in group:
                    del child.attrib["style"]
    if element.tag not in TEXT:
        element.text = "\n" if len(element) else None
        for child in element:
            child.tail = "\n"


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _short(name: str, value: str) -> str:
    if name == "style":
        return re.sub(r"\s*([:;])\s*", r"\1", value).strip(";")
    if name in GEOMETRY:
        short = NUMBER.sub(lambda n: f"{float(n[0]):.2f}".rstrip("0").rstrip("."), value)
        return " ".join(short.split())
    return value
