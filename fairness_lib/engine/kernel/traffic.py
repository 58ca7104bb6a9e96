"""Drawing a scenario's tasks."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from .columns import Column, Tasks
from .heaps import sift_down
from .streams import ARRIVALS, COSTS, exponential, open_stream, uniform

EXPONENTIAL, DETERMINISTIC, BIMODAL = 0, 1, 2


class Sources(NamedTuple):
    """What each tenant sends; its rate is constant over pieces ``first[t]`` to ``first[t+1]``."""

    key: Column  # uint64, streams.tenant_key
    first: Column  # int64, one more than tenants
    kind: Column  # int64, of its costs
    cost_s: Column  # the mean, or the short cost
    long_s: Column
    long_share: Column
    from_s: Column  # these three by piece
    to_s: Column
    rate_per_s: Column


class Draws(NamedTuple):
    """Where each tenant's traffic has got to."""

    arrivals: Column  # uint64, four words per tenant
    costs: Column  # the same
    unit: Column  # its last arrival on the unit-rate axis
    mass: Column  # where its piece begins on that axis
    piece: Column  # int64
    next_s: Column  # its next arrival
    heap: Column  # int64, tenants by their next arrival


def next_arrival(tenant: int, sources: Sources, draws: Draws) -> float:
    """Draw a tenant's next arrival in seconds; inf when there is none."""
    piece, mass = draws.piece[tenant], draws.mass[tenant]
    end = mass + sources.rate_per_s[piece] * (sources.to_s[piece] - sources.from_s[piece])
    unit = draws.unit[tenant] + exponential(draws.arrivals, tenant)
    while unit >= end:
        piece, mass = piece + 1, end
        if piece == sources.first[tenant + 1]:
            return inf
        end = mass + sources.rate_per_s[piece] * (sources.to_s[piece] - sources.from_s[piece])
    draws.piece[tenant], draws.mass[tenant], draws.unit[tenant] = piece, mass, unit
    time = sources.from_s[piece] + (unit - mass) / sources.rate_per_s[piece]
    return float(min(time, sources.to_s[piece]))


def next_cost(tenant: int, sources: Sources, draws: Draws) -> float:
    """Draw the cost of a tenant's next task in worker-seconds."""
    kind, cost_s = sources.kind[tenant], sources.cost_s[tenant]
    if kind == EXPONENTIAL:
        return float(exponential(draws.costs, tenant) * cost_s)
    if kind == BIMODAL and uniform(draws.costs, tenant) < sources.long_share[tenant]:
        return float(sources.long_s[tenant])
    return float(cost_s)


def generate(
    seed: Any,
    tenants: int,
    sources: Sources,
    draws: Draws,
    room: int,
    arrival_s: Column,
    tenant: Column,
    cost_s: Column,
) -> int:
    """Draw a scenario's tasks in order of arrival; return how many, or -1 if `room` is too small.

    `seed` is a uint64. Ties go by tenant.
    """
    size = 0
    for t in range(tenants):
        open_stream(draws.arrivals, t, sources.key[t], seed, ARRIVALS)
        open_stream(draws.costs, t, sources.key[t], seed, COSTS)
        draws.piece[t], draws.mass[t], draws.unit[t] = sources.first[t], 0.0, 0.0
        draws.next_s[t] = next_arrival(t, sources, draws)
        if draws.next_s[t] < inf:
            draws.heap[size] = t
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        sift_down(draws.heap, size, at, draws.next_s)
    n = 0
    while size > 0:
        if n == room:
            return -1
        t = draws.heap[0]
        arrival_s[n], tenant[n] = draws.next_s[t], t
        cost_s[n] = next_cost(t, sources, draws)
        n += 1
        draws.next_s[t] = next_arrival(t, sources, draws)
        if draws.next_s[t] == inf:
            size -= 1
            draws.heap[0] = draws.heap[size]
        if size > 0:
            sift_down(draws.heap, size, 0, draws.next_s)
    return n


def merge(n: int, m: int, some: Tasks, others: Tasks, whole: Tasks) -> int:
    """Put `n` tasks and `m` of other tenants into one order, as `generate` has it; return n + m."""
    i, j = 0, 0
    while i < n or j < m:
        if i == n:
            first = False
        elif j == m or some.arrival_s[i] < others.arrival_s[j]:
            first = True
        else:
            tied = some.arrival_s[i] == others.arrival_s[j]
            first = tied and some.tenant[i] < others.tenant[j]
        at = i + j
        if first:
            whole.arrival_s[at], whole.tenant[at] = some.arrival_s[i], some.tenant[i]
            whole.cost_s[at] = some.cost_s[i]
            i += 1
        else:
            whole.arrival_s[at], whole.tenant[at] = others.arrival_s[j], others.tenant[j]
            whole.cost_s[at] = others.cost_s[j]
            j += 1
    return n + m
