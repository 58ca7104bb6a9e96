"""The explorer and the stepper in the built pages, without a kernel: right, quick to hand, quiet.

What the page says is compared with what `simulate` and `measure` say, to the last bit. Looks for
the widgets where the book has them; run ``make book`` first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browsing import AXE, DESK, ON_SITE, PHONE

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from explorer_tab import EXPLORER, LANDING, SLIDERS, STEPPER, Tab, agrees

from fairness_lib import check
from fairness_lib.explorer import explore, stepper
from fairness_lib.explorer.words import in_words

pytestmark = list(ON_SITE)

# --- right -----------------------------------------------------------------------------------


def test_first_drawing_is_the_librarys_run(page: Tab) -> None:
    agrees(page.answer())


@pytest.mark.parametrize(
    "link",
    [
        "quantum=0.1&cap=1&shared=1&burst=1",
        "quantum=1000&cap=10000&burst=10&seed=3",
        "quantum=12.589254&burst=2.7&seed=17&workers=5",
    ],
)
def test_settings_of_a_link_give_the_same_bits(page: Tab, link: str) -> None:
    answer = page.move(link)
    for part in link.split("&"):
        name, value = part.split("=")
        drr = answer["setting"]["policies"][2]
        seen = {"quantum": 1000 * drr["quantum_s"], "cap": drr["cap"]}
        seen["shared"] = answer["setting"]["policies"][0]["cap"]
        assert (seen | answer["setting"])[name] == pytest.approx(float(value), rel=1e-12)
    agrees(answer)


def test_keyboard_moves_every_slider_and_the_drawing(page: Tab) -> None:
    for slider, (name, spoken) in SLIDERS.items():
        handle = page.handle(slider)
        assert handle.get_attribute("aria-label") == name
        before = (
            page.page.locator(".fl-lanes").inner_html(),
            handle.get_attribute("aria-valuetext"),
        )
        assert re.match(spoken, before[1]), before[1]
        count = page.page.evaluate("window.drawn")
        handle.press("ArrowRight")
        page.page.wait_for_function("n => window.drawn > n", arg=count)
        assert page.page.locator(".fl-lanes").inner_html() != before[0] or slider in (
            "fl-cap", "fl-shared-cap",
        )  # fmt: skip
        assert handle.get_attribute("aria-valuetext") != before[1]
    page.settle()
    agrees(page.answer())


def test_mouse_drags_every_slider_and_only_the_last_position_counts(page: Tab) -> None:
    for slider in SLIDERS:
        handle = page.handle(slider)
        handle.scroll_into_view_if_needed()
        box = handle.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        count = page.page.evaluate("window.drawn")
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        page.page.mouse.move(x + 15, y, steps=8)
        page.page.mouse.up()
        page.page.wait_for_function("n => window.drawn > n", arg=count)
    values = {
        name: page.handle(slider).get_attribute("aria-valuetext")
        for slider, (name, _) in SLIDERS.items()
    }
    page.page.wait_for_function(
        "said => `seed ${answer.setting.seed}` === said", arg=values["Seed"]
    )
    answer = page.answer()
    assert values["Workers"] == f"{answer['setting']['workers']} workers"
    agrees(answer)


def test_slow_machine_draws_the_last_position_too(page: Tab) -> None:
    session = page.context.new_cdp_session(page.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    try:
        handle = page.handle("fl-burst")
        handle.focus()
        for _ in range(20):
            page.page.keyboard.press("ArrowRight", delay=0)
        expected = handle.get_attribute("aria-valuetext").split()[0]
        page.page.wait_for_function(
            "value => window.answer.setting.burst === value", arg=float(expected), timeout=20_000
        )
    finally:
        session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
        session.detach()
    page.settle()
    agrees(page.answer())


def test_own_tenants_are_simulated(page: Tab) -> None:
    page.page.locator(".fl-details summary", has_text="Tenants").click()
    count = page.page.evaluate("window.drawn")
    page.page.get_by_label("weight, row 1").fill("4")
    page.page.get_by_label("weight, row 1").press("Tab")
    assert page.page.evaluate("document.activeElement.type") == "checkbox"
    page.page.get_by_label("how many, row 3").fill("7")
    page.page.get_by_label("how many, row 3").press("Enter")
    page.page.get_by_label("mean cost, ms, row 2").fill("25")
    page.page.get_by_label("mean cost, ms, row 2").press("Enter")
    page.page.get_by_role("button", name="Add a tenant").click()
    page.page.wait_for_function("n => window.drawn > n", arg=count)
    page.settle()
    rows = [
        {key: t[key] for key in t if key != "group"} | {"name": t["name"], "count": 1}
        for t in page.answer()["setting"]["tenants"]
    ]
    assert [len(rows), rows[0]["weight"], rows[-1]["name"]] == [13, 4, "tenant-a"]
    assert [row["cost"]["mean_s"] for row in rows] == [0.01] + [0.025] * 4 + [0.01] * 8
    agrees(page.answer(), rows)
    page.page.get_by_label("tasks/s each, row 1").fill("-5")
    page.page.get_by_label("tasks/s each, row 1").press("Enter")
    page.page.locator("[role=alert]", has_text="tasks/s must be from 0").wait_for()


def test_verdicts_are_those_of_check(page: Tab) -> None:
    reports = explore().reports()
    for key, place in (("F1", 0), ("F2", 1), ("F3", 2), ("kept", 3)):
        signs = page.page.locator(f".fl-is-{key} .fl-held").all_inner_texts()
        assert [sign == "✓" for sign in signs] == [check(r)[place].held for r in reports.values()]


# --- to hand ---------------------------------------------------------------------------------


def test_pin_keeps_a_ghost_and_reset_goes_back_and_unpins(page: Tab) -> None:
    page.page.get_by_text("All measures, policy by policy").click()
    first = page.page.locator(".fl-summary").inner_text()
    page.page.get_by_role("button", name="Pin to compare").click()
    page.move("quantum=500")
    ghosts = page.page.locator(".fl-ghost").evaluate_all("g => g.map(e => e.getAttribute('d'))")
    assert sum(map(bool, ghosts)) == 2 * 3 * 4
    assert "was 21.0 ms" in page.page.locator(".fl-summary").inner_text()
    page.page.get_by_role("button", name="Reset").click()
    page.settle()
    assert page.page.get_by_role("button", name="Pin to compare").is_visible()
    assert page.page.locator(".fl-summary").inner_text() == first
    assert page.page.evaluate("location.hash") == ""


def test_numbers_can_be_read_as_a_table(page: Tab) -> None:
    page.page.locator(".fl-details summary", has_text="All numbers").click()
    rows = page.page.locator(".fl-details tbody tr", has_text="mid2")
    rows.first.wait_for()
    texts = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    cells = next(text for text in texts if text[0].strip() == "DRR")
    report = explore().report("drr")
    tenant = report.tenants.loc["mid2"]
    assert cells[4] == f"{tenant.completed_per_s:.2f}"
    assert cells[7] == f"{1000 * tenant.wait_p99_s:.2f}"


def test_hundred_random_settings_and_no_leak(page: Tab) -> None:
    random = np.random.default_rng(1)
    session = page.context.new_cdp_session(page.page)
    heap = {}

    def used() -> float:
        session.send("HeapProfiler.collectGarbage")
        return float(page.page.evaluate("performance.memory.usedJSHeapSize"))

    handles = [page.handle(slider) for slider in SLIDERS]
    for move in range(1, 501):
        if move <= 100:
            handle = handles[random.integers(len(SLIDERS))]
            key = ["ArrowLeft", "ArrowRight", "PageUp", "PageDown"][random.integers(4)]
        else:
            handle, key = handles[0], ["ArrowLeft", "ArrowRight"][move // 12 % 2]
        handle.press(key)
        if move in (50, 500):
            page.settle()
            heap[move] = used()
        elif move == 100:
            page.settle()
            agrees(page.answer())
    session.detach()
    assert heap[500] <= 1.2 * heap[50]


def test_widgets_have_no_barriers_open_or_closed(page: Tab) -> None:
    page.page.evaluate("document.querySelectorAll('.fl-details').forEach(d => { d.open = true; })")
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    for size in (DESK, PHONE):
        page.resize(size)
        found = page.page.evaluate("axe.run('.fl-box', {resultTypes: ['violations']})")
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []
        assert page.overflow() == []
    page.resize(DESK)


# --- everywhere ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [EXPLORER, STEPPER])
def test_works_from_a_file_in_dark_mode_without_motion(
    browser: Any,
    origins: dict[str, str],
    path: str,
) -> None:
    tab = Tab(browser, origins["file"], "dark", path)
    try:
        tab.page.emulate_media(reduced_motion="reduce", color_scheme="dark")
        tab.open()
        if path == EXPLORER:
            tab.handle("fl-burst").press("ArrowRight")
            tab.settle()
            assert tab.page.evaluate(
                "document.querySelector('.fl').getAnimations({subtree: true}).length"
            ) == 0  # fmt: skip
            agrees(tab.answer())
        else:
            tab.page.get_by_role("button", name="Step forward").click()
        ground = tab.page.locator(".fl-box").first.evaluate(
            "e => getComputedStyle(e).backgroundColor"
        )
        assert ground in ("rgba(0, 0, 0, 0)", "transparent")
        area = tab.page.locator(".widget-subarea").first
        assert area.evaluate("e => getComputedStyle(e).padding") == "0px"  # as in light mode
        tab.check_quiet()
    finally:
        tab.context.close()


@pytest.mark.parametrize("path", [EXPLORER, STEPPER, LANDING])
def test_static_figure_stands_in_without_scripts(
    browser: Any,
    origins: dict[str, str],
    path: str,
) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(origins["http"] + path)
        assert page.locator(".fl-fallback").first.is_visible()
        figure = page.locator(".cell_output:has(.fl-fallback) .fl-figure").first
        assert figure.is_visible()
        assert len(figure.get_attribute("aria-label")) > 100
    finally:
        context.close()


def test_static_figure_gives_way_to_the_widget(page: Tab) -> None:
    cell = page.page.locator(".cell_output:has(.fl-explorer)")
    assert not cell.locator(".fl-figure").first.is_visible()
    assert not cell.locator(".fl-fallback").is_visible()
    page.page.emulate_media(media="print")
    assert page.page.locator(".fl-chart").first.is_visible()
    assert "burst ×5, cap 200 a tenant" in page.page.locator(".fl-state").inner_text()
    assert page.page.locator(".fl-state").is_visible()
    assert not page.page.get_by_role("button", name="Reset").is_visible()
    assert not page.handle("fl-burst").is_visible()
    page.page.emulate_media(media="screen")


# --- on the landing page: one slider, and what happened in words ------------------------------


@pytest.fixture(scope="module")
def front(browser: Any, origins: dict[str, str]) -> Iterator[Tab]:
    tab = Tab(browser, origins["http"], path=LANDING)
    yield tab.open()
    tab.check_quiet()
    tab.context.close()


def sentences(tab: Tab) -> list[list[str]]:
    """Return what the page says of each group, a list for each policy."""
    sections = tab.page.locator(".fl-words section").all()
    return [section.locator("li").all_inner_texts() for section in sections]


@pytest.mark.parametrize("burst", [1, 1.7, 5, 10])
def test_words_say_what_the_library_says_and_nothing_is_amiss_in_calm(
    front: Tab, burst: float
) -> None:
    if front.answer()["setting"]["burst"] != burst:
        front.move(f"burst={burst}")
    reports = explore(burst=burst, policies=["fifo", "drr"]).reports()
    agrees(front.answer())
    wanted = [
        [f"{who} {what}" for who, what in in_words(report).items()] for report in reports.values()
    ]
    assert sentences(front) == wanted
    amiss = front.page.locator(".fl-words .fl-unmet").all_inner_texts()
    assert bool(amiss) == (burst > 1.5)
    assert [text for text in amiss if text not in wanted[0]] == []
    asked = 400 * burst
    said = front.page.locator(".fl-asked").inner_text()
    assert said == (
        f"heavy sends {asked:,.0f} tasks per second. All together: {asked + 340:,.0f}. "
        "8 workers can do about 800."
    )


def test_one_slider_and_nothing_of_the_full_explorer(front: Tab) -> None:
    assert front.page.locator(".fl-slider :is([role=slider], input[type=range])").count() == 1
    handle = front.handle("fl-burst")
    assert handle.get_attribute("aria-label") == "Burst factor"
    assert (
        front.page.locator(
            ".fl-explorer :is(.fl-summary, .fl-details, .fl-button, .fl-limit)"
        ).count()
        == 0
    )
    before, drawn = sentences(front), front.page.evaluate("window.drawn")
    handle.press("PageDown")
    front.page.wait_for_function("n => window.drawn > n", arg=drawn)
    front.settle()
    assert sentences(front) != before
    heard = front.page.locator(".fl-heard")
    heard.filter(has_text=sentences(front)[1][2]).wait_for(state="attached")


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_slider_and_words_are_in_the_first_screen(front: Tab, size: dict[str, int]) -> None:
    front.resize(size)
    front.page.evaluate("scrollTo(0, 0)")
    for part in (".fl-burst", ".fl-words section >> nth=-1"):
        box = front.page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= size["height"], part
    front.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = front.page.evaluate("axe.run('.fl-box', {resultTypes: ['violations']})")
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []
    assert front.overflow() == []


# --- the stepper -----------------------------------------------------------------------------


@pytest.fixture
def steps(browser: Any, origins: dict[str, str]) -> Iterator[Tab]:
    tab = Tab(browser, origins["http"], path=STEPPER)
    yield tab.open()
    tab.check_quiet()
    tab.context.close()


def served_by(steps: Tab) -> list[list[str]]:
    """Return how many tasks of each tenant each policy has served, as its table says."""
    column = "tbody td:nth-of-type(1)"
    tables = steps.page.locator(".fl-stepper .fl-numbers").all()
    return [table.locator(column).all_inner_texts() for table in tables]


def test_stepper_goes_through_the_recorded_log(steps: Tab) -> None:
    log = stepper().steps["drr"]
    said = steps.page.locator(".fl-why")
    forward = steps.page.get_by_role("button", name="Step forward")
    for place, step in enumerate(log):
        assert f"{place + 1} of {len(log)}" in said.inner_text()
        assert said.inner_text().endswith(step.why)
        served = Counter(s.tenant for s in log[: place + 1] if s.kind == "served")
        assert served_by(steps)[1] == [str(served[tenant]) for tenant in range(3)]
        forward.click()
    assert said.inner_text().endswith(log[-1].why)


def test_stepper_goes_to_a_time_and_shows_both_policies_at_the_same_moment(steps: Tab) -> None:
    assert served_by(steps) == [["0"] * 3] * 2  # the first task has come, and not started
    box, log = steps.page.get_by_label("go to"), stepper().steps["drr"]
    for ms in (60, 0, 1000, 72.5):
        box.fill(str(ms))
        box.press("Enter")
        by_then = sum(1e3 * step.now_s <= ms + 1e-6 for step in log)
        assert f"DRR, {by_then} of {len(log)}" in steps.page.locator(".fl-why").inner_text()
    box.press("ArrowLeft")  # moves in the number, and not the stepper
    assert f"DRR, {by_then} of" in steps.page.locator(".fl-why").inner_text()


def test_stepper_takes_keys_plays_and_changes_policy_at_the_same_moment(steps: Tab) -> None:
    said, button = steps.page.locator(".fl-why"), steps.page.get_by_role
    button("button", name="Step back").focus()
    for key, place in (("ArrowRight", 2), ("End", 73), ("ArrowLeft", 72), ("Home", 1)):
        steps.page.keyboard.press(key)
        assert f"DRR, {place} of 73" in said.inner_text()
    slider = button("slider", name="Decision")
    slider.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2 of 73"
    steps.page.locator(".fl-stepper").get_by_label("Speed").select_option("speed 4")
    button("button", name="Play", exact=True).click()
    steps.page.wait_for_function("document.querySelector('.fl-why').innerText.includes('5 of 73')")
    assert said.get_attribute("aria-live") == "off"
    button("button", name="Pause", exact=True).click()
    assert said.get_attribute("aria-live") == "polite"
    moment = re.search(r"[\d.]+ ms", said.inner_text())[0]
    fifo, drr = (button("button", name=name, exact=True) for name in ("FIFO", "DRR"))
    assert [one.get_attribute("aria-pressed") for one in (fifo, drr)] == ["false", "true"]
    fifo.click()
    assert [one.get_attribute("aria-pressed") for one in (fifo, drr)] == ["true", "false"]
    assert said.inner_text().startswith("FIFO, ")
    assert moment in said.inner_text()
    slider.press("End")
    assert "FIFO, 56 of 56" in said.inner_text()
    steps.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = steps.page.evaluate("axe.run('.fl-box', {resultTypes: ['violations']})")
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []


def test_stepper_on_a_phone_shows_both_tables_whole(steps: Tab) -> None:
    steps.resize(PHONE)
    for table in steps.page.locator(".fl-stepper .fl-numbers").all():
        box = table.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    assert steps.overflow() == []
