"""The fair reference: an ideal pool that shares itself among all who have work in it.

As `measures.fair_reference`. A tenant's tasks are worked on one after the other, so that one heap
over the tenants with work, by the virtual time at which each one's task ends, is all it takes.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from .columns import Column, Steps, Tasks
from .heaps import sift_down, sift_up


class Fair(NamedTuple):
    """What the ideal pool does; virtual times are in worker-seconds by unit of weight."""

    start_s: Column  # by task
    virtual_s: Column  # by task: the virtual time of its start
    cut_s: Column  # CUTS times, in order
    cut_virtual_s: Column  # the virtual time at each of them


class Fluid(NamedTuple):
    """Memory for `share_fairly`."""

    working: Column  # int64, by tenant: its task in service
    latest: Column  # int64, by tenant: its task that came last
    follower: Column  # int64, by task: its tenant's next one
    ends: Column  # by tenant: virtual time at which its task in service ends
    busy: Column  # int64, heap of the tenants with work, by `ends`
    weights: Column  # two a tenant: a tree of sums, its leaves the weights of those with work


CUTS = 2


def weigh(tenant: int, tenants: int, weight: float, weights: Column) -> None:
    """Put a tenant's weight into the tree, 0 if it has no work: sums that do not drift."""
    node = tenants + tenant
    weights[node] = weight
    while node > 1:
        node //= 2
        weights[node] = weights[2 * node] + weights[2 * node + 1]


def cut_before(then: float, cut: int, now: float, virtual_s: float, pace: float, fair: Fair) -> int:
    """Note the virtual time at the cuts between `now` and `then`; return how many are behind."""
    while cut < CUTS and fair.cut_s[cut] < then:
        fair.cut_virtual_s[cut] = virtual_s + max(fair.cut_s[cut] - now, 0.0) * pace
        cut += 1
    return cut


def share_fairly(
    n: int,
    tenants: int,
    workers: int,
    changes: int,
    tasks: Tasks,
    weight: Column,
    sizes: Steps,
    fair: Fair,
    fluid: Fluid,
) -> int:
    """Fill in `fair.start_s`, `virtual_s` and `cut_virtual_s`; return 0.

    The pool has so many `workers` at first, and `sizes` after each of its `changes`.
    """
    ends, busy, weights = fluid.ends, fluid.busy, fluid.weights
    for node in range(2 * tenants):
        weights[node] = 0.0
    for t in range(tenants):
        fluid.working[t] = -1
    if changes > 0:  # what comes when all workers are gone never starts
        for task in range(n):
            fair.start_s[task], fair.virtual_s[task] = inf, inf
    now, virtual_s, size, cut, change, pool = 0.0, 0.0, 0, 0, 0, workers
    for arriving in range(n + 1):
        until = tasks.arrival_s[arriving] if arriving < n else inf
        while size > 0 or change < changes:
            then = inf
            if size > 0 and pool > 0:
                t = busy[0]
                then = max(now, now + (ends[t] - virtual_s) * weights[1] / pool)
            if change < changes and sizes.from_s[change] <= min(then, until):
                pace = pool / weights[1] if size > 0 else 0.0
                if cut < CUTS:
                    cut = cut_before(sizes.from_s[change], cut, now, virtual_s, pace, fair)
                virtual_s += (sizes.from_s[change] - now) * pace
                now, pool = sizes.from_s[change], sizes.workers[change]
                change += 1
                continue
            if then > until or then == inf:
                break
            t = busy[0]
            if cut < CUTS:
                cut = cut_before(then, cut, now, virtual_s, pool / weights[1], fair)
            now, virtual_s = then, max(virtual_s, ends[t])
            task = fluid.working[t]
            if task != fluid.latest[t]:
                task = fluid.follower[task]
                fluid.working[t] = task
                fair.start_s[task], fair.virtual_s[task] = now, ends[t]
                ends[t] += tasks.cost_s[task] / weight[t]
            else:
                fluid.working[t] = -1
                weigh(t, tenants, 0.0, weights)
                size -= 1
                busy[0] = busy[size]
            if size > 0:
                sift_down(busy, size, 0, ends)
        pace = pool / weights[1] if size > 0 else 0.0
        if cut < CUTS:
            cut = cut_before(until, cut, now, virtual_s, pace, fair)
        if arriving == n:
            break
        virtual_s += (until - now) * pace
        now = until
        t = tasks.tenant[arriving]
        if fluid.working[t] >= 0:
            fluid.follower[fluid.latest[t]] = arriving
        else:
            fluid.working[t] = arriving
            fair.start_s[arriving], fair.virtual_s[arriving] = now, virtual_s
            ends[t] = virtual_s + tasks.cost_s[arriving] / weight[t]
            weigh(t, tenants, weight[t], weights)
            busy[size] = t
            size += 1
            sift_up(busy, size - 1, ends)
        fluid.latest[t] = arriving
    return 0
