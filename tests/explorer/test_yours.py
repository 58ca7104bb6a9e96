"""Your own policy: what a reader's class does in the page is what `simulate` does with it."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import AXE, DESK, HTML, PHONE, ROOT, Look, on_site

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from hypothesis import given
from hypothesis import strategies as st
from ipywidgets.embed import dependency_state, embed_data

from fairness_lib import Policy, check, drr, fifo, measure, simulate
from fairness_lib.explorer import your_policy
from fairness_lib.explorer.lessons import LESSONS, SETUP, own_policy
from fairness_lib.explorer.reader import loop
from fairness_lib.explorer.yours import IMPORTS, MEGABYTES, listing, workshop

PAGE = "book/your_policy.html"
FILES = sorted(
    {file for lesson in LESSONS.values() for file in (*lesson.starts, lesson.solution) if file}
)
STATIC = ROOT / "book" / "_static"
OF_BROWSER = (
    pytest.mark.browser,
    pytest.mark.filterwarnings("ignore:.*tests that use browser.*"),
)


def same(one: Any, other: Any) -> bool:
    starts = np.array_equal(one.start_s, other.start_s, equal_nan=True)
    return starts and np.array_equal(one.outcome, other.outcome)


# --- the classes, and the loop ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "policy", "lesson"),
    [("fifo", fifo(), "own"), ("drr", drr(), "own"), ("weights", drr(), "weights")],
)
def test_the_short_classes_are_the_librarys_disciplines(
    file: str, policy: Policy, lesson: str
) -> None:
    for seed in (1, 2):
        work = LESSONS[lesson].scenario().workload(seed)
        assert same(simulate(work, own_policy(file)), simulate(work, policy))
    assert not same(simulate(work, own_policy("drr_broken")), simulate(work, policy))


@pytest.mark.parametrize("file", FILES)
def test_the_pages_loop_is_that_of_simulate(file: str) -> None:
    lesson = next(one for one in LESSONS.values() if file in (*one.starts, one.solution))
    work = lesson.scenario().workload(3)
    tasks = loop.Tasks(
        work.tenants, work.weight.tolist(), work.tenant.tolist(), work.cost_s.tolist()
    )
    mine = vars(loop)["of_source"](
        listing(file).replace("from fairness_lib", f"from {loop.__name__}")
    )
    starts, outcome = loop.run(
        mine, tasks, work.arrival_s.tolist(), work.cost_s.tolist(), work.workers
    )
    run = simulate(work, own_policy(file))
    assert np.array_equal(starts, run.start_s, equal_nan=True)
    assert np.array_equal(np.frombuffer(outcome, "i1"), run.outcome)


@given(st.lists(st.integers(0, 9)), st.integers(-12, 12))
def test_the_pages_deque_is_a_deque(items: list[int], steps: int) -> None:
    from collections import deque

    mine, theirs = loop.Deque(items), deque(items)
    mine.rotate(steps)
    theirs.rotate(steps)
    assert list(mine) == list(theirs)
    mine.appendleft(3)
    assert (mine.popleft(), list(mine)) == (3, list(theirs))


def test_a_lessons_setup_is_its_scenario() -> None:
    for lesson in LESSONS.values():
        names: dict[str, Any] = {}
        exec(IMPORTS + SETUP.format(lesson.setup), names)
        work = lesson.scenario().workload(seed=1)
        assert np.array_equal(names["workload"].cost_s, work.cost_s)
        assert names["workload"].tenants == work.tenants


def test_an_exercise_is_not_solved_as_it_starts() -> None:
    for name in set(LESSONS) - {"own"}:
        lesson = LESSONS[name]
        assert listing(next(iter(lesson.starts))) != listing(lesson.solution)
        assert lesson.goals
        assert len(lesson.hints) >= 2


def test_the_static_page_has_the_listing_and_its_result() -> None:
    text = your_policy("drr").static()
    assert "class DeficitRoundRobin" in text
    assert "F1 failed (least 0.000" in text
    assert "F1 held" in text.split("A solution")[1]


def test_no_such_lesson_is_told() -> None:
    with pytest.raises(ValueError, match=r"lesson must be one of .*; got 'nine'"):
        your_policy("nine")


# --- in a browser -------------------------------------------------------------------------------

FRAME = """<!DOCTYPE html><html lang="en" data-theme="light"><head>
<meta charset="utf-8"><title>t</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script type="application/vnd.jupyter.widget-state+json">{state}</script>
<script defer src="controls.js"></script><script defer src="widgets.js"></script></head>
<body><main><h1>t</h1><div class="cell_output"><p class="fl-fallback">static</p>
<script type="application/vnd.jupyter.widget-view+json">{view}</script></div></main></body>
</html>"""


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a lesson's workshop, from a file."""
    folder = tmp_path_factory.mktemp("yours")
    if not (STATIC / "vendor" / "micropython.js").is_file():
        pytest.fail("no MicroPython in book/_static/vendor: run `make assets`")
    for name in ("controls.js", "widgets.js", "vendor"):
        (folder / name).symlink_to(STATIC / name)
    (folder / "workshop.js").write_text(workshop(), encoding="utf-8")
    with contextlib.ExitStack() as stack:

        def show(lesson: str = "own", without: str = "", **options: Any) -> Any:
            data = embed_data(views=[your_policy(lesson)], drop_defaults=False)
            text = FRAME.format(
                state=json.dumps(data["manager_state"]), view=json.dumps(data["view_specs"][0])
            )
            path = folder / f"{lesson}.html"
            path.write_text(text, encoding="utf-8")
            context = browser.new_context(viewport=DESK, **options)
            stack.callback(context.close)
            context.set_default_timeout(20_000)
            page = context.new_page()
            page.faults = []
            page.on("pageerror", lambda error: page.faults.append(str(error)))
            page.on("console", lambda m: m.type == "error" and page.faults.append(m.text))
            page.on(
                "request",
                lambda r: (
                    None
                    if r.url.startswith(("file:", "data:", "blob:"))
                    else page.faults.append(r.url)
                ),
            )
            if without:
                page.route(f"**/{without}", lambda route: route.abort())
            page.goto(path.as_uri())
            page.evaluate(
                "addEventListener('fl-judged', ({detail}) => { window.judged = detail; })"
            )
            page.get_by_role("button", name=f"loads {MEGABYTES} MB").click()
            page.locator("text=Press Run.").wait_for()
            return page

        yield show


def write(page: Any, source: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)


def settled(page: Any) -> None:
    """Wait until a run has ended, and was judged."""
    page.wait_for_function(
        "window.judged || !/^(Running|Press)/.test(document.querySelector('.fl-state').textContent)"
    )
    assert page.evaluate("!!window.judged"), page.locator(".fl-state").inner_text()


def run(page: Any) -> dict[str, Any]:
    """Press Run; return what was judged, with the starts."""
    page.evaluate("window.judged = null")
    page.get_by_role("button", name="Run", exact=True).click()
    return judged(page)


def judged(page: Any) -> dict[str, Any]:
    """Return what a run that has been started comes to."""
    settled(page)
    return dict(
        page.evaluate(
            "(({run, found, goals, ms, said}) => ({found, goals, ms, start_ms: said.start_ms,"
            " start_s: btoa(new Uint8Array(run.start_s.buffer).reduce((t, b) => t + String"
            ".fromCharCode(b), '')), outcome: [...run.outcome]}))(judged)"
        )
    )


def check_bits(found: dict[str, Any], lesson: str, policy: Policy) -> Any:
    wanted = simulate(LESSONS[lesson].scenario().workload(seed=1), policy)
    starts = np.frombuffer(base64.b64decode(found["start_s"]))
    assert np.array_equal(starts, wanted.start_s, equal_nan=True)
    assert found["outcome"] == wanted.outcome.tolist()
    return wanted


def fault(page: Any, source: str) -> str:
    """Run what fails; return what the page says."""
    write(page, source)
    page.get_by_role("button", name="Run", exact=True).click()
    state = page.locator(".fl-state")
    page.wait_for_function("!/^Running/.test(document.querySelector('.fl-state').textContent)")
    return str(state.inner_text())


def browses(test: Any) -> Any:
    for mark in OF_BROWSER:
        test = mark(test)
    return test


@browses
@pytest.mark.parametrize("lesson", sorted(set(LESSONS) - {"own"}))
def test_a_start_fails_its_exercise_and_the_solution_solves_it(opened: Any, lesson: str) -> None:
    page, one = opened(lesson), LESSONS[lesson]
    begun = run(page)
    check_bits(begun, lesson, own_policy(next(iter(one.starts))))
    assert False in [goal.get("held") for goal in begun["goals"]]
    assert "Not yet: " in page.locator(".fl-state").inner_text()
    for _ in one.hints:
        page.get_by_role("button", name="int", exact=False).first.click()
    page.evaluate("window.judged = null")
    page.get_by_role("button", name="Put in the solution").click()
    solved = judged(page)
    assert "Solved." in page.locator(".fl-state").inner_text()
    wanted = check_bits(solved, lesson, own_policy(one.solution))
    held = {verdict["key"]: verdict.get("held") for verdict in solved["found"]}
    for verdict, key in zip(check(measure(wanted)), ("F1", "F2", "F3", "kept"), strict=True):
        assert held[key] == verdict.held, key
    assert held["conserving"] == (measure(wanted).idle_while_queued_s == 0)
    assert page.faults == []


@browses
def test_faults_are_told_with_the_readers_line_and_a_hint(opened: Any) -> None:
    page, good = opened(), listing("round_robin")
    cases = {
        good.replace("def take(self, now):", "def take(self, now:"): (
            "Line 24: SyntaxError",
            "bracket",
        ),
        good.replace("if not self.turns:", "if not self.turn:"): (
            "Line 24: AttributeError",
            "begin()",
        ),
        "import numpy\n" + good: ("Line 1: ImportError", "MicroPython"),
        good.replace("return task", "return 0"): ("a second time", "of "),
        good.replace("return task", "return 70000"): ("which had not come yet", "At "),
        good.replace("return task", "return 'x'"): ("which is no task", "'x'"),
        good.replace("return Outcome.QUEUE_FULL", "return True"): (
            "put() gave True",
            "Outcome.QUEUE_FULL",
        ),
        good.replace(
            "        self.tenant = ",
            "        big = [0]\n        while True: big += big\n        self.tenant = ",
        ): ("MemoryError", "256 MB"),
        "x = 1\n": ("TypeError: there is no class with begin, put and take", "begin"),
        listing("empty"): ("Nothing was ever served", "take()"),
    }
    for source, words in cases.items():
        said = fault(page, source)
        for part in words:
            assert part in said, said
    assert page.locator(".fl-wrong").count() == 0
    fault(page, good.replace("if not self.turns:", "if not self.turn:"))
    assert page.locator(".fl-wrong").inner_text().strip() == "if not self.turn:"
    write(page, good)
    check_bits(run(page), "own", own_policy("round_robin"))
    assert page.faults == []


@browses
def test_an_endless_loop_ends_and_stop_ends_any_run(opened: Any) -> None:
    page, good = opened(), listing("round_robin")
    endless = good.replace(
        "if not self.turns:\n", "while not self.turns:\n            pass\n        if 0:\n"
    )
    write(page, endless)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    assert page.locator(".fl-state").inner_text() == "Stopped."
    began = time.monotonic()
    assert (
        "Ended after 10 s: no second of the traffic was over. Does the loop in line 24 end?"
        in fault(page, endless)
    )
    assert time.monotonic() - began < 20
    write(page, good)
    page.evaluate(
        "window.judged = null; window.count = 0; addEventListener('fl-judged', () => count++)"
    )
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Run", exact=True).click()  # the second run is the one
    page.wait_for_function("window.judged")
    page.wait_for_timeout(500)
    assert page.evaluate("count") == 1


@browses
def test_what_is_lost_or_idle_is_told_by_its_first_case(opened: Any) -> None:
    page = opened()
    write(
        page,
        listing("fifo").replace(
            "return self.queue.pop(0) if self.queue else None",
            "if self.queue and now > 10.5:\n            return self.queue.pop(0)",
        ),
    )
    found = {verdict["key"]: verdict for verdict in run(page)["found"]}
    assert found["conserving"]["held"] is False
    work = LESSONS["own"].scenario().workload(seed=1)
    first = work.tenants[work.tenant[0]]
    assert (
        f"at {work.arrival_s[0]:.3f} s 8 of 8 workers were idle while {first} waited"
        in found["conserving"]["words"]
    )
    write(
        page,
        listing("fifo").replace(
            "if len(self.queue) >= 2000:",
            "if task == 7:\n            return\n        if len(self.queue) >= 2000:",
        ),
    )
    found = {verdict["key"]: verdict for verdict in run(page)["found"]}
    whose, came = work.tenants[work.tenant[7]], work.arrival_s[7]
    lost = f"task 7 of {whose}, which came at {came:.3f} s, was never given"
    assert found["once"]["words"] == lost


@browses
def test_keys_alone_are_enough_and_the_notebook_has_the_same_code(
    opened: Any, tmp_path: Path
) -> None:
    page = opened("drr")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    assert page.locator(".cm-line").first.inner_text().startswith("    from")
    page.keyboard.press("Control+z")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.keyboard.press("Enter")
    page.wait_for_function("window.judged")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Open in a notebook").click()
    saved.value.save_as(tmp_path / "n.ipynb")
    cells = json.loads((tmp_path / "n.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        exec(cell["source"], names)
    work = LESSONS["drr"].scenario().workload(seed=1)
    assert same(names["run"], simulate(work, own_policy("drr_broken")))
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for size in (DESK, PHONE):
        page.set_viewport_size(size)
        page.wait_for_timeout(200)
        result = page.evaluate("axe.run('.fl-yours', {resultTypes: ['violations']})")
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in result["violations"]] == []


@browses
def test_a_plain_field_will_do_where_the_editor_is_not_there(opened: Any) -> None:
    page = opened(without="editor.js")
    field = page.get_by_role("textbox", name="Your policy, in Python")
    assert field.evaluate("e => e.localName") == "textarea"
    field.fill(listing("round_robin").replace("if not self.turns:", "if not self.turn:"))
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".fl-state", has_text="Line 24: AttributeError").wait_for()
    field.fill(listing("round_robin"))
    check_bits(run(page), "own", own_policy("round_robin"))


@browses
def test_on_a_slow_machine_it_is_only_later(opened: Any) -> None:
    page = opened("weights")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    check_bits(run(page), "weights", own_policy(next(iter(LESSONS["weights"].starts))))
    assert page.faults == []


@browses
def test_what_a_class_says_is_text_and_nothing_else(opened: Any) -> None:
    page, hostile = opened(), "<img src=x onerror=document.title='taken'>\u202e"
    source = listing("empty").replace(
        "def put(",
        f"def begin(self, *given):\n        print({hostile!r})"
        f"\n        raise ValueError({hostile!r})\n\n    def put(",
        1,
    )
    assert f"ValueError: {hostile}" in fault(page, source)
    assert page.locator(".fl-printed").inner_text().strip() == hostile
    assert page.locator(".fl-yours img").count() == 0
    assert page.title() == "t"
    assert page.faults == []


@browses
def test_leaving_in_the_middle_of_a_run_ends_it(opened: Any) -> None:
    page = opened()
    before = len(page.workers)
    write(
        page, listing("empty").replace("(self, tasks):", "(self, tasks):\n        while True: pass")
    )
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_function("document.querySelector('.fl-state').textContent.startsWith('Running')")
    assert len(page.workers) == before + 1
    page.goto("about:blank")
    assert page.workers == []
    page.go_back()  # as it was, or new: either way it can be run
    page.locator("button", has_text="Run").first.or_(
        page.get_by_role("button", name="loads")
    ).wait_for()
    assert page.faults == []


@browses
def test_many_runs_leave_no_worker_behind(opened: Any) -> None:
    page = opened("weights")
    first = run(page)
    workers = len(page.workers)
    for _ in range(4):
        assert run(page)["start_s"] == first["start_s"]
    assert len(page.workers) == workers
    assert first["start_ms"] < 3000  # 0.1 s alone on a machine


# --- in the built page --------------------------------------------------------------------------


@on_site
@pytest.mark.parametrize(("origin", "theme"), [("http", "light"), ("file", "dark")])
def test_the_page_has_it(browser: Any, origins: dict[str, str], origin: str, theme: str) -> None:
    if not (HTML / PAGE).is_file():
        pytest.fail(f"no {PAGE} in {HTML}: run `make book`")
    tab = Look(browser, origins[origin], theme)
    try:
        tab.visit(PAGE)
        page = tab.page
        assert page.locator(".fl-fallback", has_text="class Fifo").is_visible()
        assert page.evaluate("!window.flMicroPython && !window.flEditor")
        page.get_by_role("button", name="Write and run it here").first.click()
        page.locator("text=Press Run.").wait_for()
        assert not page.locator(".fl-fallback", has_text="class Fifo").is_visible()
        page.evaluate("addEventListener('fl-judged', ({detail}) => { window.judged = detail; })")
        check_bits(run(page), "own", fifo())
        assert page.locator(".fl-lane").count() == 6
        assert (tab.faults, tab.outside) == ([], [])  # axe reads style sheets anew
        page.evaluate(AXE.read_text(encoding="utf-8"))
        for size in (DESK, PHONE):
            tab.resize(size)
            assert tab.overflow() == []
            found = page.evaluate("axe.run('.fl-yours', {resultTypes: ['violations']})")
            assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found["violations"]] == []
        page.goto(tab.origin + "book/03_policies.html")  # while a workshop is open
        assert [fault for fault in tab.faults if "uncaught" in fault] == []
    finally:
        tab.context.close()


@on_site
def test_without_scripts_there_are_listings_and_results(
    browser: Any, origins: dict[str, str]
) -> None:
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        for path in (PAGE, "book/03_policies.html"):
            page.goto(origins["http"] + path)
            told = page.locator(".fl-fallback", has_text="As it stands: F1 failed").first
            assert told.is_visible()
            assert "def take(self, now):" in told.inner_text()
    finally:
        context.close()


def zipped(text: str) -> int:
    return len(gzip.compress(text.encode()))


@on_site
def test_the_button_says_what_it_loads_and_the_page_without_it_is_light() -> None:
    parts = ("vendor/editor.js", "vendor/micropython.js", "workshop.js")
    loaded = sum(zipped((HTML / "_static" / part).read_text(encoding="utf-8")) for part in parts)
    assert round(loaded / 1e6, 1) == MEGABYTES
    widget = your_policy("drr")
    data = embed_data(views=[widget], state=dependency_state([widget]))
    state = json.dumps(data["manager_state"])
    assert zipped(state) < 8_000
