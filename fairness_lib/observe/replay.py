"""A finished run, told to a monitor or to tenant metrics as if it happened now."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import _check
from ..engine.simulate import Run, without_events
from ..policies.tasks import REJECTED
from .monitor import FairnessMonitor
from .series import Period
from .tenant_metrics import TenantMetrics
from .window import WindowReport

FINISH, ARRIVE, REJECT, START, FINISH_AT_ONCE = range(5)


def events(run: Run) -> Iterator[tuple[float, int, int]]:
    """Yield (time, kind, task) in time order; at one instant in the order of the event loop."""
    without_events(run, "a replay")
    task = np.arange(len(run.workload))
    rejected = np.isin(run.outcome, REJECTED)
    served = run.served
    at_once = served & (run.finish_s == run.start_s)
    parts = [
        (run.finish_s, FINISH, served & ~at_once),
        (run.workload.arrival_s, ARRIVE, np.ones(len(task), dtype=bool)),
        (run.workload.arrival_s, REJECT, rejected),
        (run.start_s, START, served),
        (run.finish_s, FINISH_AT_ONCE, at_once),
    ]
    time = np.concatenate([time_s[mask] for time_s, _, mask in parts])
    kind = np.repeat([k for _, k, _ in parts], [int(mask.sum()) for _, _, mask in parts])
    which = np.concatenate([task[mask] for _, _, mask in parts])
    order = np.lexsort((which, kind, time))
    yield from zip(time[order].tolist(), kind[order].tolist(), which[order].tolist(), strict=True)


def watch(run: Run, monitor: FairnessMonitor, until_s: float | None = None) -> list[WindowReport]:
    """Tell a monitor all events of a run; return the reports it makes.

    Parameters
    ----------
    run : Run
        From `simulate`.
    monitor : FairnessMonitor
        One that has seen nothing yet.
    until_s : float, optional
        Stop there, in seconds; at the workload's horizon by default.

    Examples
    --------
    >>> from fairness_lib import FairnessMonitor, article_workload, drr, simulate
    >>> run = simulate(article_workload(seed=1), drr())
    >>> reports = watch(run, FairnessMonitor(8, window_s=20, step_s=20))
    >>> round(reports[1].jain, 3)
    1.0
    """
    until = run.workload.horizon_s
    if until_s is not None:
        until = _check.number("until_s", until_s, least=0)
    names, tenant = run.workload.tenants, run.workload.tenant.tolist()
    cost_s = run.workload.cost_s.tolist()
    made: list[WindowReport] = monitor.advance(0.0)
    for now, kind, task in events(run):
        if now > until:
            break
        if now >= monitor.next_report_s:
            made += monitor.advance(now)
        if kind == ARRIVE:
            monitor.arrived(task, names[tenant[task]], now)
        elif kind == START:
            monitor.started(task, now)
        elif kind == REJECT:
            monitor.rejected(task, now)
        else:
            monitor.finished(task, now, cost_s[task])
    return made + monitor.advance(until)


def count_by_period(run: Run, metrics: TenantMetrics, period_s: float) -> list[Period]:
    """Record a run period by period; return what `TenantMetrics.close` says after each.

    Parameters
    ----------
    run : Run
        From `simulate`.
    metrics : TenantMetrics
        Its counters.
    period_s : float
        Length of a period in seconds. Tasks count when they arrive and when they start; what
        happens after the horizon is left out.
    """
    without_events(run, "a count by period")
    workload = run.workload
    edges = np.arange(0.0, workload.horizon_s, _check.number("period_s", period_s, above=0))
    arrival = np.searchsorted(edges, workload.arrival_s, side="right") - 1
    start = np.searchsorted(edges, np.where(run.served, run.start_s, np.inf), side="right") - 1
    start[~run.served | (run.start_s >= workload.horizon_s)] = -1
    periods = []
    for period in range(len(edges)):
        came, began = arrival == period, start == period
        metrics.record("arrived", workload.tenant[came], names=workload.tenants)
        for reason in REJECTED:
            turned_away = came & (run.outcome == reason)
            metrics.record(reason.label, workload.tenant[turned_away], names=workload.tenants)
        metrics.record(
            "started", workload.tenant[began], names=workload.tenants, wait_s=run.wait_s[began]
        )
        periods.append(metrics.close())
    return periods
