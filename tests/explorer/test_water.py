"""Water to pour: what the page computes is `max_min_fair`, however the vessels are moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from browsing import AXE, DESK, HTML, PHONE, Look, on_site

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from fairness_lib import max_min_fair
from fairness_lib.explorer import front, water

PAGE = "book/02_metrics.html"
DEMANDS = {"small": 2, "mid": 4, "heavy": 10}
NAMES = [
    "Capacity",
    *(name for t in DEMANDS for name in (f"{t} asks for", f"{t}'s weight")),
]

# --- without a browser --------------------------------------------------------------------------


def test_shares_are_those_of_the_setting() -> None:
    widget = water(DEMANDS, 12, {"small": 1, "mid": 1, "heavy": 2})
    widget.view.demands = [2.0, 6.0, 10.0]  # as the page would set it
    assert widget.shares == pytest.approx({"small": 2, "mid": 10 / 3, "heavy": 20 / 3})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"demands": {"a": 1, "b": 13, "c": 2}}, r"demands\['b'\] must be .* at most 12; got 13"),
        ({"demands": {"a": 1, "b": -1, "c": 2}}, r"demands\['b'\] must be at least 0 .*got -1"),
        ({"demands": {"a": 1, "b": 2}}, "demands must be of 3 tenants; got 2"),
        ({"capacity": 25}, "capacity must be at least 0 and at most 24; got 25"),
        ({"weights": {"small": 0.5, "mid": 1, "heavy": 1}}, r"weights\['small'\] must be at least"),
        ({"weights": {"small": 1, "mid": 1}}, "'heavy' has none"),
    ],
)
def test_what_the_drawing_cannot_hold_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        water(**{"demands": DEMANDS, "capacity": 12, **change})


def test_a_static_figure_stands_in_for_the_widget() -> None:
    drawn = " ".join(text.get_text() for text in water(DEMANDS, 12).figure().axes[0].texts)
    assert "asks 10" in drawn
    assert "gets\n6" in drawn


# --- the page's own computation, in a browser ---------------------------------------------------


@pytest.mark.browser
def test_a_browser_fills_as_the_library_does(browser: Any) -> None:
    random = np.random.default_rng(1)
    cases = []
    for _ in range(2000):
        n = int(random.integers(1, 7))
        weights = random.choice([1.0, 1.5, 3.0, 1e-3, 1e3, random.random() + 0.01], n)
        demands = random.choice([0.0, 1.0, 2.0, 1e-6, 1e6, 10 * random.random()], n)
        part = random.choice([0.0, 0.5, 1.0, 1.5, random.random()])
        cases.append([demands.tolist(), weights.tolist(), float(part * demands.sum())])
    context = browser.new_context()
    try:
        page = context.new_page()
        page.add_script_tag(content=front.text("pour.js").replace("export const ", "window."))
        found = page.evaluate("cases => cases.map(c => window.pour(...c))", cases)
    finally:
        context.close()
    short = 0
    for (demands, weights, capacity), drawn in zip(cases, found, strict=True):
        expected = max_min_fair(demands, capacity, weights)
        np.testing.assert_allclose(drawn["shares"], expected, rtol=1e-9, atol=1e-9)
        thirsty = [i for i, d in enumerate(demands) if expected[i] < d * (1 - 1e-9)]
        short += bool(thirsty)
        for i in thirsty:
            assert drawn["level"] == pytest.approx(expected[i] / weights[i], rel=1e-6, abs=1e-9)
    assert 500 < short < 1900


# --- in the built page --------------------------------------------------------------------------

LISTEN = "addEventListener('fl-drawn', (event) => { window.answer = event.detail; });"


class Tab(Look):
    """A tab with the chapter that has the vessels."""

    def open(self) -> Tab:
        self.page.add_init_script(LISTEN)
        self.resize(DESK)
        self.visit(PAGE)
        self.page.wait_for_selector(".fl-water-filling svg")
        return self

    def handle(self, name: str) -> Any:
        return self.page.get_by_role("slider", name=name, exact=True)

    def agrees(self) -> dict[str, Any]:
        """Compare what was drawn last with the library; return it."""
        answer = dict(self.page.evaluate("window.answer"))
        shares = max_min_fair(answer["demands"], answer["capacity"], answer["weights"])
        np.testing.assert_allclose(answer["shares"], shares, rtol=1e-9, atol=1e-9)
        return answer


@pytest.fixture(scope="module")
def tab(browser: Any, origins: dict[str, str]) -> Iterator[Tab]:
    if not (HTML / PAGE).is_file():
        pytest.fail(f"no {PAGE} in {HTML}: run `make book`")
    opened = Tab(browser, origins["http"], "light").open()
    yield opened
    opened.context.close()


@pytest.fixture
def page(tab: Tab) -> Iterator[Tab]:
    """The vessels as they are at first."""
    tab.faults.clear()
    tab.handle("Capacity").press("ArrowUp")  # the first drawing was before anybody listened
    tab.page.get_by_role("button", name="Start again").click()
    yield tab
    assert (tab.faults, tab.outside) == ([], [])


@on_site
def test_keys_move_every_handle_and_shares_follow(page: Tab) -> None:
    assert page.agrees()["shares"] == [2, 4, 6]
    random = np.random.default_rng(2)
    keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown"] * 3
    keys += ["Home", "End"]
    seen = set()
    for move in range(120):
        name = NAMES[move % len(NAMES)]
        page.handle(name).press(keys[random.integers(len(keys))])
        answer = page.agrees()
        seen.add(str(answer["shares"]))
        now = float(page.handle(name).get_attribute("aria-valuenow"))
        least, most = (
            float(page.handle(name).get_attribute(f"aria-value{end}")) for end in ("min", "max")
        )
        assert least <= now <= most
    assert len(seen) > 25


@on_site
def test_every_handle_can_be_dragged(page: Tab) -> None:
    for name in NAMES:
        grip = page.handle(name).locator(".fl-grip")
        grip.scroll_into_view_if_needed()
        box = grip.bounding_box()
        before = page.handle(name).get_attribute("aria-valuenow")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        side = name.endswith("weight")
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        page.page.mouse.move(x + 40 * side, y + 30 * (not side), steps=5)
        page.page.mouse.up()
        assert page.handle(name).get_attribute("aria-valuenow") != before, name
        page.agrees()


@on_site
def test_handles_say_what_they_are_set_to(page: Tab) -> None:
    spoken = {name: page.handle(name).get_attribute("aria-valuetext") for name in NAMES}
    assert spoken["Capacity"] == "12 tasks/s"
    assert spoken["heavy asks for"] == "10 tasks/s, gets 6"
    assert spoken["heavy's weight"] == "weight 1, gets 6"
    status = page.page.locator(".fl-water-filling [role=status]")
    assert "heavy gets 6 of the 10 tasks/s it asks for" in status.inner_text()
    page.handle("heavy asks for").press("Home")
    assert status.inner_text() == "There is enough: everybody gets all they ask for."
    page.page.get_by_role("button", name="Start again").click()
    assert page.agrees()["shares"] == [2, 4, 6]


@on_site
def test_vessels_have_no_barriers_and_fit_a_phone(page: Tab) -> None:
    page.page.evaluate(AXE.read_text(encoding="utf-8"))
    for size in (DESK, PHONE):
        page.resize(size)
        found = page.page.evaluate("axe.run('.fl-box', {resultTypes: ['violations']})")
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []
        assert page.overflow() == []
    page.resize(DESK)


@on_site
def test_static_figure_stands_in_without_scripts(browser: Any, origins: dict[str, str]) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        opened = context.new_page()
        opened.goto(origins["http"] + PAGE)
        assert "drag the capacity" in opened.locator(".fl-fallback").inner_text()
        assert opened.locator(".fl-fallback").is_visible()
    finally:
        context.close()
