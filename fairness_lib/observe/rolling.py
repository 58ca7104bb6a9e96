"""The metrics of one window, from the tasks that a monitor remembers.

The formulas are those of `measures.report`, in the same order of operations, so that
the numbers of a settled window are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from .._count import count
from ..measures.allocation import max_min_fair
from ..measures.statistics import jain_index, quantile, total
from .task_log import FINISHED, GONE, STARTED, WAITING, Columns
from .window import WindowReport


def fairness_of(
    tasks: Columns,
    request: Mapping[int, Hashable],
    names: Sequence[str],
    weight: NDArray[np.float64],
    *,
    workers: int,
    window: tuple[float, float],
    now: float,
    mean_cost_s: float,
) -> tuple[WindowReport, float]:
    """Return a window's report, and the mean cost in worker-seconds that it went by.

    Parameters
    ----------
    tasks
        The columns of a `TaskLog`.
    request
        The request of each row that has one.
    names, weight
        Tenants and their entitlements.
    workers
        Size of the pool.
    window
        Start and end in seconds.
    now
        The time until which things are known, in seconds.
    mean_cost_s
        What to go by if nothing finished in the window; NaN if that is unknown too.
    """
    (start, end), n = window, len(names)
    length = end - start
    tenant, state = tasks.tenant, tasks.state
    inside = (tasks.arrival_s >= start) & (tasks.arrival_s < end)
    with np.errstate(invalid="ignore"):
        done = (tasks.finish_s >= start) & (tasks.finish_s < end)
    asked = inside & (tasks.is_demand == 1)
    asked[_repeats(inside, tenant, request)] = False

    attempts = count(tenant[inside], n) / length
    turned_away = count(tenant[inside & (state == GONE)], n) / length
    demand = count(tenant[asked], n) / length
    completed = count(tenant[done], n) / length
    if done.any():
        mean_cost_s = total(tasks.cost_s[done]) / int(done.sum())
    known = not np.isnan(mean_cost_s)
    capacity = workers / mean_cost_s if mean_cost_s > 0 else inf
    share = max_min_fair(demand, capacity, weight)
    asking = demand > 0
    x = np.full(n, nan)
    x[asking] = completed[asking] / share[asking]
    worst = int(np.nanargmin(x)) if asking.any() else None

    under = (demand <= share)[tenant]
    served = (state == STARTED) | (state == FINISHED)
    waits = np.sort((tasks.start_s - tasks.arrival_s)[inside & served & under])
    waiting = (state == WAITING) & (tasks.arrival_s < end)
    age = now - tasks.arrival_s
    open_under = waiting & inside & under
    so_far = np.sort(np.concatenate([waits, age[waiting & under]]))
    at_most = np.concatenate([waits, np.full(int(open_under.sum()), inf)])
    keep = np.flatnonzero(asking)
    report = WindowReport(
        window=window,
        tenants=tuple(names[i] for i in keep.tolist()),
        attempts_per_s=attempts[keep],
        admitted_per_s=(attempts - turned_away)[keep],
        demand_per_s=demand[keep],
        fair_share_per_s=share[keep],
        completed_per_s=completed[keep],
        x=x[keep],
        capacity_per_s=capacity if known else nan,
        jain=jain_index(x[asking]) if worst is not None else nan,
        min_x=float(x[worst]) if worst is not None else nan,
        min_x_tenant=names[worst] if worst is not None else "",
        under_share_p99_wait_s=quantile(waits, 0.99),
        under_share_p99_so_far_s=quantile(so_far, 0.99),
        under_share_p99_at_most_s=quantile(at_most, 0.99),
        waiting=int((waiting & inside).sum()),
        waiting_under_share=int(open_under.sum()),
        overdue=int((waiting & (tasks.arrival_s < start)).sum()),
        oldest_wait_s=float(age[waiting].max()) if waiting.any() else 0.0,
    )
    return report, mean_cost_s


def _repeats(
    inside: NDArray[np.bool_], tenant: NDArray[np.int64], request: Mapping[int, Hashable]
) -> list[int]:
    """Return the rows in the window whose request has another row before them there."""
    seen: set[tuple[int, Hashable]] = set()
    repeats = []
    for row, what in request.items():
        if inside[row]:
            key = (int(tenant[row]), what)
            if key in seen:
                repeats.append(row)
            seen.add(key)
    return repeats
