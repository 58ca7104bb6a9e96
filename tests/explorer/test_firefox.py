"""The explorer and the other widgets in Firefox: they draw, move, and give the library's bits.

Debian's Firefox is driven by ``tests/firefox.mjs``, which needs Node.js and `npm ci`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsing import CI, DESK, ROOT

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from explorer_tab import ANSWER, EXPLORER, LANDING, LISTEN, STEPPER, agrees

from fairness_lib import fifo, simulate
from fairness_lib.explorer.lessons import LESSONS

WATER = "book/02_metrics.html"
BURST = ".fl-burst [type=range]"
pytestmark = [pytest.mark.site, pytest.mark.browser]


def found(*names: str) -> str:
    """Return the first of some programs; skip the test where there is none, but not in CI."""
    path = os.pathsep.join([os.environ.get("PATH", ""), sysconfig.get_path("scripts")])
    for name in names:
        if program := shutil.which(name, path=path):
            return program
    missing(f"no {names[0]} found (looked for {', '.join(names)})")


def missing(reason: str) -> Any:
    if CI:
        pytest.fail(reason + ", and CI must have it")
    pytest.skip(reason)


def firefox(*steps: list[Any], origin: str) -> list[Any]:
    """Go through the steps in Firefox; return what they gave, if nothing else was amiss."""
    executable, node = found("firefox-esr", "firefox"), found("node")
    if not (ROOT / "node_modules" / "puppeteer-core").is_dir():
        missing("no puppeteer-core in node_modules/ (run: make assets)")
    done = subprocess.run(
        [node, str(Path(__file__).parent.parent / "firefox.mjs")],
        input=json.dumps({"executable": executable, "init": LISTEN, "size": DESK, "steps": steps}),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    outside = [address for address in told["requests"] if not address.startswith(origin)]
    assert (told["errors"], outside) == ([], [])
    return list(told["values"])


@pytest.mark.parametrize("page", [EXPLORER, LANDING])
@pytest.mark.parametrize("origin", ["http", "file"])
def test_first_drawing_and_a_move_give_the_librarys_bits(
    origins: dict[str, str], origin: str, page: str
) -> None:
    answer = f"({ANSWER})()"
    first, moved, spoken, tall = firefox(
        ["go", origins[origin] + page],
        ["wait", "window.answer"],
        ["get", answer],
        ["press", BURST, "ArrowRight"],
        ["wait", "window.answer.setting.burst > 5"],
        ["get", answer],
        ["get", f"document.querySelector('{BURST}').getAttribute('aria-valuetext')"],
        ["get", f"document.querySelector('{BURST}').getBoundingClientRect().height"],
        origin=origins[origin],
    )
    assert (first["setting"]["burst"], moved["setting"]["burst"]) == (5, 5.1)
    assert spoken == "5.1 times the usual rate"
    assert tall >= 44
    agrees(first)
    agrees(moved)


@pytest.mark.parametrize("origin", ["http", "file"])
def test_stepper_draws_and_moves(origins: dict[str, str], origin: str) -> None:
    said = "document.querySelector('.fl-why').innerText"
    before, after = firefox(
        ["go", origins[origin] + STEPPER],
        ["wait", "document.querySelector('.fl-stepper svg')"],
        ["get", said],
        ["press", ".fl-stepper [type=range]", "ArrowRight"],
        ["wait", f"{said}.includes('2 of')"],
        ["get", said],
        origin=origins[origin],
    )
    assert "DRR, 1 of" in before
    assert "DRR, 2 of" in after


@pytest.mark.parametrize("origin", ["http", "file"])
def test_vessels_draw_and_move(origins: dict[str, str], origin: str) -> None:
    (share,) = firefox(
        ["go", origins[origin] + WATER],
        ["wait", "document.querySelector('.fl-water-filling svg')"],
        ["press", ".fl-water-filling [role=slider]", "Home"],
        ["wait", "window.answer?.capacity === 0"],
        ["get", "window.answer.shares"],
        origin=origins[origin],
    )
    assert share == [0, 0, 0]


def test_a_readers_class_gives_the_librarys_bits(origins: dict[str, str]) -> None:
    said = "document.querySelector('.fl-state')?.textContent"
    runs = "[...document.querySelectorAll('.fl-yours button')].find(e => e.textContent === 'Run')"
    (starts,) = firefox(
        ["go", origins["file"] + "book/your_policy.html"],
        ["wait", "document.querySelector('.fl-yours button')"],
        ["press", ".fl-yours button", "Enter"],
        ["wait", f"{said} === 'Press Run.'"],
        ["get", "addEventListener('fl-judged', ({ detail }) => { window.judged = detail; })"],
        ["get", f"{runs}.click()"],
        ["wait", "window.judged"],
        ["get", "[...judged.run.start_s]"],
        origin=origins["file"],
    )[2:]
    wanted = simulate(LESSONS["own"].scenario().workload(seed=1), fifo()).start_s
    assert np.array_equal(np.array(starts, dtype=float), wanted, equal_nan=True)


def test_negative_control_an_error_in_the_page_is_noticed(origins: dict[str, str]) -> None:
    with pytest.raises(AssertionError, match="broken on purpose"):
        firefox(
            ["go", origins["http"] + LANDING],
            ["get", "(setTimeout(() => { throw Error('broken on purpose') }), 0)"],
            ["wait", "window.answer"],
            origin=origins["http"],
        )
