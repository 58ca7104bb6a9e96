"""Tasks in motion: what is drawn, and when, is what the columns of `simulate` say."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from math import ceil
from typing import Any

import numpy as np
import pytest
from browsing import AXE, DESK, HTML, PHONE, Look, on_site
from cases import standing

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from fairness_lib import Policy, fifo
from fairness_lib.explorer import front, motion
from fairness_lib.explorer.excerpt import TICK_S
from fairness_lib.explorer.stepper import thirty_tasks

PAGE = "book/intro.html"
INSTANTS = [0, 1, 499, 501, 1200, 1523, 3333, 5000, 5500, 9999, 13_000, 13_700, 16_001, 17_999]


def test_the_followed_task_waits_under_fifo_and_goes_at_once_under_drr(shown: Any) -> None:
    ringed = shown.ringed()
    lines, done = [e.waiting(shown.still) for e in shown.excerpts], shown.excerpts[1].finish[ringed]
    before = lines[0][0].index(ringed)
    assert f"FIFO: {before} tasks still stand before it." in shown.sentence
    assert before > 200
    assert done < shown.still


def test_a_static_figure_stands_in_for_the_widget(shown: Any) -> None:
    texts = " ".join(text.get_text() for ax in shown.figure().axes for text in ax.texts)
    for said in ("FIFO", "DRR", "one line for all", "20 small: a line each", "8 workers"):
        assert said in texts


def test_what_is_sent_is_small(shown: Any) -> None:
    assert len(shown.view.record) <= 22_500  # 30 kB as base64
    for parts, most in ((("motion",), 10_000), (("player", "motion"), 15_000)):
        code = front.module(*(f"{part}.js" for part in parts))
        assert len((code + front.style(*(f"{part}.css" for part in parts))).encode()) <= most


class LastFirst:
    """A discipline that has no drawing here."""

    def begin(self, tasks: Any) -> None: ...
    def put(self, task: int, now: float) -> None: ...
    def take(self, now: float) -> None: ...


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"policies": [Policy("x", LastFirst())]}, TypeError, "policies must be FIFO or deficit"),
        ({"to_s": 19.0}, ValueError, "to_s must be above 19.95 and at most 29.95; got 19.0"),
        ({"to_s": 40}, ValueError, "to_s must be above 19.95 and at most 29.95; got 40"),
        ({"from_s": -1}, ValueError, "from_s must be finite and at least 0; got -1"),
        ({"still_s": 25}, ValueError, "still_s must be at least 19.95 and at most 21.75; got 25"),
        ({"burst_s": 22}, ValueError, "burst_s must be at least 0 and at most 21.75; got 22"),
        (
            {"workload": thirty_tasks(), "workers": 2},
            ValueError,
            "from_s must be given with a workload; got None",
        ),
        ({"workers": 13}, ValueError, "workers must be at most 12 to be drawn; got 13"),
        (
            {"policies": [fifo(cap=5000)], "to_s": 23.0},
            ValueError,
            "lines must be of at most 2500 tasks to be drawn; got",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    change: dict[str, Any], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        motion(**change)


def test_a_small_workload_of_ones_own() -> None:
    own = motion(thirty_tasks(), from_s=0, to_s=0.3, burst_s=0, still_s=0.1, workers=2)
    assert own.ringed() is not None
    none = motion(thirty_tasks(), from_s=0, to_s=0.1, burst_s=0.1, still_s=0.0, workers=2)
    assert none.ringed() is None
    assert "ringed" not in none.sentence


# --- what is drawn, in a browser, without the book ----------------------------------------------

STAGE = """
async ({state, code}) => {
  for (const [name, value] of Object.entries(state))
    if (value?.b64) state[name] = new DataView(Uint8Array.from(atob(value.b64), c => c.charCodeAt(0)).buffer);
  window.frames_ = 0;
  addEventListener("fl-moved", ({detail}) => { window.drawn = detail; window.frames_ += 1; });
  const model = {get: (name) => state[name], set() {}, save_changes() {}, on() {}, off() {}};
  const {default: widget} = await import(URL.createObjectURL(new Blob([code], {type: "text/javascript"})));
  window.stop_ = widget.render({model, el: document.getElementById("stage")});
}"""  # noqa: E501
BLANK = (
    '<!doctype html><html lang="en" data-theme="light"><title>t</title>'
    '<meta name="viewport" content="width=device-width"><body><div style="height:{}px"></div>'
    '<div id="stage" style="width:{}"></div><div style="height:3000px"></div>'
)


@pytest.fixture
def stage(browser: Any, shown: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens the widget in a page of its own."""
    contexts = []

    def open_stage(above: int = 0, width: str = "auto", **options: Any) -> Any:
        context = browser.new_context(**{"viewport": DESK, "reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.set_content(BLANK.format(above, width))
        page.add_style_tag(content=shown.view._css)
        names = [name for name in shown.view.keys if not name.startswith("_")]
        state = {
            name: {"b64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
            for name in names
            if name not in {"layout", "tabbable", "tooltip"}
            for value in [getattr(shown.view, name)]
        }
        page.evaluate(STAGE, {"state": json.loads(json.dumps(state)), "code": shown.view._esm})
        page.wait_for_function("window.drawn !== undefined")
        return page

    yield open_stage
    for context in contexts:
        assert [page.faults for page in context.pages] == [[]]
        context.close()


def clock(page: Any) -> int:
    """Return the shown time in ms of the excerpt."""
    return round(1000 * (float(page.locator(".fl-clock strong").inner_text()[:-2]) - 19.95))


def check_drawn(page: Any, shown: Any) -> int:
    """Compare what was drawn last with the columns; return its tick."""
    drawn = page.evaluate("window.drawn")
    tick = ceil(drawn["time"])  # between two ticks all of the first has happened
    for excerpt, stand in zip(shown.excerpts, drawn["stands"], strict=True):
        task = excerpt.task.tolist()
        lines, serving = standing(excerpt.run, 19.95 + tick * TICK_S, excerpt.lines)
        assert [[task[place] for place in line] for line in stand["lines"]] == lines
        assert sorted(task[place] for place in stand["workers"] if place is not None) == serving
        busy = {w: p for w, p in enumerate(stand["workers"]) if p is not None}
        assert busy == excerpt.serving(tick)
        group = np.array([tenant["group"] for tenant in shown.view.tenants])[excerpt.tenant]
        for number, (waiting, served, turned) in enumerate(stand["counts"]):
            own = group == number
            assert waiting == sum(own[place] for line in excerpt.waiting(tick) for place in line)
            done = (excerpt.finish >= 0) & (excerpt.finish < tick) & ~excerpt.gone
            assert served == (done & own & (excerpt.worker >= 0)).sum()
            assert turned == (excerpt.rejected & (excerpt.arrival < tick) & own).sum()
    return tick


@pytest.mark.browser
def test_what_is_drawn_is_what_the_columns_say(stage: Any, shown: Any) -> None:
    page = stage()
    random = np.random.default_rng(2)
    for ms in [0, 1, 50, 153, 550, 1350, 1363, 1799, *random.integers(0, 1800, 25).tolist()]:
        page.get_by_role("slider", name="Time").fill(str(ms))
        assert check_drawn(page, shown) == 10 * ms
        assert clock(page) == ms


@pytest.mark.browser
def test_without_motion_a_still_is_shown_and_steps_work(stage: Any, shown: Any) -> None:
    page = stage()
    page.wait_for_timeout(500)
    assert check_drawn(page, shown) == shown.still
    assert page.get_by_role("button", name="Play", exact=True).is_visible()
    frames = page.evaluate("window.frames_")
    page.wait_for_timeout(300)
    assert page.evaluate("window.frames_") == frames
    time = page.get_by_role("slider", name="Time")
    time.focus()
    for key, ms in (("ArrowRight", 551), ("ArrowLeft", 550), ("Home", 0), ("End", 1800)):
        page.keyboard.press(key)
        assert clock(page) == ms
        check_drawn(page, shown)
    page.get_by_role("button", name="Step back").click()
    assert (clock(page), time.get_attribute("aria-valuetext")) == (1799, "21.749 s")
    page.get_by_role("button", name="FIFO: line full").click()
    check_drawn(page, shown)
    assert page.evaluate("window.drawn.stands[0].lines[0].length") == 2000
    said = page.locator("[role=status]")
    assert "FIFO has served 41, 93 wait; DRR has served 134, none waits" in said.inner_text()
    assert said.get_attribute("aria-live") == "polite"


@pytest.mark.browser
def test_it_begins_by_itself_once_in_sight_and_only_then(stage: Any, shown: Any) -> None:
    page = stage(above=3000, reduced_motion="no-preference")
    page.wait_for_timeout(400)
    assert clock(page) == 0
    page.locator("#stage").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('canvas').scrollIntoView({block: 'center'})")
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    page.wait_for_function("document.querySelector('.fl-clock strong').innerText > '19.96'")
    assert page.locator("[role=status]").get_attribute("aria-live") == "off"
    page.evaluate("scrollTo(0, 0)")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    rested = clock(page)
    assert check_drawn(page, shown) > 0
    page.evaluate("document.querySelector('canvas').scrollIntoView({block: 'center'})")
    page.wait_for_timeout(500)
    assert clock(page) == rested


@pytest.mark.browser
def test_play_goes_at_the_chosen_speed_and_pauses_when_hidden(stage: Any, shown: Any) -> None:
    page = stage(reduced_motion="no-preference")
    page.get_by_label("Speed").select_option("10× slower")
    page.get_by_role("slider", name="Time").fill("0")
    start = page.evaluate("performance.now()")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("document.querySelector('.fl-clock strong').innerText > '20.05'")
    took = page.evaluate("performance.now()") - start
    assert took > 900  # 100 ms, ten times slower; a busy machine drops frames, and takes longer
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    page.get_by_role("button", name="Play", exact=True).wait_for()
    check_drawn(page, shown)


@pytest.mark.browser
def test_touch_scrubs_sideways_and_a_swipe_up_scrolls(stage: Any) -> None:
    page = stage(above=300, viewport=PHONE, has_touch=True, is_mobile=True)
    page.evaluate("document.querySelector('.fl-range').scrollIntoView({block: 'center'})")
    box = page.get_by_role("slider", name="Time").bounding_box()
    session = page.context.new_cdp_session(page)

    def swipe(by_x: float, by_y: float) -> None:
        x, y = box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2
        send = session.send
        send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for part in range(1, 11):
            point = {"x": x + by_x * part / 10, "y": y + by_y * part / 10}
            send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(300)

    before, top = clock(page), page.evaluate("scrollY")
    swipe(0, -150)
    assert page.evaluate("scrollY") > top + 50
    assert clock(page) == before
    box = page.get_by_role("slider", name="Time").bounding_box()
    swipe(100, 0)
    assert clock(page) > 1200
    button = page.get_by_role("button", name="Step back").bounding_box()
    page.touchscreen.tap(button["x"] + 5, button["y"] + 5)
    assert clock(page) > 1200


@pytest.mark.browser
@pytest.mark.parametrize("width", ["300px", "688px"])
def test_nothing_is_cut_off(stage: Any, width: str) -> None:
    page = stage(width=width)
    inner, outer = page.evaluate(
        "(s => [s.scrollWidth, s.clientWidth])(document.querySelector('#stage'))"
    )
    assert inner <= outer
    # each mark of the fullest moment has a place of its own on the canvas
    page.get_by_role("button", name="FIFO: line full").click()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run('#stage', {resultTypes: ['violations']})")
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []


# --- in the built page --------------------------------------------------------------------------


class Tab(Look):
    """A tab with the landing page."""

    def open(self) -> Tab:
        self.page.emulate_media(reduced_motion="reduce")
        self.resize(DESK)
        self.page.goto(self.origin + PAGE)
        self.page.wait_for_selector(".fl-motion canvas")
        self.page.wait_for_selector(".fl-chart")
        return self


@on_site
@pytest.mark.parametrize(("origin", "theme"), [("http", "light"), ("file", "dark")])
def test_the_landing_page_has_it(
    browser: Any, origins: dict[str, str], origin: str, theme: str, shown: Any
) -> None:
    if not (HTML / PAGE).is_file():
        pytest.fail(f"no {PAGE} in {HTML}: run `make book`")
    tab = Tab(browser, origins[origin], theme).open()
    try:
        tab.page.evaluate("addEventListener('fl-moved', ({detail}) => { window.drawn = detail; })")
        tab.page.get_by_role("slider", name="Time").fill("700")
        tab.page.wait_for_function("window.drawn?.time === 7000")
        assert check_drawn(tab.page, shown) == 7000
        figure = tab.page.locator(".cell_output:has(.fl-motion)")
        assert not figure.locator(".fl-figure").is_visible()
        assert (tab.faults, tab.outside) == ([], [])  # axe reads style sheets anew
        tab.page.evaluate(AXE.read_text(encoding="utf-8"))
        for size in (DESK, {"width": 1000, "height": 800}, {"width": 768, "height": 900}, PHONE):
            tab.resize(size)
            assert tab.overflow() == []
            found = tab.page.evaluate("axe.run('.fl-motion', {resultTypes: ['violations']})")
            assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []
            box = tab.page.locator(".fl-motion").first
            wide, room = box.evaluate("e => [e.scrollWidth, e.parentElement.clientWidth]")
            assert wide <= room
    finally:
        tab.context.close()


@on_site
@pytest.mark.parametrize("path", [PAGE, "book/03_policies.html"])
def test_paper_shows_the_figure_and_no_dead_buttons(
    browser: Any, origins: dict[str, str], path: str
) -> None:
    tab = Look(browser, origins["http"], "light")
    try:
        tab.page.goto(tab.origin + path)
        tab.page.wait_for_selector(".fl-player")
        cell = tab.page.locator(".cell_output:has(.fl-player)")
        shown = [cell.locator(".fl-figure"), cell.locator(".fl-fallback")]
        assert [part.is_visible() for part in shown] == [False, False]
        tab.page.emulate_media(media="print")
        assert [part.is_visible() for part in shown] == [True, True]
        assert not cell.locator(".fl-player").is_visible()
    finally:
        tab.context.close()


@on_site
def test_a_picture_without_scripts(browser: Any, origins: dict[str, str]) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(origins["http"] + PAGE)
        told = page.locator(".fl-fallback", has_text="The ringed task")
        assert "268 tasks still stand before it" in told.inner_text()
        cell = page.locator(".cell_output", has=told)
        figure = cell.locator(".fl-figure")
        assert figure.is_visible()
        colors = figure.evaluate(
            "e => [...new Set([...e.querySelectorAll('*')].map(n => getComputedStyle(n).stroke))]"
        )
        assert {"rgb(0, 0, 0)", "rgb(255, 255, 255)"} <= set(colors)  # the page's own
    finally:
        context.close()
