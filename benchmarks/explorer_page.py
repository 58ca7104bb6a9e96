"""Measure the explorer in a built page: ``python -m benchmarks.explorer_page [HTML]``.

For a hundred moves of a slider: the time from the key to when what all tenants got stands in the
page, to the frame that shows it, and to the whole answer (owed and kept, the minute); and the
longest task of the page's main thread, in wall time and in CPU time (on a shared machine the first
also shows what else runs). Then the first drawing and the page's weight. Needs Chromium and the
built site (`make book`).
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import shutil
import statistics
import sys
import threading
from pathlib import Path
from typing import Any

PAGE, LANDING_PAGE = "book/explorer.html", "book/intro.html"
MOVES = 100
SLIDERS = {
    LANDING_PAGE: ("fl-burst",),
    PAGE: ("fl-burst", "fl-seed", "fl-workers", "fl-quantum", "fl-cap"),
}
MOVE = """async ([slider, moves]) => {
  const kinds = ":is([role=slider], input[type=range])", times = [];
  const handle = document.querySelector(`.${slider} ${kinds}`);
  handle.focus();
  const press = (key) => { // keys that a script sends move no native slider
    const bubbles = true, event = new KeyboardEvent("keydown", { key, bubbles });
    if (handle.type !== "range") return handle.dispatchEvent(event);
    handle[key === "ArrowRight" ? "stepUp" : "stepDown"]();
    for (const kind of ["input", "change"]) handle.dispatchEvent(new Event(kind, { bubbles }));
  };
  for (let i = 0; i < moves; i += 1) {
    const all = new Promise((done) => addEventListener("fl-drawn", () => done(performance.now()), { once: true }));
    const first = new Promise((done) => {
      for (const name of ["fl-begun", "fl-drawn"]) addEventListener(name, () => {
        const stands = performance.now();
        requestAnimationFrame(() => {
          const after = new MessageChannel();
          after.port1.onmessage = () => done([stands, performance.now()]);
          after.port2.postMessage(0);
        });
      }, { once: true });
    });
    const key = Math.floor(i / 4) % 2 ? "ArrowLeft" : "ArrowRight", began = performance.now();
    press(key);
    times.push([...(await first), await all].map((time) => time - began));
    await new Promise((done) => setTimeout(done, 60));
  }
  return times;
}"""  # noqa: E501
CATEGORIES = ["toplevel", "devtools.timeline"]


def main_thread_tasks(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tasks of the busiest renderer's main thread."""
    events = trace["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    threads: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in events:
        place = event["pid"], event["tid"]
        if names.get(place) == "CrRendererMain" and event["name"].endswith("RunTask"):
            threads.setdefault(place, []).append(event)
    return max(threads.values(), key=lambda tasks: sum(t.get("tdur", 0) for t in tasks))


def first_drawing(browser: Any, address: str) -> tuple[float, int]:
    """Return ms from navigation to the first drawing, and the bytes that were loaded."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    seen_first = "addEventListener('fl-drawn', () => { window.first ??= performance.now(); })"
    page.add_init_script(seen_first)
    page.goto(address)
    page.wait_for_function("window.first")
    seen = float(page.evaluate("window.first"))
    page.wait_for_load_state("networkidle")  # what comes after the drawing weighs too
    files = page.evaluate("performance.getEntriesByType('resource').map(e => e.decodedBodySize)")
    document = page.evaluate("performance.getEntriesByType('navigation')[0].decodedBodySize")
    page.close()
    return seen, int(sum(files) + document)


def measure(browser: Any, address: str, slider: str) -> None:
    """Print one line of numbers for a slider."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.wait_for_selector(".fl-chart", state="attached")
    page.evaluate(MOVE, [slider, 5])
    browser.start_tracing(page=page, categories=CATEGORIES)
    times = page.evaluate(MOVE, [slider, MOVES])
    tasks = main_thread_tasks(json.loads(browser.stop_tracing()))
    page.close()
    stands, moves, whole = zip(*times, strict=True)
    wall, cpu = (max(task.get(key, 0) for task in tasks) / 1e3 for key in ("dur", "tdur"))
    print(
        f"{slider:12} stands {statistics.median(stands):3.0f} ms, worst {max(stands):3.0f}; "
        f"painted {statistics.median(moves):3.0f}, {max(moves):3.0f}; "
        f"whole {statistics.median(whole):3.0f}; longest main-thread task "
        f"{wall:3.0f} (CPU {cpu:.0f})"
    )


def main() -> None:
    """Run all of it on the site."""
    from playwright.sync_api import sync_playwright

    html = Path(sys.argv[1] if len(sys.argv) > 1 else "_build/html").resolve()
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    executable = next(filter(None, map(shutil.which, names)), None)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(html))
    with (
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server,
        sync_playwright() as playwright,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site = f"http://127.0.0.1:{server.server_address[1]}/"
        browser = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for page in (LANDING_PAGE, PAGE):
            times, sizes = zip(
                *(first_drawing(browser, site + page) for _ in range(5)), strict=True
            )
            print(
                f"{page}: first drawing after {statistics.median(times):.0f} ms "
                f"(worst of 5: {max(times):.0f}); {sizes[0] / 1e6:.1f} MB unpacked"
            )
        for page, sliders in SLIDERS.items():
            for slider in sliders:
                measure(browser, site + page, slider)
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
