"""The explorer in JupyterLab, with a live kernel: sliders and Python move each other."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
import pytest

from fairness_lib.explorer import explore

CELLS = [
    "from fairness_lib.explorer import explore\n\nexplorer = explore()\nexplorer",
    "print('SEEN', explorer.setting(), explorer.report('drr'))",
    "explorer.move(burst=9)",
]

pytestmark = pytest.mark.browser


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """Start JupyterLab on a folder with one notebook; return its address."""
    if find_spec("jupyterlab") is None:
        pytest.skip("jupyterlab is not installed")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    notebook.metadata["kernelspec"] = {"display_name": "Python 3", "name": "python3"}
    nbformat.write(notebook, tmp_path / "live.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--port={port}", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token="]
    command += [f"--ServerApp.root_dir={tmp_path}", "--LabApp.news_url=None"]
    folders = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")}
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            command, env={**os.environ, **folders}, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            address = f"http://127.0.0.1:{port}/"
            for _ in range(300):
                try:
                    urllib.request.urlopen(address + "api", timeout=5).close()
                    break
                except (urllib.error.URLError, ConnectionError):
                    assert server.poll() is None, (tmp_path / "log").read_text()
                    time.sleep(0.1)
            yield address
        finally:
            server.terminate()
            server.wait(30)


def run_cell(page: Any, place: int) -> None:
    """Run a cell; JupyterLab forgets a key that comes while it is still busy with itself."""
    cell = page.locator(".jp-Notebook .jp-CodeCell").nth(place)
    for _ in range(20):
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(500)
        ask = page.locator(".jp-Dialog .jp-mod-accept")  # which kernel, when it was too soon
        if ask.is_visible():
            ask.click()
        if cell.locator(".jp-InputPrompt").inner_text() != "[ ]:":
            return
    pytest.fail(f"JupyterLab did not run cell {place}")


def test_sliders_and_python_move_each_other(browser: Any, lab: str) -> None:
    context = browser.new_context(viewport={"width": 1200, "height": 1400})
    context.set_default_timeout(60_000)
    try:
        page = context.new_page()
        page.goto(lab + "lab/tree/live.ipynb?reset")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell .cm-content")
        # only now: JupyterLab calls a notebook idle before it has a kernel, and asks for one then
        page.locator("#jp-main-statusbar", has_text="Python 3 (ipykernel) | Idle").wait_for()
        run_cell(page, 0)
        page.wait_for_selector(".fl-chart")
        pictures = page.locator(".jp-RenderedSVG, .jp-RenderedImage")
        pictures.first.wait_for(state="hidden")  # the static figure has done its duty

        # the bar of sliders stays in sight while the last lane is read
        page.set_viewport_size({"width": 1200, "height": 700})
        page.locator(".fl-lane").last.evaluate("e => e.scrollIntoView({block: 'end'})")
        page.wait_for_function(
            """() => {
              const [bar, panel] = [".fl-bar", ".jp-WindowedPanel-outer"]
                .map((part) => document.querySelector(part).getBoundingClientRect().top);
              return bar === panel && document.querySelector(".fl-stories").getBoundingClientRect().top < panel;
            }"""  # noqa: E501
        )
        page.set_viewport_size({"width": 1200, "height": 1400})

        # the keys reach the slider and nothing else: no cell is chosen, none is deleted
        handle = page.locator(".fl-quantum [role=slider]")
        assert handle.get_attribute("aria-label") == "Quantum"
        handle.focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowRight"):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"
        assert page.locator(".jp-Notebook .jp-CodeCell").count() == len(CELLS)
        page.locator(".fl-state", has_text="quantum 14.1254 ms").wait_for()

        # Python sees the move, and runs what the page has run
        run_cell(page, 1)
        seen = page.locator(".jp-OutputArea-output pre", has_text="SEEN")
        seen.wait_for()
        quantum_ms = 10 * 10**0.15
        explorer = explore(quantum_ms=quantum_ms)
        report = explorer.report("drr")
        assert " ".join(repr(report).split()) in " ".join(seen.inner_text().split())
        wait_ms = f"{1000 * report.under_share_p99_wait_s:.1f} ms"
        page.get_by_text("All measures, policy by policy").click()
        row = page.locator(".fl-summary tr", has_text="p99 wait within share")
        assert row.locator("td").all_inner_texts()[2] == wait_ms

        # and Python moves the page's slider
        run_cell(page, 2)
        page.locator(".fl-state", has_text="burst ×9").wait_for()
        burst = page.locator(".fl-burst [role=slider]")
        assert burst.get_attribute("aria-valuetext") == "9 times the usual rate"
        assert json.loads(burst.get_attribute("aria-valuenow")) == 9
    finally:
        context.close()
