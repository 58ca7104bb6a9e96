"""Short drawings are the same drawings, and a page's figures have colours and ids of the page."""

from __future__ import annotations

import importlib.util
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import ImageColor

from fairness_lib import ARTICLE_POLICIES, plots
from fairness_lib.plots.style import GROUP_COLORS, OTHER_COLORS, POLICY_COLORS
from fairness_lib.plots.svg import compact

EXTENSION = Path(__file__).resolve().parents[2] / "book" / "_ext" / "figures.py"
spec = importlib.util.spec_from_file_location("figures", EXTENSION)
assert spec is not None
assert spec.loader is not None
figures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(figures)


def draw(make: Callable[[], Figure]) -> str:
    file = io.StringIO()
    with mpl.rc_context():
        plots.use_style()
        make().savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def scatter() -> Figure:
    figure = Figure(figsize=(5.8, 3))
    ax = figure.subplots()
    ax.scatter([1, 2, 3], [1.23456, 2, 3], color=GROUP_COLORS["heavy"], alpha=0.5)
    ax.bar([1, 2], [2, 1], hatch="//", color=GROUP_COLORS["mid"], edgecolor="white")
    ax.set_title("a < b & c")
    return figure


def paths() -> Figure:
    figure = Figure(figsize=(5.2, 2.4))
    plots.task_path(figure.subplots(), ARTICLE_POLICIES["drr_quota"]())
    return figure


def shapes(svg: str) -> list[tuple[str, str, str]]:
    """Return kind, style (its own, or its group's) and text of all that is drawn, in order."""
    drawn = []

    def visit(element: ElementTree.Element, inherited: str) -> None:
        tag = element.tag.rpartition("}")[2]
        style = element.get("style", inherited).replace(" ", "")
        if tag in {"path", "use", "text", "rect"}:
            drawn.append((tag, style, (element.text or "").strip()))
        for child in element:
            visit(child, style if tag == "g" else "")

    visit(ElementTree.fromstring(svg), "")
    return drawn


@pytest.mark.parametrize("make", [scatter, paths])
def test_a_short_drawing_draws_the_same_in_less(make: Callable[[], Figure]) -> None:
    long = draw(make)
    short = compact(long)
    assert shapes(short) == shapes(long)
    assert compact(short) == short
    assert len(short) < 0.75 * len(long)


@pytest.mark.parametrize("make", [scatter, paths])
def test_all_that_is_referred_to_is_there_under_the_prefix(make: Callable[[], Figure]) -> None:
    page = figures.for_page(draw(make), "name", "f7")
    referred = set(re.findall(r"#([\w-]+)", page.partition(">")[2]))
    ids = re.findall(r'id="([^"]+)"', page)
    assert referred == set(ids)
    assert all(name.startswith("f7-") for name in ids)
    assert len(ids) == len(set(ids))


def test_a_page_knows_all_colours_of_a_figure_and_has_no_ground_of_its_own() -> None:
    page = figures.for_page(draw(scatter), 'said "so" & <so>', "f1")
    start, _, body = page.partition(">\n")
    assert not re.search(r"#[0-9a-f]{6}\b", body)
    assert set(re.findall(r"var\((--c\w+)\)", body)) == set(re.findall(r"(--c\w+):", start))
    assert "DejaVu" not in page
    assert 'aria-label="said &quot;so&quot; &amp; &lt;so&gt;"' in start
    assert 'role="img"' in start
    assert ElementTree.fromstring(page) is not None
    ground = '" style="fill:var(--cffffff)" />'
    assert ground not in body
    assert ground.replace("var(--cffffff)", "#ffffff") in compact(draw(scatter))


def test_drawing_twice_gives_the_same_bytes() -> None:
    assert draw(scatter) == draw(scatter)


def contrast(one: Any, other: Any) -> float:
    def luminance(color: Any) -> float:
        part = np.asarray(color) / 255
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    "color", [*GROUP_COLORS.values(), *OTHER_COLORS, *POLICY_COLORS.values(), "#b3261e"]
)
def test_one_can_write_in_every_colour_on_white_and_on_a_shade(color: str) -> None:
    for ground in ("#ffffff", "#f0f0f0"):
        assert contrast(ImageColor.getrgb(color), ImageColor.getrgb(ground)) >= 4.5


def test_negative_control_okabe_and_itos_green_is_too_light_to_write_with() -> None:
    assert contrast(ImageColor.getrgb("#009e73"), (255, 255, 255)) < 4.5
