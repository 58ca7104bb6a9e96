"""What `measure` finds out."""

from __future__ import annotations

from math import inf, nan
from typing import NamedTuple

from .columns import OUTCOMES, SERVED, Column, Tasks
from .heaps import sift_down


class Window(NamedTuple):
    """What is measured, and when."""

    workers: int
    horizon_s: float
    from_s: float
    to_s: float
    by_arrival: int  # 1: x counts what arrived in the window, 0: what finished in it


class Report(NamedTuple):
    """What `measure` finds out; the scalars are indexed by the names below."""

    arrived: Column  # int64, by tenant, in the window, as all of these
    completed: Column  # int64, by tenant
    outcomes: Column  # int64, OUTCOMES a tenant: of those that arrived
    fair_share_per_s: Column  # by tenant
    x: Column  # by tenant, NaN without demand
    wait_s: Column  # QUANTILES a tenant: p50, p90, p99; NaN if none was served
    scalars: Column


class Scratch(NamedTuple):
    """Memory for `measure`."""

    wait_s: Column  # by task
    first: Column  # int64, one more than tenants: where each one's waits begin
    order: Column  # int64, by tenant
    asked: Column  # by tenant
    sharing: Column  # by tenant


QUANTILES = 3
CAPACITY, JAIN, MIN_X, MIN_X_TENANT, UNDER_SHARE_P99, UTILISATION, FINISHED, SCALARS = range(8)


def select(values: Column, low: int, high: int, q: float) -> float:
    """Return quantile `q` of ``values[low:high]``, as `metrics.quantile`; NaN if empty.

    Reorders the values (Hoare's quickselect).
    """
    if low == high:
        return nan
    k, high = low + int(q * (high - low - 1)), high - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])


def share_out(
    tenants: int,
    capacity: float,
    weight: Column,
    length_s: float,
    report: Report,
    scratch: Scratch,
) -> None:
    """Weighted max-min fair shares of the demands, as `allocation.max_min_fair`."""
    shares, asked, order = report.fair_share_per_s, scratch.asked, scratch.order
    for t in range(tenants):
        shares[t] = report.arrived[t] / length_s
        asked[t] = shares[t] / weight[t]
        order[t] = t
    for at in range(tenants // 2 - 1, -1, -1):
        sift_down(order, tenants, at, asked)
    for size in range(tenants - 1, 0, -1):  # heap sort: the largest comes first
        order[0], order[size] = order[size], order[0]
        sift_down(order, size, 0, asked)
    total = 0.0
    for at in range(tenants):
        total += weight[order[at]]
        scratch.sharing[at] = total
    before = 0.0
    for at in range(tenants - 1, -1, -1):
        t = order[at]
        level = (capacity - before) / scratch.sharing[at]
        if asked[t] > level:
            for rest in range(at + 1):
                shares[order[rest]] = max(level, 0.0) * weight[order[rest]]
            break
        before += shares[t]


def measure(
    n: int,
    tenants: int,
    tasks: Tasks,
    weight: Column,
    start_s: Column,
    outcome: Column,
    window: Window,
    report: Report,
    scratch: Scratch,
) -> int:
    """Fill `report`; return 1 if nothing arrived in the window, 2 if nothing finished, else 0."""
    length_s = window.to_s - window.from_s
    first, waits, scalars = scratch.first, scratch.wait_s, report.scalars
    for t in range(tenants):
        report.arrived[t], report.completed[t], first[t] = 0, 0, 0
        for reason in range(OUTCOMES):
            report.outcomes[OUTCOMES * t + reason] = 0
    first[tenants] = 0
    arrivals, finished, finished_cost_s, served_cost_s = 0, 0, 0.0, 0.0
    for task in range(n):
        t = tasks.tenant[task]
        served = outcome[task] == SERVED
        inside = window.from_s <= tasks.arrival_s[task] < window.to_s
        if inside:
            arrivals += 1
            report.arrived[t] += 1
            report.outcomes[OUTCOMES * t + outcome[task]] += 1
        if served:
            cost_s = tasks.cost_s[task]
            served_cost_s += cost_s
            if inside:
                first[t + 1] += 1
                report.completed[t] += window.by_arrival
            if window.from_s <= start_s[task] + cost_s < window.to_s:
                finished += 1
                finished_cost_s += cost_s
                report.completed[t] += 1 - window.by_arrival
    if arrivals == 0 or finished == 0:
        return 1 if arrivals == 0 else 2

    mean_cost_s = finished_cost_s / finished
    capacity = window.workers / mean_cost_s if mean_cost_s > 0.0 else inf
    share_out(tenants, capacity, weight, length_s, report, scratch)
    least, worst, top, asking = inf, 0, 0.0, 0
    for t in range(tenants):
        report.x[t] = nan
        if report.arrived[t] > 0:
            x = report.completed[t] / length_s / report.fair_share_per_s[t]
            report.x[t] = x
            asking += 1
            top = max(top, x)
            if x < least:
                least, worst = x, t
    total, squares = 0.0, 0.0
    for t in range(tenants):
        if report.arrived[t] > 0 and top > 0.0:
            x = report.x[t] / top
            total += x
            squares += x * x

    for t in range(tenants):  # waits by tenant: where they begin, then the waits
        first[t + 1] += first[t]
        scratch.order[t] = first[t]
    for task in range(n):
        if outcome[task] == SERVED and window.from_s <= tasks.arrival_s[task] < window.to_s:
            t = tasks.tenant[task]
            waits[scratch.order[t]] = start_s[task] - tasks.arrival_s[task]
            scratch.order[t] += 1
    for t in range(tenants):
        report.wait_s[QUANTILES * t] = select(waits, first[t], first[t + 1], 0.50)
        report.wait_s[QUANTILES * t + 1] = select(waits, first[t], first[t + 1], 0.90)
        report.wait_s[QUANTILES * t + 2] = select(waits, first[t], first[t + 1], 0.99)
    kept = 0
    for t in range(tenants):  # then of all within their share, moved to the front
        if report.arrived[t] / length_s <= report.fair_share_per_s[t]:
            for at in range(first[t], first[t + 1]):
                waits[kept] = waits[at]
                kept += 1

    scalars[CAPACITY], scalars[MIN_X], scalars[MIN_X_TENANT] = capacity, least, float(worst)
    scalars[JAIN] = total * total / (asking * squares) if top > 0.0 else 1.0
    scalars[UNDER_SHARE_P99] = select(waits, 0, kept, 0.99)
    scalars[UTILISATION] = served_cost_s / (window.workers * window.horizon_s)
    scalars[FINISHED] = float(finished)
    return 0


def idle_while_queued(
    queued: int,
    served: int,
    workers: int,
    entered_s: Column,
    start_s: Column,
    finish_s: Column,
) -> float:
    """Worker-seconds idle while something was queued, from three columns, each in order.

    `entered_s` holds the `queued` times at which tasks joined a queue, the others the `served`
    times at which tasks started and finished.
    """
    idle_s, now, i, j, k = 0.0, 0.0, 0, 0, 0
    while i < queued or j < served or k < served:
        then = inf
        if i < queued:
            then = min(then, entered_s[i])
        if j < served:
            then = min(then, start_s[j])
        if k < served:
            then = min(then, finish_s[k])
        if i > j:
            idle_s += (then - now) * (workers - (j - k))
        now = then
        while i < queued and entered_s[i] == now:
            i += 1
        while j < served and start_s[j] == now:
            j += 1
        while k < served and finish_s[k] == now:
            k += 1
    return idle_s
