"""How fair a run was, over a window of time.

Two sets of measures stand side by side. `owed`, `kept` and `behind` compare each task with the
fair reference (`measures.fair`): right on any traffic. Shares, `x` and what follows from them are
the article's, rates over the window: right where load is steady over it. Rates are tasks, or
worker-seconds, per second; waits are seconds of queueing before service. What each metric does
not see is said in its own docstring or column description.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .._count import count
from ..engine.simulate import Run
from ..policies.tasks import Outcome
from .fair import fluid_of
from .groups import Groups, by_group, by_label
from .notes import duration, notes_on, percent, unserved
from .tiers import Asked, compiled, ratio, react, readable, waited

if TYPE_CHECKING:
    import pandas as pd

OBJECTIVE_S = 0.050
UNITS = ("tasks", "work")


@dataclass(frozen=True, eq=False)
class FairnessReport:
    """The metrics of one run over one window; made by `measure`.

    Attributes
    ----------
    run : Run
        The run.
    window : tuple of float
        Its start and end in seconds.
    unit : str
        Whether shares count "tasks" or "work", in worker-seconds.
    objective_s : float
        How soon a start is owed, in seconds.
    backlog : bool
        Whether demand includes what fair sharing had not done when the window began.
    owed : int
        Tasks that arrived in the window and that fair sharing would have started within
        `objective_s`: what their tenants may expect of a fair pool. Blind to all other tasks.
    kept : float
        The part of them that did start within `objective_s`; NaN if nothing was owed.
    missed : dict of str to int
        What became of the others: ``late``, ``waiting``, ``abandoned``, or rejected, by reason.
    behind_p50_s, behind_p99_s : float
        Quantiles of how long after its fair start a task of the window really started, in
        seconds; 0 if earlier. What still waits counts up to the horizon, what was abandoned until
        its client left. Blind to rejected tasks.
    worst_behind_p99_s : float
        The largest `behind_p99_s` of any tenant.
    worst_behind_tenant : str
        Whose that is.
    capacity_per_s : float
        Workers over the mean cost of the tasks that finished in the window, in tasks/s; the
        number of workers where work is counted. Of a pool that changes, the mean in the window.
    jain : float
        Jain index of `x` over the tenants with demand. Blind to one starved tenant among many,
        to waiting and to wasted capacity.
    min_x : float
        Smallest `x`: how much of its share the worst-off tenant got. Blind to waiting.
    min_x_tenant : str
        Whose that is.
    under_share_p99_wait_s : float
        99th percentile of the queue wait, in seconds, of tasks arriving in the window from tenants
        whose demand is within their fair share; NaN without such tasks. What still waits counts
        up to the horizon, what was abandoned until its client left. Blind to rejected tasks.
    utilisation : float
        The part of the workers' time up to the horizon that was spent on tasks, at most 1 (a
        little more if workers leave, who finish their tasks first). Blind to who was served, and
        to whether anybody was still there for it: see `wasted_work_s` of the tenants.
    window_utilisation : float
        The same of the window.
    utilisation_with_drain : float
        The article's count: cost of all tasks ever served over ``workers * horizon_s``. What is
        served after the horizon counts too, so it can exceed 1.
    """

    run: Run
    window: tuple[float, float]
    unit: str
    objective_s: float
    backlog: bool
    owed: int
    kept: float
    missed: dict[str, int]
    behind_p50_s: float
    behind_p99_s: float
    worst_behind_p99_s: float
    worst_behind_tenant: str
    capacity_per_s: float
    jain: float
    min_x: float
    min_x_tenant: str
    under_share_p99_wait_s: float
    utilisation: float
    window_utilisation: float
    utilisation_with_drain: float
    _columns: dict[str, NDArray[Any]]

    @property
    def policy(self) -> str:
        """Name of the run's policy."""
        return self.run.policy.name

    @cached_property
    def idle_while_queued_s(self) -> float:
        """Worker-seconds idle while something was queued, over the whole run.

        What is never served is queued until the horizon. 0 for a work-conserving policy. Blind to
        work turned away at the door: a quota that rejects everything leaves nothing queued.
        """
        run = self.run
        if run.idle_while_queued_s is not None:
            return run.idle_while_queued_s
        arrival_s, started = run.workload.arrival_s, run.served
        horizon_s = run.workload.horizon_s
        entered = arrival_s[started | (run.outcome == Outcome.WAITING)]
        start_s, finish_s = run.start_s[started], run.finish_s[started]
        if run.engine == "compiled":
            from ..engine import compiled

            columns = entered, np.sort(start_s), np.sort(finish_s)
            return compiled.idle_while_queued_s(*columns, run.workers, horizon_s)
        last_s = max(horizon_s, *(column.max(initial=0.0) for column in (entered, finish_s)))
        events = [len(entered), len(start_s), len(finish_s), 1]
        queued, busy = np.repeat([1, -1, 0, 0], events), np.repeat([0, 1, -1, 0], events)
        time = np.concatenate([entered, start_s, finish_s, [last_s]])
        order = np.argsort(time, kind="stable")
        length = np.diff(time[order])
        idle = run.workers - np.cumsum(busy[order])[:-1]
        return float((length * idle)[np.cumsum(queued[order])[:-1] > 0].sum())

    def by_tenant(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `tenants`, without the queue's depth, which takes longest."""
        return dict(self._columns)

    @cached_property
    def tenants(self) -> pd.DataFrame:
        """One row per tenant, by name.

        Columns: weight; demand_per_s (what arrives in the window per second, in `unit`);
        fair_share_per_s; completed_per_s; x (completed over fair share, NaN without demand);
        under_share (demand within the fair share); then for the tasks that arrived in the window:
        arrived, admitted, rejected_<reason>, waiting, abandoned, wait_p50_s, wait_p90_s,
        wait_p99_s (of those not rejected), owed, kept (a fraction, NaN if nothing is owed),
        behind_p50_s, behind_p99_s; what was done in the window, in worker-seconds: fair_work_s (by
        the fair reference), got_work_s, got_over_fair, their ratio (NaN where both are 0), and
        wasted_work_s (for clients that had left, not in got_work_s); and the tenant's queue in the
        window: depth_max, depth_mean, in tasks, those included that are to come again.
        """
        import pandas as pd

        names = pd.Index(self.run.workload.tenants, name="tenant")
        frame = pd.DataFrame(self._columns, index=names)
        start, end = self.window
        frame["depth_max"], frame["depth_mean"] = _queue_depth(self.run, start, end)
        return frame

    def by_group(self, groups: Groups) -> pd.DataFrame:
        """Return the measures of groups of tenants, one row per group.

        Parameters
        ----------
        groups : mapping of str to str or iterable of str
            Tenants by name or shell pattern (``small*``) for each group.

        Returns
        -------
        DataFrame
            Columns: tenants (how many); arrived, rejected and owed (tasks); kept; behind_p99_s,
            wait_p50_s and wait_p99_s of all the group's tasks together; got_over_fair.

        Raises
        ------
        ValueError, TypeError
            If a pattern matches no tenant.
        """
        return by_group(self, groups)

    def by_label(self) -> pd.DataFrame:
        """Return the measures of tasks by label, one row a label of the workload.

        Returns
        -------
        DataFrame
            Columns: arrived, rejected and owed (tasks); kept; behind_p99_s, wait_p50_s and
            wait_p99_s of all the label's tasks together. The fair reference shares among tenants:
            it knows no labels.

        Raises
        ------
        ValueError
            If the workload has no labels.
        """
        return by_label(self)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know before trusting the numbers."""
        return tuple(notes_on(self))

    def scalars(self) -> dict[str, float | str]:
        """Return the scalar metrics by name."""
        return {name: getattr(self, name) for name in SCALARS}

    def _repr_html_(self) -> str:
        """Return the report as an HTML table; names are escaped."""
        start, end = self.window
        within = duration(self.objective_s)
        facts = [
            (f"owed a start within {within}", f"{self.owed:,}, kept {percent(self.kept)}"),
            ("p99 behind", duration(self.behind_p99_s)),
            ("worst", f"{duration(self.worst_behind_p99_s)} ({escape(self.worst_behind_tenant)})"),
            ("Jain index", f"{self.jain:.3f}"),
            ("minimum x", f"{self.min_x:.3f} ({escape(self.min_x_tenant)})"),
            ("p99 wait within share", duration(self.under_share_p99_wait_s)),
            ("utilisation", f"{self.utilisation:.3f}"),
            ("idle while queued", f"{self.idle_while_queued_s:.2f} worker-s"),
        ]
        head = "".join(f"<li>{name}: <strong>{value}</strong></li>" for name, value in facts)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        table = self.tenants.to_html(float_format="{:.3f}".format, max_rows=60, border=0)
        return (
            f"<p><strong>{escape(self.policy)}</strong>, {start:g} to {end:g} s</p>"
            f"<ul>{head}</ul>{notes}{table}"
        )

    def __repr__(self) -> str:
        """Return the scalars, and what was not served, on a few lines."""
        start, end = self.window
        owed = f"owed within {duration(self.objective_s)}: {self.owed:,}"
        behind = f"p99 {duration(self.behind_p99_s)}, worst {duration(self.worst_behind_p99_s)}"
        wait = duration(self.under_share_p99_wait_s)
        lines = [
            f"FairnessReport({self.policy}, {start:g} to {end:g} s",
            f"{owed}, kept {percent(self.kept)}",
            f"behind: {behind} ({self.worst_behind_tenant})",
            f"jain {self.jain:.3f}, min_x {self.min_x:.3f} ({self.min_x_tenant})",
            f"within share p99 wait {wait}, utilisation {self.utilisation:.3f}",
            *unserved(self),
        ]
        return "\n  ".join(lines) + ")"


SCALARS = (
    *("policy", "owed", "kept", "behind_p50_s", "behind_p99_s"),
    *("worst_behind_p99_s", "worst_behind_tenant"),
    *("capacity_per_s", "jain", "min_x", "min_x_tenant", "under_share_p99_wait_s"),
    *("utilisation", "window_utilisation", "utilisation_with_drain", "idle_while_queued_s"),
)


def measure(
    run: Run,
    window: tuple[float, float] | None = None,
    *,
    unit: str = "tasks",
    objective_s: float = OBJECTIVE_S,
    backlog: bool = False,
) -> FairnessReport:
    """Measure how fair a run was in a window.

    By the fair reference: a task is *owed* a start within `objective_s` if fair sharing would have
    started it within that time of its arrival, and the promise is *kept* if the policy did; a task
    is *behind* by how much later it started than fair sharing would have started it. See
    `fair_reference` for what that does not see.

    By rates, as the article: demand is what arrives in the window per second. Capacity is the
    workers over the mean cost of the tasks that finish in the window. The fair share is weighted
    max-min of the demands over the capacity; ``x`` is a tenant's completions per second over its
    fair share. Blind to what happens within the window, and noisy where tenants have few tasks.

    Parameters
    ----------
    run : Run
        From `simulate`.
    window : (float, float), optional
        Start and end in seconds, within the workload's horizon; the workload's own ``window_s``
        by default, and all of its time if it has none.
    unit : {"tasks", "work"}
        What demand, shares, completions and `x` count: tasks, or the worker-seconds that they cost,
        of which there are `workers` per second. Count work where tenants' tasks differ in cost.
    objective_s : float
        How soon a start is owed, in seconds, 0 or more.
    backlog : bool
        Whether what fair sharing had not done when the window began counts as demand in it. A
        tenant that went over its share then stays so until its backlog is gone, as managed
        queues have it; by default, as in the article, each window is judged by its own arrivals.

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
    >>> report.owed, report.kept
    (6799, 1.0)
    """
    if not isinstance(run, Run):
        raise TypeError(f"run must be a Run from simulate(); got {run!r}")
    _check.choice("unit", unit, UNITS)
    objective_s = _check.number("objective_s", objective_s, least=0)
    workload = run.workload
    if window is None:
        window = workload.window_s or (0.0, workload.horizon_s)
    window = _check.window("window", window, workload.horizon_s)
    length_s, workers = window[1] - window[0], float(run.workers)
    pool_s = workers * workload.horizon_s
    if run.pool is not None:
        workers = run.pool.work_s(*window) / length_s
        pool_s = run.pool.work_s(0.0, workload.horizon_s)
        if workers == 0:
            raise ValueError(f"window must hold workers; the pool has none from {window!r}")
    asked = Asked(*window, objective_s, unit == "work", bool(backlog), workers, pool_s)
    fluid = fluid_of(workload, run.pool or run.workers, window, run.engine)
    plain = workload.width is None  # the kernel's measures are of tasks for one worker
    found = (compiled if run.engine == "compiled" and plain else readable)(run, asked, fluid)
    columns = found["_columns"]
    found["owed"], kept = int(columns["owed"].sum()), int(columns["kept"].sum())
    found["kept"] = kept / found["owed"] if found["owed"] else nan
    columns["kept"] = ratio(columns["kept"], columns["owed"])
    columns["got_over_fair"] = ratio(columns["got_work_s"], columns["fair_work_s"])
    react(found, run, asked, fluid)
    return FairnessReport(
        run=run, window=window, unit=unit, objective_s=objective_s, backlog=backlog, **found
    )


def _queue_depth(
    run: Run, start: float, end: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Largest and mean number of tasks queued in the window, by tenant."""
    workload, n = run.workload, len(run.workload.tenants)
    admitted, left_s = waited(run)
    left_s = np.where(run.outcome == Outcome.WAITING, np.inf, left_s)
    inside = (left_s > np.maximum(workload.arrival_s, start)) & (workload.arrival_s < end)
    queued = admitted & inside
    tenant = workload.tenant[queued]
    entered = np.maximum(workload.arrival_s[queued], start)
    left = np.minimum(left_s[queued], end)
    mean = count(tenant, n, left - entered) / (end - start)

    who = np.concatenate([tenant, tenant])
    change = np.repeat([1, -1], len(tenant))
    order = np.lexsort((change, np.concatenate([entered, left]), who))
    depth = np.cumsum(change[order])  # each tenant's changes add up to 0
    largest = np.zeros(n, dtype=np.int64)
    np.maximum.at(largest, who[order], depth)
    return largest, mean
