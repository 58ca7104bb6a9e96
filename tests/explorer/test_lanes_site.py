"""The explorer's lanes in the built page: drawn true, in sight, read off, told in words."""

from __future__ import annotations

import json
import re
from math import log10
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from browsing import ON_SITE, PHONE

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from explorer_tab import POLICIES, SLIDERS, Tab, agrees

from fairness_lib import check, measure, simulate
from fairness_lib.explorer import explore

pytestmark = list(ON_SITE)

SIZES = {1600: 900, 1280: 720, 1000: 800, 768: 1024, 360: 740}
TICKS = """part => [...document.querySelectorAll(`.fl-lane-head .fl-cell-${part} [data-value]`)]
  .map(t => [Number(t.dataset.value), Number(t.getAttribute("x"))])"""
# where the markers' outlines begin, from the middle: heavy, mid, small
BEGIN = (-2.6, 0.0, -2.7)


def drawn_marks(tab: Tab, part: str, policy: int) -> list[tuple[float, float]]:
    """Return where each marker and each sign for beyond the axis is, from the top."""
    found = []
    groups = tab.page.locator(f".fl-lane:not(.fl-lane-head) .fl-cell-{part} svg").nth(policy)
    for place, group in enumerate(groups.locator("g").all()):
        path = group.locator(".fl-dots").get_attribute("d") or ""
        x, y = {0: (2.6, 2.6), 1: (0, 3.4), 2: (2.7, 0)}[place]
        starts = re.findall(r"M([\d.-]+) ([\d.-]+)", path)
        found += [(float(a) + x, float(b) + y) for a, b in starts]
    return found


@pytest.mark.parametrize("link", ["burst=10", "burst=1&workers=1", "cap=1&quantum=1000&workers=2"])
def test_no_drawn_value_differs_from_its_number(page: Tab, link: str) -> None:
    results = page.move(link)["results"]
    for part in ("done", "wait"):
        (low, x_low), *_, (high, x_high) = page.page.evaluate(TICKS, part)
        end = 1e5 if part == "wait" else high  # not each decade has room for its label
        for place, policy in enumerate(POLICIES):
            result = results[policy]
            values = {
                "done": [count / 20 for count in result["completed"]],
                "wait": [None if s is None else 1000 * s for s in result["wait_s"][2::3]],
            }[part]
            marks = drawn_marks(page, part, place)
            there = [v for v in values if v is not None and (v == 0 or low <= v <= end)]
            assert len(marks) == len(there)
            for (x, _), value in zip(marks, there, strict=True):
                where = (
                    x_low + (x_high - x_low) * log10(value / low) / log10(high / low)
                    if value
                    else x_low - 9
                )
                assert x == pytest.approx(where, abs=0.15)


def test_what_is_beyond_an_axis_has_a_sign_and_nothing_a_column_of_its_own(page: Tab) -> None:
    row = explore().view.tenants[2]
    starved = {**row, "name": "starved", "count": 1, "rate_per_s": 20, "quota_per_s": 1e-6}
    rows = [*explore().view.tenants, {**starved, "quota_burst": 1}]
    results = page.move("tenants=" + quote(json.dumps(rows)))["results"]
    assert results["quota"]["completed"][-1] == 0
    head = page.page.locator(".fl-lane-head .fl-cell-done text")
    assert "0" in head.all_text_contents()
    rows[2] = {**rows[2], "rate_per_s": 500, "weight": 0.01, "count": 3}
    rows[1] = {**rows[1], "rate_per_s": 2000}
    results = page.move("workers=1&tenants=" + quote(json.dumps(rows)))["results"]
    drr = np.array(results["drr"]["completed"][5:8]) / 20
    low = page.page.evaluate(TICKS, "done")[0][0]
    edges = page.page.locator(".fl-cell-done svg >> nth=3").locator(".fl-edge")
    assert (edges.nth(2).get_attribute("d").count("M")) == ((drr > 0) & (drr < low)).sum()


# --- in sight ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", SIZES)
def test_sliders_stay_in_sight_while_the_last_lane_is_read(page: Tab, width: int) -> None:
    page.resize({"width": width, "height": SIZES[width]})
    page.page.wait_for_timeout(300)
    page.page.locator(".fl-lane").last.evaluate("e => e.scrollIntoView({block: 'end'})")
    handle = page.handle("fl-burst")
    seen = handle.evaluate(
        """handle => {
          const { left, top, width, height } = handle.getBoundingClientRect();
          const at = document.elementFromPoint(left + width / 2, top + height / 2);
          return handle === at || handle.contains(at) || at.contains(handle);
        }"""
    )
    assert seen
    assert page.overflow() == []
    sizes = page.page.locator(".fl-lanes text").evaluate_all(
        "all => all.map(text => [parseFloat(getComputedStyle(text).fontSize), text.textContent])"
    )
    assert [text for size, text in sizes if not 11 <= size <= 12] == []


def test_result_fits_one_screen_of_a_phone_and_of_a_small_desk(page: Tab) -> None:
    for width, height in ((360, 740), (1280, 720)):
        page.resize({"width": width, "height": height})
        page.page.wait_for_timeout(300)
        header = page.page.locator(".bd-header-article").bounding_box()["height"]
        bar = ".fl-bar > .fl-knobs" if width == 360 else ".fl-bar"
        sticks = page.page.locator(bar).first.bounding_box()["height"]
        result = page.page.evaluate(
            """() => document.querySelector('.fl-lanes').getBoundingClientRect().bottom
              - document.querySelector('.fl-said-all').getBoundingClientRect().top"""
        )
        assert header + sticks + result <= height, (width, header, sticks, result)


def test_lanes_do_not_jump_while_a_slider_moves(page: Tab) -> None:
    tops = set()
    for link in ("burst=1", "burst=10", "quantum=0.1", "cap=1", "workers=4"):
        page.move(link)
        tops.add(round(page.page.evaluate("document.querySelector('.fl-lanes').offsetTop")))
    assert len(tops) == 1


def test_one_slider_at_a_time_on_a_phone(page: Tab) -> None:
    page.resize(PHONE)
    for tab, slider in (("Cap", "fl-cap"), ("Quantum", "fl-quantum"), ("Burst", "fl-burst")):
        page.page.get_by_role("button", name=tab, exact=True).click()
        there = [s for s in list(SLIDERS)[:3] if page.page.locator(f".{s}").first.is_visible()]
        assert there == [slider]


# --- the minute, second by second ----------------------------------------------------------------


def read_off(tab: Tab) -> list[str]:
    return tab.page.locator(".fl-reading").all_text_contents()


def test_a_second_is_read_off_in_all_lanes_by_key_pointer_and_finger(page: Tab) -> None:
    results = page.answer()["results"]
    times = page.page.get_by_role("slider", name="Second to read off")
    resting = read_off(page)
    assert resting[0] == "up to 2,000 queued"

    def expect(second: int) -> None:
        for text, policy in zip(read_off(page), POLICIES, strict=True):
            waiting = np.array(results[policy]["step_waiting"]).reshape(3, 60)[:, second].sum()
            assert text.replace("\u2009", " ").endswith(f"▆ {waiting:,.0f}")
            waits = np.array(results[policy]["step_wait_s"]).reshape(3, 60)[:, second]
            for sign, wait_s in zip("■▲●", waits, strict=True):
                ms = 1000 * wait_s
                digits = (
                    f"{float(f'{ms / 1e3:.2g}'):g} s"
                    if ms >= 1000
                    else f"{float(f'{ms:.2g}'):g} ms"
                )
                assert f"{sign}\u2009{digits}" in text
        assert f"second {second}" in page.page.locator(".fl-chosen").text_content()

    times.focus()
    page.page.keyboard.press("Home")
    for _ in range(3):
        page.page.keyboard.press("PageUp")
    page.page.keyboard.press("ArrowLeft")
    expect(29)
    assert "second 29: FIFO: heavy" in times.get_attribute("aria-valuetext")
    page.page.keyboard.press("Escape")
    assert read_off(page) == resting

    strip = page.page.locator(".fl-strip").nth(2)
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()

    def x(second: int) -> float:
        return box["x"] + 44 + (box["width"] - 52) * (second + 0.5) / 60

    page.page.mouse.move(x(21), box["y"] + 40)
    expect(21)
    page.page.mouse.move(5, 5)
    assert read_off(page) == resting
    session = page.context.new_cdp_session(page.page)
    for kind, second in (("touchStart", 5), ("touchMove", 33), ("touchMove", 41)):
        point = {"x": x(second), "y": box["y"] + 40}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()
    expect(41)


# --- in words ------------------------------------------------------------------------------------


def test_stories_are_told_and_simulated(page: Tab) -> None:
    wanted = {
        "Calm": "heavy, 4 mid and 20 small get their share",
        "Quota as good as DRR?": "Under quota, DRR and DRR + quota, nobody within a fair share",
        "Quantum too large": "DRR and DRR + quota, they get their share but wait up to",
        "One tenant lies": "Under DRR, 4 mid get as little as 45 % of their fair share",
        "Tasks or work?": "Under DRR and SFQ, nobody within a fair share waits longer than 52 ms.",
        "The burst": "Under FIFO, 4 mid and 20 small get as little as 26 % of their fair share",
    }
    for label, said in wanted.items():
        count = page.page.evaluate("window.drawn")
        button = page.page.get_by_role("button", name=label, exact=True)
        button.click()
        page.page.wait_for_function("n => window.drawn > n", arg=count)
        page.settle()
        assert button.get_attribute("aria-pressed") == "true"
        assert page.page.locator(".fl-stories [aria-pressed=true]").count() == 1
        sentence = page.page.locator(".fl-said-all").inner_text()
        assert said in sentence
        heard = page.page.locator(".fl-heard")
        heard.filter(has_text=re.sub(r"\s+", " ", said)).wait_for(state="attached")
        rows = page.answer()["setting"]["tenants"]
        agrees(page.answer(), [{**row, "count": 1} for row in rows])
    assert page.answer()["setting"]["burst"] == 5


def test_a_knob_of_one_policy_comes_with_it(page: Tab) -> None:
    page.unfold()
    limit = page.page.get_by_role("slider", name="In-flight limit", exact=True)
    assert limit.count() == 0
    page.page.locator(".fl-policies label", has_text="in-flight limit").click()
    limit.wait_for()
    page.settle()
    before = page.answer()
    assert before["setting"]["policies"][-1]["limit"] == 6
    limit.press("ArrowLeft")
    page.settle()
    assert limit.get_attribute("aria-valuetext") == "5 tasks at once for each tenant"
    answer = page.answer()
    assert answer["results"]["in_flight"] != before["results"]["in_flight"]
    assert answer["results"]["fifo"] == before["results"]["fifo"]
    agrees(answer)
    agrees(page.move("policies=round_robin,sfq,in_flight&inflight=1&cap=7&burst=10"))
    ends = page.page.locator(".fl-order").evaluate_all(
        """all => all.map((p) => [p.lastChild.getBoundingClientRect().right,
          p.closest(".fl-lane").querySelector(".fl-cell-groups").getBoundingClientRect().left])"""
    )
    assert all(words < groups for words, groups in ends), ends
    assert "at most 1 of a tenant in flight" in page.page.locator(".fl-explorer").inner_text()
    page.resize(PHONE)
    page.page.wait_for_timeout(300)
    assert page.overflow() == []


# --- the six experiments -------------------------------------------------------------------------


def type_in(page: Tab, slider: str, value: float) -> None:
    """Type a value beside a slider."""
    page.handle(slider)  # unfolds it
    field = page.page.locator(f".{slider} input.widget-readout")
    field.fill(str(value))
    field.press("Enter")


def set_quota(page: Tab, rate_per_s: float) -> None:
    field = page.page.get_by_label("quota, tasks/s, row 1", exact=True)
    if not field.is_visible():
        page.page.locator(".fl-details summary", has_text="Tenants").click()
    field.fill(str(rate_per_s))
    field.press("Enter")


EXPERIMENTS = {
    "Quota as good as DRR": [(set_quota, rate) for rate in (410, 400, 340)],
    "The largest quantum": [("fl-quantum", ms) for ms in (150, 200)],
    "The smallest queue cap": [("fl-cap", cap) for cap in (4, 5)],
    "Twice the burst": [("fl-burst", 10)],
    "Two workers fail, and a third": [("fl-workers", 6), ("fl-workers", 5)],
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_each_experiment_shows_the_verdicts_that_the_library_computes(page: Tab, name: str) -> None:
    assert page.page.get_by_role("heading", name=name).count() == 1
    sentences, signs = [page.page.locator(".fl-said-all").inner_text()], []
    for where, value in EXPERIMENTS[name]:
        count = page.page.evaluate("window.drawn")
        if callable(where):
            where(page, value)
        else:
            type_in(page, where, value)
        page.page.wait_for_function("n => window.drawn > n", arg=count)
        page.settle()
        setting = page.answer()["setting"]
        rows = [{**row, "count": 1} for row in setting["tenants"]]
        agrees(page.answer(), rows)
        own = explore(
            quantum_ms=1000 * setting["policies"][2]["quantum_s"],
            cap=setting["policies"][2]["cap"],
            burst=setting["burst"],
            workers=setting["workers"],
        )
        own.view.tenants = rows
        checked = [check(report) for report in own.reports().values()]
        for key, place in (("F1", 0), ("F2", 1), ("F3", 2), ("kept", 3)):
            shown = page.page.locator(f".fl-is-{key} .fl-held").all_inner_texts()
            wanted = [
                {True: "✓", False: "✗", None: "–"}[verdicts[place].held] for verdicts in checked
            ]
            assert shown == wanted, key
        signs.append(page.page.locator(".fl-held").all_inner_texts())
        sentences.append(page.page.locator(".fl-said-all").inner_text())
    assert len(set(sentences)) == len(sentences)
    if len(EXPERIMENTS[name]) > 1:  # what the answer says makes the difference
        assert signs[0] != signs[-1]


def test_a_lie_is_worse_under_drr_than_one_queue_for_all(page: Tab) -> None:
    page.page.get_by_role("button", name="One tenant lies").click()
    page.settle()
    results = page.answer()["results"]
    waits = {policy: max(results[policy]["wait_s"][5::3]) for policy in POLICIES}
    assert waits["drr"] > 2 * waits["fifo"]


def test_what_a_quantum_costs_is_shown(page: Tab) -> None:
    page.move("quantum=1")
    report = explore(quantum_ms=1).report("drr")
    vain = report.run.fruitless_visits / report.run.served.sum()
    costs = page.page.locator(".fl-is-cost .fl-value").all_inner_texts()
    assert costs[2] == f"{vain:.2g}"
    assert "queues in vain for each task" in page.page.locator(".fl-said-all").inner_text()


def test_rejections_are_told_apart_by_whose_they_are(page: Tab) -> None:
    page.move("cap=1")
    for place, report in enumerate(explore(cap=1).reports().values()):
        table = report.tenants
        rejected = table["arrived"] - table["admitted"]
        within = table["under_share"] & (table["arrived"] > 0)
        said = page.page.locator(".fl-is-F3 .fl-value").nth(place).inner_text()
        assert said == f"{rejected[within].sum():,} · {rejected[~within].sum():,}"
    assert "full queue" in page.page.locator(".fl-is-F2 .fl-value").nth(2).inner_text()


def test_terms_are_explained_by_key_and_touch(page: Tab) -> None:
    button = page.page.get_by_role("button", name="owed start", exact=True)
    meaning = page.page.locator(".fl-meaning")
    assert not meaning.is_visible()
    button.focus()
    page.page.keyboard.press("Enter")
    assert "within 50 ms of its arrival" in meaning.inner_text()
    assert button.get_attribute("aria-expanded") == "true"
    page.page.keyboard.press("Escape")
    assert not meaning.is_visible()


def test_over_twenty_seeds_at_rest_and_not_while_moving(page: Tab) -> None:
    page.page.evaluate(
        "() => { window.ranges = null;"
        " addEventListener('fl-ranged', ({ detail }) => { window.ranges = detail; }); }"
    )
    page.handle("fl-burst").press("ArrowRight")
    page.page.wait_for_function("window.ranges", timeout=30_000)
    ranges = page.page.evaluate("window.ranges.drr")
    assert ranges["seeds"] == 20
    explorer = explore(burst=page.answer()["setting"]["burst"])
    (policy,) = [p for p in explorer.policies().values() if p.name == "drr"]
    reports = [
        measure(simulate(explorer.scenario().workload(seed), policy)).tenants
        for seed in range(1, 21)
    ]
    done = np.array([20 * r["completed_per_s"] for r in reports])
    waits = np.array([r["wait_p99_s"] for r in reports])
    assert ranges["completed"] == np.rint([done.min(0), done.max(0)]).T.tolist()
    assert ranges["wait_s"] == np.array([waits.min(0), waits.max(0)]).T.tolist()
    drawn = page.page.locator(".fl-range").evaluate_all("all => all.map(e => e.getAttribute('d'))")
    assert all(drawn)
    page.page.evaluate("window.ranges = null")
    for _ in range(8):
        page.handle("fl-burst").press("ArrowLeft")
        page.page.wait_for_timeout(150)
        assert page.page.evaluate("window.ranges") is None


# --- links ---------------------------------------------------------------------------------------


def test_link_opens_at_the_explorer_says_so_and_keeps_nothing_else(page: Tab) -> None:
    page.move("cap=123&burst=8")
    answer = page.move("quantum=2")
    assert [answer["setting"]["burst"], answer["setting"]["policies"][2]["cap"]] == [5, 200]
    page.open("#quantum=16&cap=123")
    told = page.page.locator(".fl-told")
    assert told.inner_text() == "Setting from the link."
    top = page.page.locator(".fl-box").evaluate("e => e.getBoundingClientRect().top")
    assert 0 <= top < 200
    typed = page.page.get_by_role("textbox", name=re.compile("Quantum.*typed"))
    if typed.evaluate("e => e.tagName") == "INPUT":  # ipywidgets' own would go to its steps
        assert typed.input_value() == "16"
    drr = page.answer()["setting"]["policies"][2]
    assert (drr["quantum_s"], drr["cap"]) == (0.016, 123)
    page.handle("fl-burst").press("ArrowRight")
    page.settle()
    assert told.inner_text() == ""
    page.page.wait_for_function("location.hash.includes('burst=5.1')")
    page.page.get_by_role("button", name="Reset").click()
    page.settle()
    assert page.page.evaluate("location.hash") == ""


def test_link_carries_the_setting_to_another_reader(page: Tab) -> None:
    page.move("burst=7.5&seed=4")
    page.unfold()
    page.page.locator(".fl-policies label", has_text="FIFO").first.click()
    page.settle()
    page.page.get_by_role("button", name="Copy a link").click()
    link = page.page.evaluate("location.hash")
    assert link == "#burst=7.5&seed=4&policies=quota+drr+drr_quota"
    mine = page.answer()
    page.open(link)
    assert page.answer() == mine


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("quantum=-3", "quantum must be from 0.1 to 1000"),
        ("burst=0x10", "burst must be from 1 to 10"),
        ("seed=1.5", "seed must be a whole number from 0 to 200"),
        ("policies=lifo", "policies must be some of fifo, quota, drr, drr_quota"),
        ("tenants=[{}]", "tenants must be rows"),
        ("cap=200&what=ever", "what is not something to set"),
    ],
)
def test_what_a_link_cannot_mean_is_left_aside_and_named(page: Tab, link: str, said: str) -> None:
    start = page.answer()
    page.open("#" + link)
    assert page.answer() == start
    assert said in page.page.locator(".fl-told").inner_text()


def test_tenants_of_a_hostile_link_are_left_aside(page: Tab) -> None:
    start, row = page.answer(), explore().view.tenants[0]
    changes: list[dict[str, Any]] = [
        {"name": ["a"]},
        {"name": "<img src=x onerror=alert(1)>", "weight": "4"},
        {"bursts": [["x", 2]]},
        {"bursts": [3]},
        {"stated": 0},
        {"cost": {**row["cost"], "mean_s": None}},
        {"cost": {**row["cost"], "kind": 7}},
        {"cost": {**row["cost"], "long_share": 2}},
    ]
    for change in changes:
        page.open("#tenants=" + quote(json.dumps([{**row, **change}])))
        assert page.answer() == start, change
    old = {key: value for key, value in row.items() if key != "stated"}
    page.open("#tenants=" + quote(json.dumps([{**old, "name": "<b>"}])))
    assert [t["name"] for t in page.answer()["setting"]["tenants"]] == ["<b>"]
    assert page.page.locator(".fl-explorer b").count() == 0


def test_an_anchor_of_the_page_is_no_setting(page: Tab) -> None:
    page.open("#explorer-experiments")
    assert page.page.locator(".fl-told").inner_text() == ""


# --- own tenants, and faults ---------------------------------------------------------------------


def test_wrong_input_is_told_beside_it_and_focus_stays_in_the_table(page: Tab) -> None:
    page.page.locator(".fl-details summary", has_text="Tenants").click()
    field = page.page.get_by_label("tasks/s each, row 2")
    field.fill("-5")
    field.press("Enter")
    assert field.get_attribute("aria-invalid") == "true"
    told = page.page.locator("td:has([aria-invalid]) [role=alert]")
    assert "mid: tasks/s must be from 0" in told.inner_text()
    field.fill("60")
    field.press("Enter")
    assert page.page.locator(".fl-tenants [role=alert]").count() == 0
    for left in (2, 1):
        page.page.get_by_role("button", name="Remove", exact=False).first.click()
        assert page.page.locator(".fl-tenants tbody tr").count() == left
        assert page.page.evaluate("document.activeElement.ariaLabel").startswith("Remove ")
    page.page.get_by_role("button", name="Remove", exact=False).first.click()
    assert "There must be 1 to" in page.page.locator(".fl-tenants [role=alert]").inner_text()
    page.resize(PHONE)
    page.page.wait_for_timeout(300)
    assert page.page.locator(".fl-own").evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert page.overflow() == []


def test_a_fault_dims_what_was_drawn_before(page: Tab) -> None:
    page.unfold()
    for label in ("FIFO", "quota", "DRR", "DRR + quota"):
        page.page.locator(
            ".fl-policies label", has_text=re.compile(f"^\\s*{re.escape(label)}\\s*$")
        ).click()
    page.page.get_by_text("Choose at least one policy.").wait_for()
    shown = "e => getComputedStyle(e).opacity"
    assert float(page.page.locator(".fl-lanes").evaluate(shown)) < 0.5
    page.page.get_by_role("button", name="Reset").click()
    page.settle()
    assert float(page.page.locator(".fl-lanes").evaluate(shown)) == 1
