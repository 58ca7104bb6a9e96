"""The loader of built pages: ipywidgets' models, links and anywidget modules without ipywidgets.

Pages are made here of widgets' own embedded state, as a notebook's are, and opened from a file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from browsing import AXE, PHONE, ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

import anywidget
import ipywidgets as widgets
import traitlets
from ipywidgets.embed import embed_data

STATIC = ROOT / "book" / "_static"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.filterwarnings("ignore:.*tests that use browser.*"),
]
DRAWN = (
    "export default { render({ model, el }) { window.probe = model; el.textContent = 'drawn'; } }"
)


class Probe(anywidget.AnyWidget):
    """A widget that lets a test see its model."""

    _esm = DRAWN
    value = traitlets.Any(0).tag(sync=True)
    other = traitlets.Any(0).tag(sync=True)
    data = traitlets.Bytes(bytes(range(256))).tag(sync=True)
    deep = traitlets.Any({"a": [{"b": b"xyz"}]}).tag(sync=True)


HTML = """<!DOCTYPE html><html lang="en" data-theme="light"><head>
<meta charset="utf-8"><title>t</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root {{ --pst-color-text-base: #222; --pst-color-text-muted: #555;
--pst-color-primary: #15c; --pst-color-background: #fff; --pst-color-surface: #f3f4f5;
--pst-color-border: #ccc }}</style>
<link rel="stylesheet" href="{static}/book.css">
<script type="application/vnd.jupyter.widget-state+json">{state}</script>
<script defer src="{static}/controls.js"></script><script defer src="{static}/widgets.js"></script>
</head><body><main class="bd-article"><h1>t</h1>
<div class="cell_output"><p class="stands-in">static</p>
{views}</div><div style="height: 3000px"></div></main></body></html>"""
VIEW = '<script type="application/vnd.jupyter.widget-view+json">{}</script>'


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport=PHONE, has_touch=True)
    context.set_default_timeout(4_000)
    page = context.new_page()
    page.said = []
    page.on("console", lambda message: page.said.append((message.type, message.text)))
    page.on("pageerror", lambda error: page.said.append(("uncaught", str(error))))
    yield page
    context.close()


@pytest.fixture
def show(tab: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a page with widgets in it; in the end nothing was amiss."""

    def shown(*views: Any, drawn: str = ".widget-subarea") -> Any:
        data = embed_data(views=list(views), drop_defaults=False)
        parts = [VIEW.format(json.dumps(spec)) for spec in data["view_specs"]]
        path = tmp_path / "page.html"
        text = HTML.format(
            static=STATIC.as_uri(), state=json.dumps(data["manager_state"]), views="\n".join(parts)
        )
        path.write_text(text, encoding="utf-8")
        tab.goto(path.as_uri())
        if drawn:
            tab.wait_for_selector(drawn)
        return tab

    tab.said.clear()
    yield shown
    assert tab.said == []


def probed(show: Any, control: Any, trait: str = "value") -> Any:
    """Show a control that is linked to a probe."""
    probe = Probe()
    widgets.jslink((control, trait), (probe, "value"))
    return show(widgets.VBox([control, probe]), drawn="text=drawn")


def value(page: Any) -> Any:
    return page.evaluate("probe.get('value')")


SLIDERS = {
    "float": lambda at=5.0: widgets.FloatSlider(
        at, min=1, max=10, step=0.1, description="Burst factor"
    ),
    "int": lambda at=1: widgets.IntSlider(at, min=0, max=200, description="Seed"),
    "log": lambda at=10.0: widgets.FloatLogSlider(
        at, base=10, min=-1, max=3, step=0.05, description="Quantum (ms)"
    ),
    "whole log": lambda at=200: widgets.FloatLogSlider(
        at, base=10, min=0, max=4, step=0.05, description="Cap", readout_format=".0f"
    ),
}
LIMITS = {"float": (1, 10), "int": (0, 200), "log": (0.1, 1000), "whole log": (1, 10_000)}

# --- models ---------------------------------------------------------------------------------------


def test_linked_values_go_both_ways_and_at_once(show: Any) -> None:
    slider, probe = SLIDERS["float"](), Probe()
    widgets.jslink((slider, "value"), (probe, "value"))
    widgets.jsdlink((probe, "value"), (probe, "other"))
    page = show(widgets.VBox([slider, probe]), drawn="text=drawn")
    assert (value(page), page.evaluate("probe.get('other')")) == (5, 5)
    page.evaluate("probe.set('value', 7.25)")
    assert page.locator(".widget-readout").input_value() == "7.25"
    assert page.evaluate("probe.get('other')") == 7.25
    page.evaluate("probe.set('other', 3)")
    assert value(page) == 7.25


def test_bytes_come_as_anywidget_gives_them(show: Any) -> None:
    page = show(Probe(), drawn="text=drawn")
    read = "v => Array.from(new Uint8Array(v.buffer, v.byteOffset, v.byteLength))"
    assert page.evaluate(f"({read})(probe.get('data'))") == list(range(256))
    assert page.evaluate(f"({read})(probe.get('deep').a[0].b)") == list(b"xyz")
    assert page.evaluate("probe.get('data') instanceof DataView")


def test_events_are_those_of_a_backbone_model(show: Any) -> None:
    page = show(Probe(), drawn="text=drawn")
    assert page.evaluate(
        """() => {
          const heard = [], hear = (name) => (model, value) => heard.push([name, value ?? null]);
          const one = hear("value");
          probe.on("change:value", one);
          probe.on("change:value change:other", hear("either"));
          probe.on("change", hear("all"));
          probe.on("change:value", () => probe.set("other", 9));
          probe.set({ value: 4, other: 5 });
          probe.set("value", 4);
          probe.set("value", [1]);
          probe.set("value", [1]);
          probe.off("change:value", one);
          probe.set("value", 8);
          probe.off();
          probe.set("value", 1);
          return heard;
        }"""
    ) == [
        *(["value", 4], ["either", 4], ["either", 9], ["either", 9], ["all", None]),
        *(["value", [1]], ["either", [1]], ["all", None]),
        *(["either", 8], ["all", None]),
    ]


@pytest.mark.parametrize(
    "esm",
    [
        DRAWN,
        f"{DRAWN.replace('export default', 'const widget =')}; export default () => widget;",
        f"{DRAWN.replace('export default', 'const widget =')}; export default async () => widget;",
        DRAWN.replace("export default { ", "export function ")[:-2],
        DRAWN.replace(
            "{ render", "{ async initialize({ model }) { model.set('other', 1) }, render", 1
        ),
    ],
    ids=["object", "function", "async function", "render alone", "initialize"],
)
def test_every_form_of_a_module_is_started(show: Any, esm: str) -> None:
    page = show(type("Own", (Probe,), {"_esm": esm})(), drawn="text=drawn")
    assert page.evaluate("probe.get('other')") == int("initialize" in esm)


def test_two_views_of_a_model_start_it_once_and_bring_its_style_once(show: Any) -> None:
    esm = DRAWN.replace("{ render", "{ initialize() { window.n = (window.n || 0) + 1 }, render", 1)
    own = type("Own", (Probe,), {"_esm": esm, "_css": ".own { color: red }"})().add_class("own")
    page = show(own, own, drawn="text=drawn >> nth=1")
    assert page.evaluate("window.n") == 1
    styles = "[...document.querySelectorAll('style')].map(node => node.textContent)"
    assert page.evaluate(styles).count(".own { color: red }") == 1
    assert page.locator(".own").count() == 2


def test_what_cannot_be_drawn_leaves_the_static_page_alone_and_says_so(show: Any) -> None:
    page = show(widgets.VBox([SLIDERS["int"](), widgets.DatePicker()]), Probe(), drawn="text=drawn")
    assert page.said == [
        ("warning", "A widget is left out, as this page cannot draw its DatePickerModel.")
    ]
    page.said.clear()
    assert page.locator(".widget-subarea").count() == 1  # the other one
    assert page.locator(".stands-in").is_visible()


def test_a_fault_in_a_module_is_told_and_stops_no_other_widget(show: Any) -> None:
    bad = type("Bad", (Probe,), {"_esm": "export default { render() { throw Error('no') } }"})()
    page = show(bad, Probe(), drawn="text=drawn")
    page.wait_for_timeout(50)
    assert [kind for kind, _ in page.said] == ["error"]
    assert "no" in page.said.pop()[1]


# --- sliders --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "start", "key", "expected"),
    [
        ("float", 5.0, "ArrowRight", 5.1),
        ("float", 5.55, "ArrowRight", 5.6),
        ("float", 5.55, "ArrowLeft", 5.5),
        ("float", 5.0, "PageDown", 4.1),
        ("float", 9.9, "PageUp", 10),
        ("float", 10.0, "ArrowUp", 10),
        ("float", 5.0, "Home", 1),
        ("int", 1, "ArrowUp", 2),
        ("int", 1, "PageUp", 21),
        ("int", 1, "PageDown", 0),
        ("int", 1, "End", 200),
        ("log", 10.0, "ArrowRight", 20),
        ("log", 10.0, "ArrowLeft", 5),
        ("log", 16.0, "ArrowDown", 10),
        ("log", 0.15, "ArrowLeft", 0.1),
        ("log", 20.0, "PageUp", 200),
        ("log", 10.0, "Home", 0.1),
        ("log", 10.0, "End", 1000),
        ("whole log", 1, "ArrowRight", 2),
        ("whole log", 123, "ArrowLeft", 100),
        ("whole log", 3, "PageDown", 1),
    ],
)
def test_keys(show: Any, kind: str, start: float, key: str, expected: float) -> None:
    page = probed(show, SLIDERS[kind](start))
    handle = page.get_by_role("slider")
    handle.press(key)
    assert value(page) == expected
    unit = " ms" if kind == "log" else ""
    assert handle.get_attribute("aria-valuetext") == f"{expected:g}{unit}"
    assert page.locator(".widget-readout").input_value() == f"{expected:g}"
    assert page.locator(".widget-note").inner_text() == ""


def test_a_log_sliders_arrows_go_from_end_to_end_by_1_2_5(show: Any) -> None:
    page = probed(show, SLIDERS["log"](0.1))
    seen = [value(page)]
    while value(page) < 1000:
        page.get_by_role("slider").press("ArrowRight")
        seen.append(value(page))
    assert seen == [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def test_a_name_a_value_and_a_unit_are_told(show: Any) -> None:
    page = probed(show, SLIDERS["log"](16))
    handle = page.get_by_role("slider", name="Quantum (ms)", exact=True)
    assert handle.get_attribute("aria-valuetext") == "16 ms"
    assert page.get_by_role("textbox", name="Quantum (ms), typed").input_value() == "16"


@pytest.mark.parametrize("kind", SLIDERS)
def test_what_is_typed_is_taken_as_it_is(show: Any, kind: str) -> None:
    page = probed(show, SLIDERS[kind]())
    field, note = page.locator(".widget-readout"), page.locator(".widget-note")
    least, most = LIMITS[kind]
    whole = kind in ("int", "whole log")

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        number=st.one_of(
            st.decimals(-10, 20_000, places=3),
            st.integers(math.ceil(1000 * least), 1000 * most).map(lambda n: Decimal(n) / 1000),
            st.integers(-10, 20_000),
        )
    )
    def typed(number: Any) -> None:
        page.evaluate("probe.set('value', 2), probe.set('value', 3)")
        assert note.inner_text() == ""
        field.fill(str(number))
        field.press("Enter")
        kept = math.floor(float(number) + 0.5) if whole else float(number)
        assert value(page) == min(most, max(least, kept))
        assert float(field.input_value()) == value(page)
        said = note.inner_text()
        if float(number) < least:
            assert said == f"The least is {least}."
        elif float(number) > most:
            assert said == f"The most is {most}."
        else:
            assert said == ("Whole numbers only." if whole and number % 1 else "")

    typed()


@pytest.mark.parametrize(
    ("text", "expected", "said"),
    [
        ("1,000", 1000, ""),
        (" 5e2 ", 500, ""),
        ("16,5", 10, "“16,5” is no number: 10 is kept."),
        ("fast", 10, "“fast” is no number: 10 is kept."),
        ("", 10, "“” is no number: 10 is kept."),
        ("Infinity", 1000, "The most is 1000."),
    ],
)
def test_what_is_typed_amiss_changes_nothing_and_is_told(
    show: Any, text: str, expected: float, said: str
) -> None:
    page = probed(show, SLIDERS["log"]())
    page.locator(".widget-readout").fill(text)
    page.locator(".widget-readout").press("Tab")
    assert (value(page), page.locator(".widget-note").inner_text()) == (expected, said)
    assert page.locator(".widget-readout").input_value() == str(expected)
    page.get_by_role("slider").press("Home")
    assert page.locator(".widget-note").inner_text() == ""


@pytest.mark.parametrize("kind", SLIDERS)
def test_dragging_reaches_both_ends_and_stops_at_round_values(show: Any, kind: str) -> None:
    page = probed(show, SLIDERS[kind]())
    box = page.get_by_role("slider").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    seen = set()
    for part in (0.2, 0.31, 0.47, 0.63, 0.78):
        page.mouse.move(box["x"] + part * box["width"], y, steps=3)
        seen.add(value(page))
    assert len(seen) == 5
    assert all(len(f"{v:g}".replace(".", "").strip("0")) <= 2 + (kind == "int") for v in seen)
    for end, limit in zip((-40, box["width"] + 40), LIMITS[kind], strict=True):
        page.mouse.move(box["x"] + end, y, steps=3)
        assert value(page) == limit
    page.mouse.up()


@pytest.mark.parametrize("way", [1, -1])
def test_a_screen_readers_single_places_are_steps_of_a_log_slider(show: Any, way: int) -> None:
    page = probed(show, SLIDERS["log"]())
    page.get_by_role("slider").evaluate(
        "(node, way) => { node.valueAsNumber += way;"
        " node.dispatchEvent(new Event('input', { bubbles: true })); }",
        way,
    )
    assert value(page) == (20 if way > 0 else 5)


def swipe(page: Any, start: tuple[float, float], by: tuple[float, float]) -> None:
    """Swipe with one finger, as a phone reports it."""
    session = page.context.new_cdp_session(page)
    points = [(start[0] + by[0] * i / 10, start[1] + by[1] * i / 10) for i in range(11)]
    for i, (x, y) in enumerate(points):
        kind = "touchMove" if i else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        page.wait_for_timeout(16)
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    page.wait_for_timeout(300)


def pull(page: Any, by: tuple[float, float]) -> tuple[float, float]:
    """Swipe from a place beside the handle; return the value and how far the page scrolled."""
    page.evaluate("scrollTo(0, 0)")
    page.locator(".widget-slider").evaluate("node => { node.style.marginTop = '400px'; }")
    box = page.get_by_role("slider").bounding_box()
    swipe(page, (box["x"] + 0.7 * box["width"], box["y"] + 22), by)
    return value(page), page.evaluate("scrollY")


def test_a_vertical_swipe_scrolls_and_a_horizontal_one_sets(show: Any) -> None:
    page = probed(show, SLIDERS["float"]())
    moved, scrolled = pull(page, (4, -200))
    assert moved == 5
    assert scrolled > 100
    moved, scrolled = pull(page, (-120, 6))
    assert moved < 5
    assert scrolled == 0


def test_negative_control_a_slider_that_keeps_all_touches_does_not_scroll(show: Any) -> None:
    page = probed(show, SLIDERS["float"]())
    page.get_by_role("slider").evaluate("node => { node.style.touchAction = 'none'; }")
    assert pull(page, (4, -200))[1] == 0


def test_a_finger_may_miss_the_handle_by_20_px(show: Any) -> None:
    page = probed(show, SLIDERS["float"]())
    handle = page.get_by_role("slider")
    thumb = "node => parseFloat(getComputedStyle(node, '::-webkit-slider-thumb').width)"
    box = handle.bounding_box()
    assert handle.evaluate(thumb) >= 28
    assert box["height"] >= 44
    assert box["width"] >= 0.99 * page.locator(".widget-slider").bounding_box()["width"]
    page.touchscreen.tap(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2 + 20)
    assert 7 < value(page) < 9


def test_a_widget_that_names_its_slider_is_left_to_it(show: Any) -> None:
    page = probed(show, SLIDERS["float"]())
    page.locator(".widget-slider").evaluate("node => { node.dataset.named = 'own'; }")
    handle = page.get_by_role("slider")
    handle.evaluate("node => node.setAttribute('aria-valuetext', 'mine')")
    handle.press("ArrowRight")
    assert (value(page), handle.get_attribute("aria-valuetext")) == (5.1, "mine")


# --- other controls -------------------------------------------------------------------------------


def test_checkbox(show: Any) -> None:
    page = probed(show, widgets.Checkbox(True, description="FIFO"))
    box = page.get_by_role("checkbox", name="FIFO")
    assert box.is_checked()
    page.locator("label", has_text="FIFO").click()
    assert value(page) is False
    page.evaluate("probe.set('value', true)")
    assert box.is_checked()


def test_accordion_opens_one_part_at_a_time(show: Any) -> None:
    parts = [widgets.HTML("<b>first</b>"), widgets.HTML("second")]
    control = widgets.Accordion(parts, titles=("One", "Two"), selected_index=None)
    page = probed(show, control, "selected_index")
    assert not page.get_by_text("first").is_visible()
    page.locator("summary", has_text="One").click()
    assert page.locator("b", has_text="first").is_visible()
    page.locator("summary", has_text="Two").click()
    page.wait_for_function("probe.get('value') === 1")
    assert page.locator("details[open] summary").all_inner_texts() == ["Two"]
    page.locator("summary", has_text="Two").click()
    page.wait_for_function("probe.get('value') === null")


def test_layouts_and_classes_are_those_of_the_model(show: Any) -> None:
    box = widgets.HBox([SLIDERS["int"](), SLIDERS["float"]()], layout={"flex_flow": "row wrap"})
    box.children[0].layout.width = "min(100%, 10rem)"
    box.children[0].add_class("fl-seed")
    page = show(box)
    assert page.locator(".fl-seed").bounding_box()["width"] == 160
    flow = "e => [getComputedStyle(e).display, getComputedStyle(e).flexFlow]"
    assert page.locator(".widget-hbox").evaluate(flow) == ["flex", "row wrap"]


def test_controls_have_no_barriers(show: Any) -> None:
    accordion = widgets.Accordion([widgets.HTML("text")], titles=("More",))
    page = show(
        widgets.VBox(
            [
                *(make() for make in SLIDERS.values()),
                widgets.Checkbox(description="FIFO"),
                accordion,
            ]
        )
    )
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []


def test_every_kind_of_widget_in_the_package_can_be_drawn() -> None:
    """What the package makes of ipywidgets is what controls.js draws."""
    controls = (STATIC / "controls.js").read_text(encoding="utf-8")
    text = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "fairness_lib/explorer").glob("*.py")
    )
    used = set(re.findall(r"\bwidgets\.([A-Z]\w+)", text)) - {"DOMWidget", "Widget"}
    assert {"VBox", "FloatLogSlider", "Checkbox"} <= used
    assert [name for name in used if f"{name}Model" not in controls] == []
