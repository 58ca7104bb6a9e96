"""The explorer's view: all that a page needs to draw, and to run the engine."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from ..measures.report import OBJECTIVE_S
from ..plots import style
from ..plots.style import GROUP_COLORS, GROUP_MARKERS, OTHER_COLORS, OTHER_MARKERS
from . import entry, front

LIMITS = {
    "quantum_ms": (0.1, 1000.0),
    "cap": (1.0, 10_000.0),
    "shared_cap": (1.0, 100_000.0),
    "burst": (1.0, 10.0),
    "seed": (0, 200),
    "workers": (1, 32),
    "in_flight": (1, 32),
}
"""Least and largest value of each slider."""
POLICY_LABELS = style.POLICY_LABELS | {
    "round_robin": "round robin",
    "sfq": "SFQ",
    "in_flight": "in-flight limit",
}
"""The policies that a page can run: those of the article first."""


class ExplorerView(anywidget.AnyWidget):
    """What the page draws, and all that its engine needs."""

    _esm = front.module(
        *("dom.js", "setting.js", "link.js", "engine.js", "scales.js", "verdicts.js", "words.js"),
        *(
            "marks.js",
            "strip.js",
            "lanes.js",
            "bar.js",
            "readout.js",
            "drop.js",
            "tenants.js",
            "terms.js",
        ),
        *("stories.js", "explorer.js"),
    )
    _css = front.style("fl.css", "explorer.css")
    worker = traitlets.Unicode(front.text("worker.js")).tag(sync=True)
    wasm = traitlets.Bytes(front.data("kernel.wasm")).tag(sync=True)
    spec: Any = traitlets.Dict({"arguments": entry.arguments(), "sizes": entry.SIZES}).tag(
        sync=True
    )
    looks: Any = traitlets.Dict(
        {name: {"color": c, "marker": GROUP_MARKERS[name]} for name, c in GROUP_COLORS.items()}
    ).tag(sync=True)
    other_looks: Any = traitlets.List(
        [{"color": c, "marker": m} for c, m in zip(OTHER_COLORS, OTHER_MARKERS, strict=True)]
    ).tag(sync=True)
    limits: Any = traitlets.Dict(LIMITS).tag(sync=True)
    start: Any = traitlets.Dict().tag(sync=True)
    compact = traitlets.Bool(False).tag(sync=True)

    quantum_ms = traitlets.Float(10.0).tag(sync=True)
    cap = traitlets.Float(200.0).tag(sync=True)
    shared_cap = traitlets.Float(2000.0).tag(sync=True)
    burst = traitlets.Float(5.0).tag(sync=True)
    seed = traitlets.Int(1).tag(sync=True)
    workers = traitlets.Int(8).tag(sync=True)
    in_flight = traitlets.Int(6).tag(sync=True)
    show_fifo = traitlets.Bool(True).tag(sync=True)
    show_quota = traitlets.Bool(True).tag(sync=True)
    show_drr = traitlets.Bool(True).tag(sync=True)
    show_drr_quota = traitlets.Bool(True).tag(sync=True)
    show_round_robin = traitlets.Bool(False).tag(sync=True)
    show_sfq = traitlets.Bool(False).tag(sync=True)
    show_in_flight = traitlets.Bool(False).tag(sync=True)
    tenants: Any = traitlets.List().tag(sync=True)
    horizon_s = traitlets.Float(60.0).tag(sync=True)
    window: Any = traitlets.List().tag(sync=True)
    objective_s = traitlets.Float(OBJECTIVE_S).tag(sync=True)
