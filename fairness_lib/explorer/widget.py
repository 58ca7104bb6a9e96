"""The explorer: sliders that run the whole experiment again, in the page itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

import ipywidgets as widgets
from matplotlib.figure import Figure

from .. import _check
from ..article.scenario import article_scenario
from ..engine.simulate import simulate
from ..measures.report import FairnessReport, measure
from ..policies.fifo import Fifo
from ..policies.in_flight import InFlight
from ..policies.policy import (
    ARTICLE_POLICIES,
    Policy,
    drr,
    drr_quota,
    fifo,
    quota,
    round_robin,
    sfq,
)
from ..traffic.scenario import Scenario
from ..traffic.workload import Workload
from .fallback import WithFigure, draw_reports
from .rows import to_buckets, to_rows, to_scenario, with_statements
from .view import LIMITS, POLICY_LABELS, ExplorerView
from .words import in_words

LOG_STEP = 0.05


class Explorer(WithFigure):
    """Sliders and what they do; made by `explore`.

    Its sliders are ipywidgets: ``explorer.quantum.value = 2`` moves one from Python, and
    `report` gives the run that the page shows as a `FairnessReport`.

    Attributes
    ----------
    quantum, cap, shared_cap, burst, seed, workers, in_flight : ipywidgets slider
        Quantum in ms; most tasks that wait for one tenant (all
        but FIFO and quota) and in the one queue (FIFO, quota);
        factor of the bursting tenants' rate; seed of the traffic; size of the pool;
        most tasks of one tenant in flight (in-flight limit).
    policies_shown : dict of str to ipywidgets.Checkbox
        Which policies are run, by name.
    view : ExplorerView
        The drawing; its ``tenants`` are the rows that a reader may edit.
    """

    @property
    def sentence(self) -> str:
        """What the static figure shows, and what could be moved if there were JavaScript."""
        start = "This is the setting that the page starts with. "
        if self.view.compact:
            start = " ".join(
                f"{POLICY_LABELS[name]}: "
                + " ".join(f"{who} {what}." for who, what in in_words(report).items())
                for name, report in self.reports().items()
            )
        knobs = "the burst factor" if self.view.compact else "burst factor, queue cap and quantum"
        return (
            f"{start} On the built page, or in JupyterLab, you can move {knobs}, and all tasks are "
            "simulated again at every move."
        )

    def __init__(
        self, rows: list[dict[str, Any]], start: dict[str, Any], horizon_s: float,
        window: tuple[float, float], shown: Sequence[str], compact: bool,
    ) -> None:  # fmt: skip
        showing = {f"show_{name}": name in shown for name in POLICY_LABELS}
        self.view = ExplorerView(
            **start, **showing, tenants=rows, horizon_s=horizon_s, window=list(window),
            compact=compact, start={**start, **showing, "tenants": rows},
        )  # fmt: skip
        self.quantum = _log_slider("quantum_ms", start, "Quantum (ms)", ".3r", "fl-quantum")
        self.cap = _log_slider("cap", start, "Queue cap", ".0f", "fl-cap")
        self.shared_cap = _log_slider("shared_cap", start, "Shared cap", ".0f", "fl-shared-cap")
        self.burst = _slider(widgets.FloatSlider, "burst", start, "Burst factor", "fl-burst")
        self.seed = _slider(widgets.IntSlider, "seed", start, "Seed", "fl-seed")
        self.workers = _slider(widgets.IntSlider, "workers", start, "Workers", "fl-workers")
        self.in_flight = _slider(
            widgets.IntSlider, "in_flight", start, "In-flight limit", "fl-in-flight"
        )
        self.policies_shown = {
            name: widgets.Checkbox(
                value=name in shown, description=label, indent=False, layout={"width": "auto"}
            )
            for name, label in POLICY_LABELS.items()
        }
        for name, slider in self._sliders().items():
            widgets.jslink((slider, "value"), (self.view, name))
        for name, box in self.policies_shown.items():
            widgets.jslink((box, "value"), (self.view, f"show_{name}"))
        self.burst.step, self.burst.readout_format = 0.1, ".1f"
        knobs = widgets.Box([self.burst] if compact else [self.burst, self.cap, self.quantum])
        knobs.add_class("fl-knobs")
        bar = widgets.VBox([knobs] if compact else [knobs, self._more()])
        bar.add_class("fl-bar")
        super().__init__([bar, self.view])
        self.add_class("fl-box")

    def _more(self) -> widgets.Accordion:
        """Fold away what few will move."""
        sliders = widgets.Box([self.workers, self.shared_cap, self.seed, self.in_flight])
        boxes = widgets.HBox(list(self.policies_shown.values()))
        boxes.add_class("fl-policies")
        sliders.add_class("fl-knobs")
        more = widgets.Accordion([widgets.VBox([sliders, boxes])], titles=("More to move",))
        more.add_class("fl-more")
        return more

    def _sliders(self) -> dict[str, Any]:
        return {name: getattr(self, name.removesuffix("_ms")) for name in LIMITS}

    def setting(self) -> dict[str, float]:
        """Return the sliders' values by name."""
        return {name: slider.value for name, slider in self._sliders().items()}

    def move(self, **values: float) -> None:
        """Move sliders by name, as in ``explorer.move(quantum_ms=1, burst=8)``."""
        sliders = self._sliders()
        for name, value in values.items():
            if name not in sliders:
                raise ValueError(f"values must be named {', '.join(sliders)}; got {name!r}")
            least, most = LIMITS[name]
            _check.number(name, value, least=least, most=most)
        for name, value in values.items():
            sliders[name].value = value

    def scenario(self) -> Scenario:
        """Return the scenario of the present setting."""
        window_s = self.view.window[0], self.view.window[1]
        factor, pool = tidy(self.burst.value), self.workers.value
        return to_scenario(self.view.tenants, factor, pool, self.view.horizon_s, window_s)

    def policies(self) -> dict[str, Policy]:
        """Return the policies of the present setting, by name."""
        cap, shared_cap = (floor(slider.value + 0.5) for slider in (self.cap, self.shared_cap))
        quantum_s, buckets = tidy(self.quantum.value) / 1000, to_buckets(self.view.tenants)
        all_of_them = (
            fifo(cap=shared_cap),
            quota(buckets=buckets, cap=shared_cap),
            drr(quantum_s=quantum_s, cap=cap),
            drr_quota(buckets=buckets, quantum_s=quantum_s, cap=cap),
            round_robin(cap=cap),
            sfq(cap=cap),
            Policy("in_flight", InFlight(Fifo(None), self.in_flight.value, cap)),
        )
        return {p.name: p for p in all_of_them if self.policies_shown[p.name].value}

    def workload(self) -> Workload:
        """Return the tasks of the present setting, with the costs that tenants state."""
        return with_statements(self.scenario().workload(self.seed.value), self.view.tenants)

    def reports(self) -> dict[str, FairnessReport]:
        """Run the present setting in Python: a report for each policy shown, by name."""
        workload = self.workload()
        return {
            name: measure(simulate(workload, policy), objective_s=self.view.objective_s)
            for name, policy in self.policies().items()
        }

    def report(self, policy: str = "drr") -> FairnessReport:
        """Run the present setting in Python under one policy: the very run that the page shows."""
        _check.choice("policy", policy, self.policies())
        return self.reports()[policy]

    def figure(self) -> Figure:
        """Draw the present setting as a static figure."""
        return draw_reports(list(self.reports().values()), plain=self.view.compact)


def explore(
    scenario: Scenario | None = None,
    *,
    buckets: Mapping[str, tuple[float, float]] | None = None,
    window: tuple[float, float] | None = None,
    policies: Sequence[str] = tuple(ARTICLE_POLICIES),
    compact: bool = False,
    **start: float,
) -> Explorer:
    """Return sliders that simulate all tasks again at every move, in a page or in JupyterLab.

    Parameters
    ----------
    scenario : Scenario, optional
        The article's by default. The burst slider sets the factor of all its bursts.
    buckets : mapping of str to (rate_per_s, burst), optional
        Quotas, by tenant name or pattern; see `rows.to_rows` for the default.
    window : (float, float), optional
        The measured time in seconds; by default the scenario's own, else from the first burst's
        start to the last one's end, or all the time if there is none.
    policies : sequence of str
        Those shown at first, of ``fifo``, ``quota``, ``drr``, ``drr_quota``, ``round_robin``,
        ``sfq`` and ``in_flight``: the article's four by default.
    compact : bool
        One slider, the burst factor, and what happened in words in place of tables.
    **start : float
        Where sliders start: quantum_ms, cap, shared_cap, burst, seed, workers,
        in_flight.

    Raises
    ------
    ValueError, TypeError
        If a value is not allowed, or the costs' distribution cannot be drawn in a page.

    Examples
    --------
    >>> explorer = explore(quantum_ms=2)
    >>> explorer.move(burst=8)
    >>> explorer.setting()["burst"]
    8.0
    """
    scenario = article_scenario() if scenario is None else scenario
    bursts = [burst for tenant in scenario.tenants for burst in tenant.bursts]
    values: dict[str, Any] = {
        "quantum_ms": 10.0,
        "cap": 200.0,
        "shared_cap": 2000.0,
        "burst": float(max((b.factor for b in bursts), default=1.0)),
        "seed": 1,
        "workers": scenario.workers,
        "in_flight": 6,
    }
    whole = [name for name, value in values.items() if not isinstance(value, float)]
    for name, value in {**values, **start}.items():
        if name not in values:
            raise TypeError(f"explore() has no setting {name!r}; it has {', '.join(values)}")
        least, most = LIMITS[name]
        _check.number(name, value, least=least, most=most)
        values[name] = value if name in whole else float(value)
    for name in policies:
        _check.choice("policies", name, POLICY_LABELS)
    if window is None:
        window = scenario.window_s or (
            (min(b.from_s for b in bursts), max(b.to_s for b in bursts))
            if bursts
            else (0.0, scenario.horizon_s)
        )
    rows = to_rows(scenario, buckets)
    return Explorer(rows, values, scenario.horizon_s, window, policies, compact)


def tidy(value: float) -> float:
    """Round to six decimals as the page does: sliders give 9.999999999999998 for 10."""
    return floor(value * 1e6 + 0.5) / 1e6


def _slider(kind: Any, name: str, start: dict[str, Any], label: str, css: str) -> Any:
    least, most = LIMITS[name]
    slider = kind(start[name], min=least, max=most, description=label)
    return _styled(slider, css)


def _log_slider(name: str, start: dict[str, Any], label: str, readout: str, css: str) -> Any:
    least, most = (log10(limit) for limit in LIMITS[name])
    steps = round((log10(start[name]) - least) / LOG_STEP)
    step = (log10(start[name]) - least) / steps if steps else LOG_STEP  # the start is one of them
    slider = widgets.FloatLogSlider(
        start[name], base=10, min=least, max=most, step=step, description=label,
        readout_format=readout,
    )  # fmt: skip
    return _styled(slider, css)


def _styled(slider: Any, css: str) -> Any:
    slider.style.description_width = "initial"
    slider.layout.width = "auto"
    slider.add_class("fl-slider")
    slider.add_class(css)
    return slider
