"""A tab with an explorer in it, and what it must agree with: the library, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from browsing import DESK, Look
from cases import scalars_of

from fairness_lib import timeline
from fairness_lib.engine import kernel
from fairness_lib.explorer import explore
from fairness_lib.policies.tasks import Outcome

EXPLORER, STEPPER, LANDING = "book/explorer.html", "book/03_policies.html", "book/intro.html"
POLICIES = ["fifo", "quota", "drr", "drr_quota"]
SLIDERS = {
    "fl-burst": ("Burst factor", r"^[\d.]+ times the usual rate$"),
    "fl-cap": ("Queue cap", r"^\d+ tasks per tenant$"),
    "fl-quantum": ("Quantum", r"^[\d.]+ milliseconds$"),
    "fl-workers": ("Workers", r"^\d+ workers$"),
    "fl-shared-cap": ("Shared queue cap", r"^\d+ tasks$"),
    "fl-seed": ("Seed", r"^seed \d+$"),
}
PRIMARY = tuple(SLIDERS)[:3]

LISTEN = """
  window.drawn = 0;
  window.answer = null;
  addEventListener("fl-drawn", (event) => { window.drawn += 1; window.answer = event.detail; });
"""
# What was drawn, with typed arrays as lists; null and not NaN passes through JSON.
ANSWER = """() => {
  const { setting, results, tasks } = window.answer;
  const list = (value) => Array.from(value, (v) => (Number.isFinite(v) ? v : null));
  return { setting, tasks, results: Object.fromEntries(Object.entries(results).map(([name, r]) =>
    [name, Object.fromEntries(Object.entries(r).filter(([key]) => key !== "key").map(([key, v]) => [key, list(v)]))])) };
}"""  # noqa: E501


class Tab(Look):
    """A tab with one widget in it."""

    def __init__(self, browser: Any, origin: str, theme: str = "light", path: str = EXPLORER):
        super().__init__(browser, origin, theme)
        self.page.add_init_script(LISTEN)
        self.resize(DESK)
        self.path, self.opened = path, 0

    def open(self, link: str = "") -> Tab:
        """Open the page, with a link's setting, and wait for the first drawing."""
        self.opened += 1  # another address, so that the page is loaded again
        self.page.goto(f"{self.origin}{self.path}?{self.opened}{link}")
        what = ".fl-stepper svg" if self.path == STEPPER else ".fl-lanes"
        self.page.wait_for_selector(what, state="attached")
        self.settle()
        return self

    def settle(self) -> None:
        """Wait until nothing is asked for any more."""
        self.page.wait_for_function(
            """() => new Promise((done) => {
              let seen = window.drawn;
              const look = () => { if (seen === window.drawn) done(true); else { seen = window.drawn; setTimeout(look, 250); } };
              setTimeout(look, 250);
            })"""  # noqa: E501
        )

    def move(self, link: str) -> dict[str, Any]:
        """Go to a setting by its link; return what is drawn then."""
        before = self.page.evaluate("window.drawn")
        self.page.evaluate("link => { location.hash = link; }", link)
        self.page.wait_for_function("before => window.drawn > before", arg=before)
        self.settle()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Return what was drawn last."""
        return dict(self.page.evaluate(ANSWER))

    def handle(self, slider: str) -> Any:
        """Return a slider's handle: ipywidgets' own, or the page's native one."""
        if slider in SLIDERS and slider not in PRIMARY and self.path == EXPLORER:
            self.unfold()
        return self.page.get_by_role("slider", name=SLIDERS[slider][0], exact=True)

    def unfold(self) -> None:
        """Show the sliders that are folded away."""
        seed = self.page.get_by_role("slider", name="Seed", exact=True)
        if not seed.is_visible():
            self.page.locator(".fl-more").get_by_text("More to move").click()
            seed.wait_for()

    def check_quiet(self) -> None:
        assert (self.faults, self.outside) == ([], [])


def agrees(answer: dict[str, Any], tenants: list[dict[str, Any]] | None = None) -> None:
    """Compare what a page drew with the library's run of the same setting, bit for bit."""
    setting = answer["setting"]
    shared = next((p for p in setting["policies"] if not p["by_tenant"]), None)
    held = next((p for p in setting["policies"] if p["limit"]), None)
    own = next((p for p in setting["policies"] if p["by_tenant"]), None)
    drr = next((p for p in setting["policies"] if p["loop"] == "drr"), None)
    explorer = explore(
        quantum_ms=1000 * drr["quantum_s"] if drr else 10,
        cap=own["cap"] if own else 200,
        in_flight=held["limit"] if held else 6,
        shared_cap=shared["cap"] if shared else 2000,
        burst=setting["burst"],
        seed=setting["seed"],
        workers=setting["workers"],
        policies=[p["name"] for p in setting["policies"]],
    )
    if tenants is not None:
        explorer.view.tenants = tenants
    groups: dict[str, list[str]] = {}
    for tenant in setting["tenants"]:
        groups.setdefault(f"row {tenant['row']}", []).append(tenant["name"])
    reports = explorer.reports()
    assert list(reports) == list(answer["results"])
    for name, report in reports.items():
        drawn = {key: np.array(v, dtype=float) for key, v in answer["results"][name].items()}
        table = report.tenants
        assert len(report.run.workload) == answer["tasks"]
        np.testing.assert_array_equal(drawn["arrived"], table["arrived"])
        length = report.window[1] - report.window[0]
        np.testing.assert_array_equal(drawn["completed"] / length, table["completed_per_s"])
        outcomes = drawn["outcomes"].reshape(-1, kernel.OUTCOMES)
        np.testing.assert_array_equal(outcomes[:, Outcome.QUEUE_FULL], table["rejected_queue_full"])
        np.testing.assert_array_equal(outcomes[:, Outcome.QUOTA], table["rejected_quota"])
        waits = table[["wait_p50_s", "wait_p90_s", "wait_p99_s"]]
        np.testing.assert_array_equal(drawn["wait_s"].reshape(-1, 3), waits)
        np.testing.assert_array_equal(drawn["x"], table["x"])
        np.testing.assert_array_equal(drawn["owed"], table["owed"])
        np.testing.assert_array_equal(drawn["behind_s"].reshape(-1, 2)[:, 1], table["behind_p99_s"])
        np.testing.assert_array_equal(drawn["scalars"], scalars_of(report))
        assert drawn["fruitless"] == report.run.fruitless_visits
        assert drawn["served"] == report.run.served.sum()
        over_time = timeline(report.run, groups).pivot(index="from_s", columns="group")
        for column in ("wait_s", "waiting"):
            by_step = drawn[f"step_{column}"].reshape(len(groups), -1).T
            np.testing.assert_array_equal(by_step, over_time[column][list(groups)])
