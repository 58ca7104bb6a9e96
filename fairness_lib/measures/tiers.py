"""The figures of a report, from either tier: the same bits."""

from __future__ import annotations

from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._count import count
from ..engine.simulate import Run
from ..policies.tasks import REJECTED, Outcome
from ..traffic.workload import Workload
from .allocation import max_min_fair
from .fair import Fluid, fair_work_s
from .statistics import jain_index, quantile, total

NANOSECOND = 1e-9
"""So much later is still in time: sums of times in floating point are that exact."""
QUANTILES = {"wait_p50_s": 0.50, "wait_p90_s": 0.90, "wait_p99_s": 0.99}
TENANT_COLUMNS = (
    *("weight", "demand_per_s", "fair_share_per_s", "completed_per_s", "x", "under_share"),
    *("arrived", "admitted", *(f"rejected_{reason.label}" for reason in REJECTED), "waiting"),
    "abandoned",
    *(*QUANTILES, "owed", "kept", "behind_p50_s", "behind_p99_s"),
    *("fair_work_s", "got_work_s", "got_over_fair", "wasted_work_s"),
)
"""What a report holds of each tenant, in this order."""


class Asked(NamedTuple):
    """What is to be measured."""

    start: float
    end: float
    objective_s: float
    by_work: bool
    backlog: bool
    workers: float  # in the window, on average
    pool_s: float  # worker-seconds of the pool until the horizon


NO_ARRIVALS = "window must hold arrivals; none came from {:g} to {:g} s"
NO_COMPLETIONS = "window must hold completions; none came from {:g} to {:g} s"


def readable(run: Run, asked: Asked, fluid: Fluid) -> dict[str, Any]:
    """Return the fields of a report; ``kept`` by tenant is still a number of tasks."""
    workload, served, (start, end) = run.workload, run.served, asked[:2]
    n, length, horizon_s = len(workload.tenants), end - start, workload.horizon_s
    tenant, arrival_s, cost_s = workload.tenant, workload.arrival_s, workload.cost_s

    arrived = (arrival_s >= start) & (arrival_s < end)
    with np.errstate(invalid="ignore"):
        finished = (run.finish_s >= start) & (run.finish_s < end)
    if not arrived.any():
        raise ValueError(NO_ARRIVALS.format(start, end))
    if not finished.any():
        raise ValueError(NO_COMPLETIONS.format(start, end))

    amount = cost_s if asked.by_work else np.ones(len(workload))
    wanted = np.where(arrived, amount, 0.0)
    if asked.backlog:
        undone = cost_s - fluid.served_s(workload, 0) if asked.by_work else fluid.start_s >= start
        wanted = np.where(arrival_s < start, undone, wanted)
    demand = count(tenant, n, wanted) / length
    completed = count(tenant[finished], n, amount[finished]) / length
    mean_cost_s = total(cost_s[finished]) / int(finished.sum())
    capacity = asked.workers / mean_cost_s if mean_cost_s > 0 else inf
    if asked.by_work:
        capacity = asked.workers
    share = max_min_fair(demand, capacity, workload.weight)
    asking = demand > 0
    x = np.full(n, nan)
    x[asking] = completed[asking] / share[asking]
    worst = int(np.nanargmin(x)) if asking.any() else 0
    under = demand <= share

    judged, until_s = waited(run)
    judged = judged & arrived
    waits = _by_tenant(run, judged, until_s - arrival_s)
    behind = _by_tenant(run, judged, np.maximum(until_s - fluid.start_s, 0.0))
    behind_p50_s, behind_p99_s = (np.array([quantile(b, q) for b in behind]) for q in (0.5, 0.99))
    latest = int(np.nanargmax(behind_p99_s)) if judged.any() else 0
    all_behind = np.sort(np.concatenate(behind))
    within_s = asked.objective_s + NANOSECOND
    owed = arrived & (fluid.start_s - arrival_s <= within_s)
    with np.errstate(invalid="ignore"):
        kept = owed & served & (run.start_s - arrival_s <= within_s)
        in_time_s = np.minimum(run.finish_s, horizon_s) - run.start_s
        got_s = np.minimum(run.finish_s, end) - np.maximum(run.start_s, start)
        at_work = (run.start_s < end) & (run.finish_s > start)
    if workload.width is not None:
        in_time_s, got_s = in_time_s * workload.width, got_s * workload.width
    got_work_s = count(tenant[at_work], n, got_s[at_work])
    key = tenant[arrived] * len(Outcome) + run.outcome[arrived]
    missed = count(run.outcome[owed & ~kept], len(Outcome))
    return {
        "missed": _missed(missed),
        "behind_p50_s": quantile(all_behind, 0.50),
        "behind_p99_s": quantile(all_behind, 0.99),
        "worst_behind_p99_s": float(behind_p99_s[latest]),
        "worst_behind_tenant": workload.tenants[latest],
        "capacity_per_s": capacity,
        "jain": jain_index(x[asking]) if asking.any() else 1.0,
        "min_x": float(x[worst]) if asking.any() else inf,
        "min_x_tenant": workload.tenants[worst],
        "under_share_p99_wait_s": quantile(
            np.sort((until_s - arrival_s)[judged & under[tenant]]), 0.99
        ),
        "utilisation": total(np.maximum(in_time_s[served], 0.0)) / asked.pool_s,
        "window_utilisation": total(got_work_s) / (asked.workers * length),
        "utilisation_with_drain": total(cost_s[served]) / asked.pool_s,
        "_columns": _columns(
            workload,
            (demand, share, completed, x),
            (count(tenant[arrived], n), count(key, n * len(Outcome)).reshape(n, len(Outcome))),
            np.array([[quantile(w, q) for q in QUANTILES.values()] for w in waits]),
            (count(tenant[owed], n), count(tenant[kept], n)),
            (behind_p50_s, behind_p99_s),
            (fair_work_s(workload, fluid), got_work_s),
        ),
    }


def compiled(run: Run, asked: Asked, fluid: Fluid) -> dict[str, Any]:
    """Return the same, bit for bit, from the kernel."""
    from ..engine import compiled as tier
    from ..engine import kernel

    workload, length = run.workload, asked.end - asked.start
    window = kernel.Window(
        asked.workers,
        asked.pool_s,
        workload.horizon_s,
        *asked[:3],
        by_work=int(asked.by_work),
        backlog=int(asked.backlog),
    )
    left_s = run.answer_s if (run.outcome == Outcome.ABANDONED).any() else run.start_s
    columns = run.start_s, left_s, run.outcome
    wrong, seen = tier.measure(workload, *columns, window, kernel.Fair(*fluid))
    if wrong:
        raise ValueError((NO_ARRIVALS, NO_COMPLETIONS)[wrong - 1].format(*asked[:2]))
    scalars = seen.scalars.tolist()
    behind_s = seen.behind_s.reshape(-1, kernel.BEHIND)
    return {
        "missed": _missed(seen.missed),
        "behind_p50_s": scalars[kernel.BEHIND_P50],
        "behind_p99_s": scalars[kernel.BEHIND_P99],
        "worst_behind_p99_s": scalars[kernel.WORST_BEHIND_P99],
        "worst_behind_tenant": workload.tenants[int(scalars[kernel.WORST_BEHIND_TENANT])],
        "capacity_per_s": scalars[kernel.CAPACITY],
        "jain": scalars[kernel.JAIN],
        "min_x": scalars[kernel.MIN_X],
        "min_x_tenant": workload.tenants[int(scalars[kernel.MIN_X_TENANT])],
        "under_share_p99_wait_s": scalars[kernel.UNDER_SHARE_P99],
        "utilisation": scalars[kernel.UTILISATION],
        "window_utilisation": scalars[kernel.WINDOW_UTILISATION],
        "utilisation_with_drain": scalars[kernel.UTILISATION_WITH_DRAIN],
        "_columns": _columns(
            workload,
            (seen.demand / length, seen.fair_share_per_s, seen.completed / length, seen.x),
            (seen.arrived, seen.outcomes.reshape(-1, kernel.OUTCOMES)),
            seen.wait_s.reshape(-1, len(QUANTILES)),
            (seen.owed, seen.kept),
            (behind_s[:, 0], behind_s[:, 1]),
            (seen.fair_work_s, seen.got_work_s),
        ),
    }


def _columns(
    workload: Workload,
    rates: tuple[NDArray[np.float64], ...],
    fates: tuple[NDArray[np.int64], NDArray[np.int64]],
    wait_s: NDArray[np.float64],
    promises: tuple[NDArray[np.int64], ...],
    behind_s: tuple[NDArray[np.float64], ...],
    work_s: tuple[NDArray[np.float64], ...],
) -> dict[str, NDArray[Any]]:
    """Put what both tiers find into columns, in the order of `FairnessReport.tenants`."""
    demand, share, completed, x = rates
    arrived, outcomes = fates
    return {
        "weight": workload.weight,
        "demand_per_s": demand,
        "fair_share_per_s": share,
        "completed_per_s": completed,
        "x": x,
        "under_share": demand <= share,
        "arrived": arrived,
        "admitted": arrived - outcomes[:, REJECTED].sum(axis=1),
        **{f"rejected_{reason.label}": outcomes[:, reason] for reason in REJECTED},
        "waiting": outcomes[:, Outcome.WAITING],
        **dict(zip(QUANTILES, wait_s.T, strict=True)),
        **dict(zip(("owed", "kept"), promises, strict=True)),
        **dict(zip(("behind_p50_s", "behind_p99_s"), behind_s, strict=True)),
        **dict(zip(("fair_work_s", "got_work_s"), work_s, strict=True)),
    }


def _missed(outcomes: NDArray[np.int64]) -> dict[str, int]:
    """Name what became of what was owed and not kept: what was served came late."""
    labels = ("late" if o == Outcome.SERVED else o.label for o in Outcome)
    return dict(zip(labels, outcomes.tolist(), strict=False))


def waited(run: Run) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which tasks were not rejected, and until when each waited.

    Until its start; until the horizon if it still waits; until its client left.
    """
    served, abandoned = run.served, run.outcome == Outcome.ABANDONED
    until_s = np.where(served, run.start_s, run.workload.horizon_s)
    if abandoned.any():
        until_s = np.where(abandoned, run.answer_s, until_s)
    return served | abandoned | (run.outcome == Outcome.WAITING), until_s


def react(found: dict[str, Any], run: Run, asked: Asked, fluid: Fluid) -> None:
    """Add what became of tasks whose clients left, and of the workers' time for them."""
    workload, columns, n = run.workload, found["_columns"], len(run.workload.tenants)
    arrival_s, left = workload.arrival_s, run.outcome == Outcome.ABANDONED
    left &= (arrival_s >= asked.start) & (arrival_s < asked.end)
    columns["abandoned"] = count(workload.tenant[left], n)
    owed = left & (fluid.start_s - arrival_s <= asked.objective_s + NANOSECOND)
    found["missed"]["abandoned"] = int(owed.sum())
    task, start_s, finish_s = run.wasted
    width = 1 if workload.width is None else workload.width[task]
    inside_s = np.minimum(finish_s, asked.end) - np.maximum(start_s, asked.start)
    inside_s = np.maximum(inside_s, 0.0) * width
    columns["wasted_work_s"] = count(workload.tenant[task], n, inside_s)
    in_time_s = np.maximum(np.minimum(finish_s, workload.horizon_s) - start_s, 0.0) * width
    found["utilisation"] += total(in_time_s) / asked.pool_s
    found["window_utilisation"] += total(inside_s) / (asked.workers * (asked.end - asked.start))
    found["utilisation_with_drain"] += total((finish_s - start_s) * width) / asked.pool_s
    found["_columns"] = {name: columns[name] for name in TENANT_COLUMNS if name in columns}


def ratio(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Divide; NaN where there is nothing of either, infinite where only the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(part / whole, dtype=np.float64)


def _by_tenant(
    run: Run, chosen: NDArray[np.bool_], values: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return the values of the chosen tasks, sorted, one array per tenant."""
    tenant, value = run.workload.tenant[chosen], values[chosen]
    order = np.lexsort((value, tenant))
    edges = np.searchsorted(tenant[order], np.arange(1, len(run.workload.tenants)))
    return np.split(value[order], edges)
