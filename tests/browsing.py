"""A browser, a server of the built site, and a tab that collects what goes wrong in it.

`conftest` makes the fixtures known: one browser for each process, whichever tests ask for it.
"""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
HTML = Path(os.environ.get("BOOK_HTML") or ROOT / "_build" / "html").resolve()
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

PHONE = {"width": 360, "height": 740}
TABLET = {"width": 1100, "height": 800}
DESK = {"width": 1280, "height": 900}
ON_SITE = (
    pytest.mark.site,
    pytest.mark.browser,
    pytest.mark.filterwarnings("ignore:.*tests that use browser.*"),
)
"""The marks of a test that looks at the built book."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


def find_browser() -> str | None:
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    executable = find_browser()
    if executable is None:
        reason = f"no browser found (looked for {', '.join(BROWSERS)})"
        if CI:
            pytest.fail(reason + ", and CI must have one")
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield opened
        opened.close()


def on_site(test: Any) -> Any:
    """Mark one test of a module as one that looks at the built book."""
    for mark in ON_SITE:
        test = mark(test)
    return test


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="session")
def origins() -> Iterator[dict[str, str]]:
    """Serve the site; return the two addresses under which it must work."""
    handler = functools.partial(QuietHandler, directory=str(HTML))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield {
            "http": f"http://127.0.0.1:{server.server_address[1]}/",
            "file": HTML.as_uri() + "/",
        }
        server.shutdown()
        thread.join()


class Look:
    """One tab on the site; collects what goes wrong in it."""

    def __init__(self, browser: Any, origin: str, theme: str) -> None:
        self.origin = origin
        self.context = browser.new_context(color_scheme=theme, viewport=PHONE)
        self.context.set_default_timeout(30_000)
        self.context.add_init_script(
            f"localStorage.setItem('mode', '{theme}'); localStorage.setItem('theme', '{theme}')"
        )
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.outside: list[str] = []
        self.page.on("console", self.on_console)
        self.page.on("pageerror", lambda error: self.faults.append(f"uncaught: {error}"))
        self.page.on("request", self.on_request)
        self.page.on("requestfailed", self.on_failure)
        self.page.on("response", self.on_response)

    def on_console(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(f"console: {message.text}")

    def on_request(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.outside.append(request.url)
        if "/fontawesome/" in request.url:
            self.faults.append(f"an icon that tools/assets.py leaves out: {request.url}")

    def on_failure(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # which is a page left before its icon came
            self.faults.append(f"failed: {request.url}: {request.failure}")

    def on_response(self, response: Any) -> None:
        if response.status >= 400:
            self.faults.append(f"{response.status}: {response.url}")

    def visit(self, path: str) -> None:
        """Open a page and wait until its mathematics and its widgets are there."""
        self.page.goto(self.origin + path)
        views = "script[type='application/vnd.jupyter.widget-view+json']"
        if self.page.locator(views).count():
            self.page.wait_for_function(
                "views => { const areas = [...document.querySelectorAll('.widget-subarea')];"
                "  return areas.length >= document.querySelectorAll(views).length"
                "    && areas.every(area => area.childElementCount) }",
                arg=views,
            )
            self.page.wait_for_timeout(500)
        self.page.wait_for_function(  # math.js loads MathJax after the widgets' first drawing
            "!document.querySelector('script[src*=\"math.js\"]')"
            " || window.MathJax.startup?.promise.then(() => true)"
        )
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def resize(self, size: dict[str, int]) -> None:
        """Change the size, and wait until the theme's sidebar has slid to its place."""
        self.page.set_viewport_size(size)
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        self.page.wait_for_function(
            "document.getAnimations().every(({playState}) => playState !== 'running')"
        )

    def overflow(self) -> list[str]:
        """Return the elements that make the page scroll sideways, none if it does not."""
        return list(
            self.page.evaluate(
                """() => {
                  const width = document.documentElement.clientWidth;
                  if (document.documentElement.scrollWidth <= width) return [];
                  const held = e => e !== document.body && (
                    getComputedStyle(e).overflowX !== "visible" || held(e.parentElement));
                  const wide = [...document.querySelectorAll(".bd-main *")]
                    .filter(e => e.getBoundingClientRect().right > width + 1)
                    .filter(e => !held(e.parentElement));
                  return ["page is " + document.documentElement.scrollWidth + " px wide",
                          ...wide.slice(0, 5).map(e => e.outerHTML.slice(0, 120))];
                }"""
            )
        )

    def violations(self) -> list[str]:
        """Return what axe-core calls serious or critical."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        result = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{found['id']} ({found['impact']}): {node['html'][:160]}"
            for found in result["violations"]
            if found["impact"] in {"serious", "critical"}
            for node in found["nodes"]
        ]
