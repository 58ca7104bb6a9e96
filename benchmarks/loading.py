"""Measure how pages load: ``python -m benchmarks.loading [HTML ...]``.

Serves each built site gzipped, as a host does, to Chromium at the speed of DevTools' Fast 3G, and
unthrottled. Several sites are visited by turns, so that what else runs on the machine hits all of
them. Needs Chromium and built sites (`make book`).
"""

from __future__ import annotations

import functools
import gzip
import http.server
import shutil
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGES = ("book/intro.html", "book/explorer.html", "book/03_policies.html", "book/01_scenario.html")
FAST_3G = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
TEXT = {".html", ".js", ".css", ".svg", ".json", ".wasm", ".txt"}
LISTEN = "addEventListener('fl-drawn', () => { window.live ??= performance.now(); })"
KINDS = {"document": "html", "script": "js", "stylesheet": "css", "font": "font", "image": "image"}


class GzipHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files as hosts of static sites do, with text compressed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        body = compressed(path) if path.suffix in TEXT else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        if path.suffix in TEXT:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@functools.cache
def compressed(path: Path) -> bytes:
    """Return a file's content, gzipped."""
    return gzip.compress(path.read_bytes(), 6)


@contextmanager
def served(html: Path) -> Iterator[str]:
    """Serve a built site gzipped; give its address."""
    handler = functools.partial(GzipHandler, directory=str(html))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@dataclass(frozen=True)
class Load:
    """One visit: when there was something to read, when a widget had drawn, and what came."""

    readable_ms: float
    live_ms: float | None
    sizes: dict[str, int]
    """Bytes as transferred, by address; headers left out."""
    kinds: dict[str, int]
    """The same by kind."""

    @property
    def total(self) -> int:
        return sum(self.sizes.values())


def load(browser: Any, address: str, *, throttled: bool, init: str = "") -> Load:
    """Visit a page in a fresh profile, and wait until nothing more comes."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    if throttled:
        session.send("Network.emulateNetworkConditions", FAST_3G)
    sizes: dict[str, int] = {}
    kinds: dict[str, int] = {}
    requests: dict[str, tuple[str, str]] = {}

    def received(event: dict[str, Any]) -> None:
        requests[event["requestId"]] = event["response"]["url"], event["type"].lower()

    def finished(event: dict[str, Any]) -> None:
        url, kind = requests.get(event["requestId"], ("data:", ""))
        if url.startswith(("data:", "blob:")):
            return
        size = int(event["encodedDataLength"])
        sizes[url] = sizes.get(url, 0) + size
        kinds[KINDS.get(kind, kind)] = kinds.get(KINDS.get(kind, kind), 0) + size

    session.on("Network.responseReceived", received)
    session.on("Network.loadingFinished", finished)
    page.add_init_script(LISTEN + init)
    page.goto(address, wait_until="load", timeout=120_000)
    views = "script[type='application/vnd.jupyter.widget-view+json']"
    live = None
    if page.locator(views).count():
        page.wait_for_function("window.live", timeout=120_000)
        live = float(page.evaluate("window.live"))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    paint = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
    )
    context.close()
    return Load(float(paint), live, sizes, kinds)


def main() -> None:
    """Print a line for each page and site."""
    from playwright.sync_api import sync_playwright

    sites = [Path(name).resolve() for name in sys.argv[1:]] or [Path("_build/html").resolve()]
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    executable = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        for page in PAGES:
            visits: dict[tuple[Path, bool], list[Load]] = {}
            for _ in range(3):
                for html in sites:
                    with served(html) as address:
                        for throttled in (True, False):
                            visit = load(browser, address + page, throttled=throttled)
                            visits.setdefault((html, throttled), []).append(visit)
            for (html, throttled), loads in visits.items():
                readable = statistics.median(visit.readable_ms for visit in loads) / 1e3
                lives = [visit.live_ms for visit in loads if visit.live_ms is not None]
                live = f"{statistics.median(lives) / 1e3:5.2f} s" if lives else "no widget"
                kinds = ", ".join(f"{k} {v / 1e3:.0f}" for k, v in loads[0].kinds.items())
                print(
                    f"{page:24} {'Fast 3G' if throttled else 'no limit':8} readable "
                    f"{readable:5.2f} s, live {live}, {loads[0].total / 1e6:.2f} MB ({kinds})",
                    html if len(sites) > 1 else "",
                )
        browser.close()


if __name__ == "__main__":
    main()
