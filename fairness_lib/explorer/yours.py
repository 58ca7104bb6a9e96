"""Your own policy: a class that a reader writes, run and judged in the page.

What is displayed is its listing, with the result that it has when the book is built, and a button
that loads the rest (``workshop.js``, by `workshop`) where the page has it.
"""

from __future__ import annotations

import base64
import json
from html import escape
from typing import Any

import anywidget
import ipywidgets as widgets
import traitlets
from IPython.display import display

from .. import _check
from ..engine.simulate import simulate
from ..measures.properties import check
from ..measures.report import OBJECTIVE_S, measure
from . import entry, front
from .lessons import LESSONS, SETUP, Lesson, own_policy
from .rows import to_rows
from .view import POLICY_LABELS, ExplorerView

MEGABYTES = 0.4
"""What the button says that it loads, as transferred."""
IMPORTS = (
    "from fairness_lib import (\n    Burst, Policy, Scenario, Tenant, article_scenario, check, "
    "measure, simulate\n)\n\n"
)


class YoursView(anywidget.AnyWidget):
    """The button, and what the workshop is to be opened with."""

    _esm = front.text("yours.js")
    _css = front.style("fl.css")
    lesson: Any = traitlets.Dict().tag(sync=True)


class YourPolicy(widgets.VBox):  # type: ignore[misc]
    """A place to write a policy in; made by `your_policy`.

    Attributes
    ----------
    lesson : Lesson
        What it starts from, and what is asked for.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        scenario = lesson.scenario()
        window = scenario.window_s or (20.0, 40.0)
        values = {
            "tenants": to_rows(scenario),
            "workers": scenario.workers,
            "horizon_s": scenario.horizon_s,
            "window": list(window),
            **{f"show_{name}": name in lesson.policies for name in POLICY_LABELS},
        }
        self.view = YoursView(
            lesson={
                "megabytes": MEGABYTES,
                "values": values,
                "starts": [
                    {"label": label, "code": listing(file)} for file, label in lesson.starts.items()
                ],
                "solution": listing(lesson.solution) if lesson.solution else "",
                "goals": list(lesson.goals),
                "hints": list(lesson.hints),
                "setup": IMPORTS + SETUP.format(lesson.setup),
            }
        )
        super().__init__([self.view])
        self.add_class("fl-box")

    def recorded(self, file: str) -> str:
        """Say what a class of the lesson comes to."""
        lesson = self.lesson
        run = simulate(lesson.scenario().workload(seed=1), own_policy(file))
        if not run.served.any():
            return "It serves nothing."
        verdicts = (f"{v.name} {v.outcome} ({v.seen})" for v in check(measure(run)))
        return f"{'; '.join(verdicts)}."

    def static(self) -> str:
        """Return the listing and its result, for a page without scripts."""
        lesson = self.lesson
        file = next(iter(lesson.starts))
        parts = [
            f"<p><strong>{escape(lesson.title)}.</strong> It starts from this class:</p>",
            f"<pre>{escape(listing(file))}</pre>",
            f"<p>As it stands: {escape(self.recorded(file))}</p>",
        ]
        for number, hint in enumerate(lesson.hints, 1):
            parts.append(f"<details><summary>Hint {number}</summary>{escape(hint)}</details>")
        if lesson.solution:
            parts.append(
                f"<details><summary>A solution</summary><pre>{escape(listing(lesson.solution))}"
                f"</pre><p>{escape(self.recorded(lesson.solution))}</p></details>"
            )
        return f'<div class="fl-fallback">{"".join(parts)}</div>'

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        bundle["text/plain"] = f"YourPolicy: {self.lesson.title}"
        return bundle

    def _ipython_display_(self) -> None:
        show: Any = display
        show({"text/html": self.static()}, raw=True)
        show(self._repr_mimebundle_(), raw=True)


def listing(file: str) -> str:
    """Return the text of a file in ``reader/``."""
    return front.text(f"reader/{file}.py")


def your_policy(lesson: str = "own") -> YourPolicy:
    """Write a policy in the page, run it on the whole traffic, and have it judged.

    Parameters
    ----------
    lesson : str
        What to write: ``own``, or one of the exercises ``drr``, ``weights``, ``six``, ``behind``
        and ``split``.

    Raises
    ------
    ValueError
        If there is no such lesson.

    Examples
    --------
    >>> your_policy("six").lesson.title
    'At most six workers for heavy'
    """
    return YourPolicy(LESSONS[_check.choice("lesson", lesson, LESSONS)])


def workshop() -> str:
    """Return the script of all that the button loads beside the editor and MicroPython."""
    names = (
        *("dom.js", "setting.js", "engine.js", "scales.js", "verdicts.js", "words.js", "marks.js"),
        *("strip.js", "lanes.js", "judge.js", "faults.js", "workshop.js"),
    )
    view = ExplorerView.class_traits()
    assets = {
        "css": front.style("fl.css", "explorer.css", "yours.css"),
        "worker": front.text("worker.js"),
        "bench": front.text("bench.js"),
        "loop": front.text("reader/loop.py"),
        "wasm": base64.b64encode(front.data("kernel.wasm")).decode(),
        "spec": entry.description(),
        "looks": view["looks"].default(),
        "other_looks": view["other_looks"].default(),
        "values": {
            **{name: view[name].default() for name in ("quantum_ms", "cap", "shared_cap", "burst")},
            "seed": 1,
            "objective_s": OBJECTIVE_S,
        },
    }
    code = f"{front.module(*names)}\nwindow.flWorkshop.open = open;"
    return f"window.flWorkshop = {json.dumps(assets)};\n(() => {{\n{code}\n}})();\n"
