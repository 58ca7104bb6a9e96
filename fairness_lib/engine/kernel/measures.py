"""How fair a run was, over a window: as `measures.report`."""

from __future__ import annotations

from math import inf, nan
from typing import NamedTuple

from .columns import ABANDONED, OUTCOMES, SERVED, WAITING, Column, Tasks
from .fair import Fair
from .heaps import sift_down


class Window(NamedTuple):
    """What is measured, and when."""

    workers: float  # in the window, on average
    pool_s: float  # worker-seconds of the pool until the horizon
    horizon_s: float
    from_s: float
    to_s: float
    objective_s: float
    by_work: int  # 1: demand, shares and completions in worker-seconds, 0: in tasks
    backlog: int  # 1: demand includes what fair sharing has not done when the window begins


class Report(NamedTuple):
    """What `measure` finds out; the scalars are indexed by the names below."""

    arrived: Column  # int64, by tenant, in the window, as all of these
    outcomes: Column  # int64, OUTCOMES a tenant: of those that arrived; who left is not there
    demand: Column  # by tenant, tasks or worker-seconds, as completed
    completed: Column  # by tenant
    fair_share_per_s: Column  # by tenant
    x: Column  # by tenant, NaN without demand
    wait_s: Column  # QUANTILES a tenant: p50, p90, p99; NaN if none was served or waits
    owed: Column  # int64, by tenant
    kept: Column  # int64, by tenant
    missed: Column  # int64, OUTCOMES: of all that was owed; late ones count as served; the same
    behind_s: Column  # BEHIND a tenant: p50, p99; NaN if none was served or waits
    fair_work_s: Column  # by tenant
    got_work_s: Column  # by tenant
    scalars: Column


class Scratch(NamedTuple):
    """Memory for `measure`."""

    wait_s: Column  # by task
    late_s: Column  # by task
    first: Column  # int64, one more than tenants: where each one's waits begin
    order: Column  # int64, by tenant
    asked: Column  # by tenant
    sharing: Column  # by tenant


QUANTILES, BEHIND = 3, 2
NANOSECOND = 1e-9
(
    CAPACITY,
    JAIN,
    MIN_X,
    MIN_X_TENANT,
    UNDER_SHARE_P99,
    UTILISATION,
    WINDOW_UTILISATION,
    UTILISATION_WITH_DRAIN,
    BEHIND_P50,
    BEHIND_P99,
    WORST_BEHIND_P99,
    WORST_BEHIND_TENANT,
    SCALARS,
) = range(13)


def select(values: Column, low: int, high: int, q: float) -> float:
    """Return quantile `q` of ``values[low:high]``, as `report.quantile`; NaN if empty.

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
        shares[t] = report.demand[t] / length_s
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


def fair_work(virtual_s: float, start_virtual_s: float, cost_s: float, weight: float) -> float:
    """Return how much of a task fair sharing has done at a virtual time."""
    if virtual_s >= start_virtual_s + cost_s / weight:
        return cost_s
    return min(max((virtual_s - start_virtual_s) * weight, 0.0), cost_s)


def measure(
    n: int,
    tenants: int,
    tasks: Tasks,
    weight: Column,
    start_s: Column,
    left_s: Column,
    outcome: Column,
    window: Window,
    fair: Fair,
    report: Report,
    scratch: Scratch,
) -> int:
    """Fill `report`; return 1 if nothing arrived in the window, 2 if nothing finished, else 0.

    `left_s` says when the clients of abandoned tasks left.
    """
    length_s = window.to_s - window.from_s
    first, waits, late, scalars = scratch.first, scratch.wait_s, scratch.late_s, report.scalars
    for t in range(tenants):
        report.arrived[t], report.owed[t], report.kept[t], first[t] = 0, 0, 0, 0
        report.demand[t], report.completed[t] = 0.0, 0.0
        report.fair_work_s[t], report.got_work_s[t] = 0.0, 0.0
        for reason in range(OUTCOMES):
            report.outcomes[OUTCOMES * t + reason] = 0
    for reason in range(OUTCOMES):
        report.missed[reason] = 0
    first[tenants] = 0
    within_s = window.objective_s + NANOSECOND
    before, after = fair.cut_virtual_s[0], fair.cut_virtual_s[1]
    arrivals, finished = 0, 0
    finished_cost_s, served_cost_s, inside_cost_s = 0.0, 0.0, 0.0
    for task in range(n):
        t, arrival_s, cost_s = tasks.tenant[task], tasks.arrival_s[task], tasks.cost_s[task]
        served = outcome[task] == SERVED
        amount = cost_s if window.by_work == 1 else 1.0
        inside = window.from_s <= arrival_s < window.to_s
        if arrival_s < window.to_s:
            done_s = 0.0
            if arrival_s < window.from_s:
                done_s = fair_work(before, fair.virtual_s[task], cost_s, weight[t])
            share_s = fair_work(after, fair.virtual_s[task], cost_s, weight[t]) - done_s
            report.fair_work_s[t] += share_s
            if window.backlog == 1 and not inside:
                if window.by_work == 1:
                    report.demand[t] += cost_s - done_s
                elif fair.start_s[task] >= window.from_s:
                    report.demand[t] += 1.0
        if inside:
            arrivals += 1
            report.arrived[t] += 1
            report.demand[t] += amount
            if outcome[task] < OUTCOMES:
                report.outcomes[OUTCOMES * t + outcome[task]] += 1
            if served or outcome[task] == WAITING or outcome[task] == ABANDONED:
                first[t + 1] += 1
            if fair.start_s[task] - arrival_s <= within_s:
                report.owed[t] += 1
                if served and start_s[task] - arrival_s <= within_s:
                    report.kept[t] += 1
                elif outcome[task] < OUTCOMES:
                    report.missed[outcome[task]] += 1
        if served:
            begin_s, finish_s = start_s[task], start_s[task] + cost_s
            served_cost_s += cost_s
            inside_cost_s += max(min(finish_s, window.horizon_s) - begin_s, 0.0)
            if begin_s < window.to_s and finish_s > window.from_s:
                got_s = min(finish_s, window.to_s) - max(begin_s, window.from_s)
                report.got_work_s[t] += got_s
            if window.from_s <= finish_s < window.to_s:
                finished += 1
                finished_cost_s += cost_s
                report.completed[t] += amount
    if arrivals == 0 or finished == 0:
        return 1 if arrivals == 0 else 2

    capacity = float(window.workers)
    if window.by_work == 0:
        mean_cost_s = finished_cost_s / finished
        capacity = window.workers / mean_cost_s if mean_cost_s > 0.0 else inf
    share_out(tenants, capacity, weight, length_s, report, scratch)
    least, worst, top, asking = inf, 0, 0.0, 0
    for t in range(tenants):
        report.x[t] = nan
        if report.demand[t] / length_s > 0.0:
            x = report.completed[t] / length_s / report.fair_share_per_s[t]
            report.x[t] = x
            asking += 1
            top = max(top, x)
            if x < least:
                least, worst = x, t
    total, squares = 0.0, 0.0
    for t in range(tenants):
        if report.demand[t] / length_s > 0.0 and top > 0.0:
            x = report.x[t] / top
            total += x
            squares += x * x

    for t in range(tenants):  # waits by tenant: where they begin, then the waits
        first[t + 1] += first[t]
        scratch.order[t] = first[t]
    for task in range(n):
        arrival_s = tasks.arrival_s[task]
        judged = outcome[task] <= WAITING or outcome[task] == ABANDONED
        if judged and window.from_s <= arrival_s < window.to_s:
            t = tasks.tenant[task]
            at = scratch.order[t]
            until_s = start_s[task] if outcome[task] == SERVED else window.horizon_s
            if outcome[task] == ABANDONED:
                until_s = left_s[task]
            waits[at] = until_s - arrival_s
            late[at] = max(until_s - fair.start_s[task], 0.0)
            scratch.order[t] = at + 1
    latest_s, latest = nan, 0
    for t in range(tenants):
        low, high = first[t], first[t + 1]
        report.wait_s[QUANTILES * t] = select(waits, low, high, 0.50)
        report.wait_s[QUANTILES * t + 1] = select(waits, low, high, 0.90)
        report.wait_s[QUANTILES * t + 2] = select(waits, low, high, 0.99)
        report.behind_s[BEHIND * t] = select(late, low, high, 0.50)
        p99_s = select(late, low, high, 0.99)
        report.behind_s[BEHIND * t + 1] = p99_s
        if low < high and not p99_s <= latest_s:
            latest_s, latest = p99_s, t
    scalars[BEHIND_P50] = select(late, 0, first[tenants], 0.50)
    scalars[BEHIND_P99] = select(late, 0, first[tenants], 0.99)
    scalars[WORST_BEHIND_P99], scalars[WORST_BEHIND_TENANT] = latest_s, float(latest)
    kept = 0
    for t in range(tenants):  # then of all within their share, moved to the front
        if report.demand[t] / length_s <= report.fair_share_per_s[t]:
            for at in range(first[t], first[t + 1]):
                waits[kept] = waits[at]
                kept += 1

    got_s = 0.0
    for t in range(tenants):
        got_s += report.got_work_s[t]
    scalars[CAPACITY], scalars[MIN_X], scalars[MIN_X_TENANT] = capacity, least, float(worst)
    scalars[JAIN] = total * total / (asking * squares) if top > 0.0 else 1.0
    scalars[UNDER_SHARE_P99] = select(waits, 0, kept, 0.99)
    scalars[UTILISATION] = inside_cost_s / window.pool_s
    scalars[WINDOW_UTILISATION] = got_s / (window.workers * length_s)
    scalars[UTILISATION_WITH_DRAIN] = served_cost_s / window.pool_s
    return 0


def idle_while_queued(
    queued: int,
    served: int,
    workers: int,
    until_s: float,
    entered_s: Column,
    start_s: Column,
    finish_s: Column,
) -> float:
    """Worker-seconds idle while something was queued, from three columns, each in order.

    `entered_s` holds the `queued` times at which tasks joined a queue, the others the `served`
    times at which tasks started and finished. What is never served is queued until `until_s`.
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
    if i > j and until_s > now:
        idle_s += (until_s - now) * workers
    return idle_s
