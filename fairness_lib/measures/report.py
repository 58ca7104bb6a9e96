"""How fair a run was, over a window of time.

Definitions follow the article. Rates are tasks per second, waits seconds of queueing before
service. What each metric does not see is said in its own docstring or column description.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check
from ..article.scenario import WINDOW_S
from ..engine.simulate import Run
from ..policies.tasks import REJECTED, Outcome
from .allocation import max_min_fair

if TYPE_CHECKING:
    import pandas as pd

FEW_TASKS = 20
QUANTILES = {"wait_p50_s": 0.50, "wait_p90_s": 0.90, "wait_p99_s": 0.99}


def jain_index(x: ArrayLike) -> float:
    """Jain's fairness index, ``sum(x)**2 / (n * sum(x**2))`` (Jain, Chiu and Hawe 1984).

    Between 1/n (one has everything) and 1 (all are equal), whatever the unit. It does not see
    one starved tenant among many, nor waiting, nor capacity wasted for all alike.

    Parameters
    ----------
    x : array of float
        What each tenant got, 0 or more; leave out tenants without demand.

    Returns
    -------
    float
        The index; 1 if all are 0, since nobody has more than another.

    Raises
    ------
    ValueError, TypeError
        If `x` is empty or holds a value that is not allowed.

    Examples
    --------
    >>> jain_index([1, 1, 1, 1]), jain_index([4, 0, 0, 0])
    (1.0, 0.25)
    """
    values = _check.column("x", x)
    if len(values) == 0:
        raise ValueError("x must hold at least one value; got none")
    top = float(values.max())
    if top == 0.0:
        return 1.0
    values = values / top
    return float(total(values) ** 2 / (len(values) * total(values * values)))


def total(values: NDArray[np.float64]) -> float:
    """Sum from left to right: the same bits in both tiers, on every machine and in a page."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def quantile(sorted_values: NDArray[np.float64], q: float) -> float:
    """Return element ``int(q * (n - 1))`` of sorted values, as the article does; NaN if empty."""
    n = len(sorted_values)
    return float(sorted_values[int(q * (n - 1))]) if n else float("nan")


@dataclass(frozen=True, eq=False)
class FairnessReport:
    """The metrics of one run over one window; made by `measure`.

    Attributes
    ----------
    run : Run
        The run.
    window : tuple of float
        Its start and end in seconds.
    x_by : str
        Whether `x` counts what finished in the window or what arrived in it.
    capacity_per_s : float
        Workers over the mean cost of the tasks that finished in the window, in tasks/s.
    jain : float
        Jain index of `x` over the tenants with demand. Blind to one starved tenant among many,
        to waiting and to wasted capacity.
    min_x : float
        Smallest `x`: how much of its share the worst-off tenant got. Blind to waiting.
    min_x_tenant : str
        Whose that is.
    under_share_p99_wait_s : float
        99th percentile of the queue wait, in seconds, of tasks arriving in the window from tenants
        whose demand is within their fair share; NaN without such tasks. Blind to rejected tasks.
    utilisation : float
        Cost of all tasks ever served over ``workers * horizon_s``; the drain after the horizon
        counts, so it can exceed 1. Blind to who was served.
    """

    run: Run
    window: tuple[float, float]
    x_by: str
    capacity_per_s: float
    jain: float
    min_x: float
    min_x_tenant: str
    under_share_p99_wait_s: float
    utilisation: float
    _columns: dict[str, NDArray[np.float64]]
    _counts: NDArray[np.int64] | None = None
    _waits: NDArray[np.float64] | None = None

    @property
    def policy(self) -> str:
        """Name of the run's policy."""
        return self.run.policy.name

    @cached_property
    def idle_while_queued_s(self) -> float:
        """Worker-seconds idle while something was queued, over the whole run.

        0 for a work-conserving policy. Blind to work turned away at the door: a quota that
        rejects everything leaves nothing queued.
        """
        run = self.run
        arrival_s, started = run.workload.arrival_s, run.served
        entered = arrival_s[started | (run.outcome == Outcome.WAITING)]
        start_s, finish_s = run.start_s[started], run.finish_s[started]
        if run.engine == "compiled":
            from ..engine import compiled

            columns = entered, np.sort(start_s, kind="stable"), np.sort(finish_s, kind="stable")
            return compiled.idle_while_queued_s(*columns, run.workers)
        events = [len(entered), len(start_s), len(finish_s)]
        queued, busy = np.repeat([1, -1, 0], events), np.repeat([0, 1, -1], events)
        time = np.concatenate([entered, start_s, finish_s])
        order = np.argsort(time, kind="stable")
        length = np.diff(time[order])
        idle = run.workers - np.cumsum(busy[order])[:-1]
        return float((length * idle)[np.cumsum(queued[order])[:-1] > 0].sum())

    def by_tenant(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `tenants`, without the queue's depth, which takes longest."""
        run, (start, end) = self.run, self.window
        workload, n = run.workload, len(run.workload.tenants)
        count, wait_s = self._counts, self._waits
        if count is None or wait_s is None:
            inside = (workload.arrival_s >= start) & (workload.arrival_s < end)
            key = workload.tenant[inside] * len(Outcome) + run.outcome[inside]
            count = np.bincount(key, minlength=n * len(Outcome)).reshape(n, len(Outcome))
            waits = _waits_by_tenant(run, inside)
            wait_s = np.array([[quantile(w, q) for q in QUANTILES.values()] for w in waits])
        share = self._columns["fair_share_per_s"]
        return {
            **self._columns,
            "under_share": self._columns["demand_per_s"] <= share,
            "arrived": count.sum(axis=1),
            "admitted": count.sum(axis=1) - count[:, REJECTED].sum(axis=1),
            **{f"rejected_{reason.label}": count[:, reason] for reason in REJECTED},
            **dict(zip(QUANTILES, wait_s.T, strict=True)),
        }

    @cached_property
    def tenants(self) -> pd.DataFrame:
        """One row a tenant, by name.

        Columns: weight; demand_per_s (arrivals in the window per second); fair_share_per_s;
        completed_per_s; x (completed over fair share, NaN without demand); under_share (demand
        within the fair share); then for the tasks that arrived in the window: arrived, admitted,
        rejected_<reason>, wait_p50_s, wait_p90_s, wait_p99_s (of those served); and the
        tenant's queue in the window: depth_max, depth_mean, in tasks.
        """
        import pandas as pd

        frame = pd.DataFrame(
            self.by_tenant(), index=pd.Index(self.run.workload.tenants, name="tenant")
        )
        start, end = self.window
        frame["depth_max"], frame["depth_mean"] = _queue_depth(self.run, start, end)
        return frame

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know before trusting the numbers."""
        arrived = self._columns["demand_per_s"] * (self.window[1] - self.window[0])
        few = int(((arrived > 0) & (arrived < FEW_TASKS - 0.5)).sum())
        if few == 0:
            return ()
        note = (
            f"Tenants with fewer than {FEW_TASKS} tasks in the window: {few}. Their x, and so "
            "Jain and the minimum, are mostly sampling noise."
        )
        return (note if self.x_by == "arrival" else note + " Consider x_by='arrival'.",)

    def scalars(self) -> dict[str, float | str]:
        """Return the scalar metrics by name."""
        return {
            "policy": self.policy,
            "capacity_per_s": self.capacity_per_s,
            "jain": self.jain,
            "min_x": self.min_x,
            "min_x_tenant": self.min_x_tenant,
            "under_share_p99_wait_s": self.under_share_p99_wait_s,
            "utilisation": self.utilisation,
            "idle_while_queued_s": self.idle_while_queued_s,
        }

    def _repr_html_(self) -> str:
        """Return the report as an HTML table; names are escaped."""
        start, end = self.window
        facts = [
            ("Jain index", f"{self.jain:.3f}"),
            ("minimum x", f"{self.min_x:.3f} ({escape(self.min_x_tenant)})"),
            ("p99 wait within share", f"{1e3 * self.under_share_p99_wait_s:.1f} ms"),
            ("utilisation", f"{self.utilisation:.3f}"),
            ("idle while queued", f"{self.idle_while_queued_s:.2f} worker-s"),
            ("capacity", f"{self.capacity_per_s:.0f} tasks/s"),
        ]
        head = "".join(f"<li>{name}: <strong>{value}</strong></li>" for name, value in facts)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        table = self.tenants.to_html(float_format="{:.3f}".format, max_rows=60, border=0)
        return (
            f"<p><strong>{escape(self.policy)}</strong>, {start:g} to {end:g} s</p>"
            f"<ul>{head}</ul>{notes}{table}"
        )

    def __repr__(self) -> str:
        """Return the scalars on a line."""
        start, end = self.window
        return (
            f"FairnessReport({self.policy}, {start:g} to {end:g} s: jain {self.jain:.3f}, "
            f"min_x {self.min_x:.3f} ({self.min_x_tenant}), under-share p99 wait "
            f"{1e3 * self.under_share_p99_wait_s:.1f} ms, utilisation {self.utilisation:.3f})"
        )


def measure(
    run: Run, window: tuple[float, float] = WINDOW_S, *, x_by: str = "finish"
) -> FairnessReport:
    """Measure how fair a run was in a window.

    Demand is what arrives in the window per second. Capacity is the workers over the mean cost
    of the tasks that finish in the window. The fair share is weighted max-min of the demands
    over the capacity; ``x`` is a tenant's completions per second over its fair share.

    Parameters
    ----------
    run : Run
        From `simulate`.
    window : (float, float)
        Start and end in seconds, within the workload's horizon.
    x_by : {"finish", "arrival"}
        Count for ``x`` the tasks that finish in the window (the article's definition), or those
        that arrive in it and are served, however late. The second has less noise when tenants
        have few tasks.

    Raises
    ------
    ValueError, TypeError
        If the window is not within the horizon, or nothing arrived or finished in it.

    Examples
    --------
    >>> from fairness_lib import article_workload, drr, simulate
    >>> report = measure(simulate(article_workload(seed=1), drr()))
    >>> round(report.min_x, 3), report.min_x_tenant
    (0.989, 'small09')
    """
    if not isinstance(run, Run):
        raise TypeError(f"run must be a Run from simulate(); got {run!r}")
    _check.choice("x_by", x_by, ("finish", "arrival"))
    start, end = _window(window, run.workload.horizon_s)
    fields = _compiled if run.engine == "compiled" else _readable
    return FairnessReport(run=run, window=(start, end), x_by=x_by, **fields(run, start, end, x_by))


NO_ARRIVALS = "window must hold arrivals; none came from {:g} to {:g} s"
NO_COMPLETIONS = "window must hold completions; none came from {:g} to {:g} s"


def _readable(run: Run, start: float, end: float, x_by: str) -> dict[str, Any]:
    """Return the fields of a report."""
    workload, served = run.workload, run.served
    n, length = len(workload.tenants), end - start

    arrived = (workload.arrival_s >= start) & (workload.arrival_s < end)
    with np.errstate(invalid="ignore"):
        finished = (run.finish_s >= start) & (run.finish_s < end)
    if not arrived.any():
        raise ValueError(NO_ARRIVALS.format(start, end))
    if not finished.any():
        raise ValueError(NO_COMPLETIONS.format(start, end))
    counted = finished if x_by == "finish" else arrived & served

    demand = np.bincount(workload.tenant[arrived], minlength=n) / length
    completed = np.bincount(workload.tenant[counted], minlength=n) / length
    mean_cost_s = total(workload.cost_s[finished]) / int(finished.sum())
    capacity = run.workers / mean_cost_s if mean_cost_s > 0 else float("inf")
    share = max_min_fair(demand, capacity, workload.weight)
    asking = demand > 0
    x = np.full(n, np.nan)
    x[asking] = completed[asking] / share[asking]
    worst = int(np.nanargmin(x))

    under = (demand <= share)[workload.tenant]
    waits = np.sort(run.wait_s[arrived & served & under])
    return {
        "capacity_per_s": capacity,
        "jain": jain_index(x[asking]),
        "min_x": float(x[worst]),
        "min_x_tenant": workload.tenants[worst],
        "under_share_p99_wait_s": quantile(waits, 0.99),
        "utilisation": total(workload.cost_s[served]) / (run.workers * workload.horizon_s),
        "_columns": {
            "weight": workload.weight,
            "demand_per_s": demand,
            "fair_share_per_s": share,
            "completed_per_s": completed,
            "x": x,
        },
    }


def _compiled(run: Run, start: float, end: float, x_by: str) -> dict[str, Any]:
    """Return the same, bit for bit, from the kernel."""
    from ..engine import compiled, kernel

    workload, length = run.workload, end - start
    wrong, seen = compiled.measure(
        workload, run.start_s, run.outcome, run.workers, (start, end), x_by == "arrival"
    )
    if wrong:
        raise ValueError((NO_ARRIVALS, NO_COMPLETIONS)[wrong - 1].format(start, end))
    scalars = seen.scalars.tolist()
    return {
        "capacity_per_s": scalars[kernel.CAPACITY],
        "jain": scalars[kernel.JAIN],
        "min_x": scalars[kernel.MIN_X],
        "min_x_tenant": workload.tenants[int(scalars[kernel.MIN_X_TENANT])],
        "under_share_p99_wait_s": scalars[kernel.UNDER_SHARE_P99],
        "utilisation": scalars[kernel.UTILISATION],
        "_columns": {
            "weight": workload.weight,
            "demand_per_s": seen.arrived / length,
            "fair_share_per_s": seen.fair_share_per_s,
            "completed_per_s": seen.completed / length,
            "x": seen.x,
        },
        "_counts": seen.outcomes.reshape(-1, len(Outcome)),
        "_waits": seen.wait_s.reshape(-1, len(QUANTILES)),
    }


def _window(window: tuple[float, float], horizon_s: float) -> tuple[float, float]:
    try:
        start, end = window
    except (TypeError, ValueError):
        raise TypeError(f"window must be (start, end) in seconds; got {window!r}") from None
    start = _check.number("window start", start, least=0)
    end = _check.number("window end", end, above=start)
    if end > horizon_s:
        raise ValueError(f"window must end by horizon_s = {horizon_s:g}; got {end:g}")
    return start, end


def _waits_by_tenant(run: Run, arrived: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Sorted waits of the served tasks among those that `arrived`, one array a tenant."""
    chosen = arrived & run.served
    tenant, wait = run.workload.tenant[chosen], run.wait_s[chosen]
    order = np.lexsort((wait, tenant))
    edges = np.searchsorted(tenant[order], np.arange(1, len(run.workload.tenants)))
    return np.split(wait[order], edges)


def _queue_depth(
    run: Run, start: float, end: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Largest and mean number of tasks queued in the window, by tenant."""
    workload, n = run.workload, len(run.workload.tenants)
    admitted = ~np.isin(run.outcome, REJECTED)
    left_s = np.where(run.served, run.start_s, np.inf)
    inside = (left_s > np.maximum(workload.arrival_s, start)) & (workload.arrival_s < end)
    queued = admitted & inside
    tenant = workload.tenant[queued]
    entered = np.maximum(workload.arrival_s[queued], start)
    left = np.minimum(left_s[queued], end)
    mean = np.bincount(tenant, weights=left - entered, minlength=n) / (end - start)

    who = np.concatenate([tenant, tenant])
    change = np.repeat([1, -1], len(tenant))
    order = np.lexsort((change, np.concatenate([entered, left]), who))
    depth = np.cumsum(change[order])  # each tenant's changes add up to 0
    largest = np.zeros(n, dtype=np.int64)
    np.maximum.at(largest, who[order], depth)
    return largest, mean
