"""Rolling measures of a finished run, at once: for trying an alert on many runs.

Both functions give what is known when a window ends, or a moment later, without telling a monitor
event after event. Times are in seconds.
"""

from __future__ import annotations

from math import floor, nan

import numpy as np
from numpy.typing import NDArray

from .. import _check
from ..engine.simulate import Run, without_events
from ..measures.fair import fair_reference
from ..measures.tiers import NANOSECOND
from ..policies.tasks import REJECTED
from .rolling import fairness_of
from .task_log import FINISHED, GONE, STARTED, WAITING, Columns
from .window import WindowReport


def look_back(run: Run, window_s: float = 60.0, step_s: float = 10.0) -> list[WindowReport]:
    """Return the reports that a monitor beside the run would have made.

    The reports of `watch` with a `FairnessMonitor` of the same workers and weights, in about a
    third of the time.

    Parameters
    ----------
    run : Run
        From `simulate`.
    window_s, step_s : float
        As for `FairnessMonitor`, in seconds.

    Examples
    --------
    >>> from fairness_lib import article_workload, fifo, simulate
    >>> reports = look_back(simulate(article_workload(seed=1), fifo()), window_s=20, step_s=20)
    >>> [round(report.under_share_p99_so_far_s, 3) for report in reports]
    [0.062, 2.602, 2.485]
    """
    windows = list(_windows(run, window_s, step_s, before=True))
    work, gone = run.workload, np.isin(run.outcome, REJECTED)
    made: list[WindowReport] = []
    mean_cost_s = nan
    for start, end in windows:
        came = int(np.searchsorted(work.arrival_s, end))
        # a report is made before the monitor is told what happens at that very instant
        began, ended = run.start_s[:came] < end, run.finish_s[:came] < end
        state = np.where(began, np.where(ended, FINISHED, STARTED), WAITING)
        state[gone[:came]] = GONE
        recent = (work.arrival_s[:came] >= start) | (run.finish_s[:came] >= start)
        row = np.flatnonzero(recent | (state == WAITING))
        columns = Columns(
            arrival_s=work.arrival_s[row],
            start_s=np.where(began, run.start_s[:came], nan)[row],
            finish_s=np.where(ended, run.finish_s[:came], nan)[row],
            cost_s=work.cost_s[row],
            tenant=work.tenant[row],
            is_demand=np.ones(len(row), dtype=np.int8),
            state=state[row].astype(np.int8),
        )
        report, mean_cost_s = fairness_of(
            columns,
            {},
            work.tenants,
            work.weight,
            workers=run.workers,
            window=(start, end),
            now=end,
            mean_cost_s=mean_cost_s,
        )
        made.append(report)
    return made


def kept_over_time(
    run: Run, window_s: float = 60.0, step_s: float = 10.0, objective_s: float = 0.050
) -> dict[float, float]:
    """Return `FairnessReport.kept` of rolling windows, by their ends.

    Whether a task was kept is known `objective_s` after it arrived. It needs no window by which
    tenants are within their share or beyond it, so that a tenant behind its own backlog is nobody's
    victim. Monitors do not compute it: this goes by the run's `fair_reference`, afterwards.

    Parameters
    ----------
    run : Run
        From `simulate`.
    window_s, step_s : float
        Length of a window, and how far apart windows end, in seconds. The first one begins at 0.
    objective_s : float
        How soon a start is owed, in seconds.

    Returns
    -------
    dict of float to float
        The part that was kept; NaN where nothing was owed.

    Examples
    --------
    >>> from fairness_lib import article_workload, fifo, simulate
    >>> run = simulate(article_workload(seed=1), fifo())
    >>> kept = kept_over_time(run, window_s=20, step_s=20)
    >>> {end: round(part, 2) for end, part in kept.items()}
    {20.0: 0.99, 40.0: 0.01, 60.0: 0.0}
    """
    windows = _windows(run, window_s, step_s, before=False)
    work = run.workload
    within_s = _check.number("objective_s", objective_s, least=0) + NANOSECOND
    fair_start_s = fair_reference(work, run.workers, engine=run.engine).fair_start_s
    owed = fair_start_s - work.arrival_s <= within_s
    kept = owed & run.served & (run.start_s - work.arrival_s <= within_s)
    owed_before, kept_before = (_running(column) for column in (owed, kept))
    found = {}
    for start, end in windows:
        first, last = np.searchsorted(work.arrival_s, (start, end)).tolist()
        n = owed_before[last] - owed_before[first]
        found[end] = float((kept_before[last] - kept_before[first]) / n) if n else nan
    return found


def _windows(run: Run, window_s: float, step_s: float, before: bool) -> list[tuple[float, float]]:
    """Return the windows that end at a multiple of the step, with those that begin before 0."""
    if not isinstance(run, Run):
        raise TypeError(f"run must be a Run from simulate(); got {run!r}")
    without_events(run, "a look back")
    window_s = _check.number("window_s", window_s, above=0)
    step_s = _check.number("step_s", step_s, above=0)
    steps = range(1, floor(run.workload.horizon_s / step_s) + 1)
    windows = [(step * step_s - window_s, step * step_s) for step in steps]
    return [(start, end) for start, end in windows if before or start >= 0]


def _running(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(flags)])
