"""The records that the kernel's functions share."""

from __future__ import annotations

from typing import Any, NamedTuple

Column = Any  # float64 unless said otherwise
SERVED, WAITING, QUEUE_FULL, QUOTA, OUTCOMES = 0, 1, 2, 3, 4  # as in tasks.Outcome


class Tasks(NamedTuple):
    """The tasks in order of arrival."""

    arrival_s: Column
    tenant: Column  # int64
    cost_s: Column
    estimate_s: Column


class Rules(NamedTuple):
    """A policy and its pool."""

    workers: int
    cap: int  # most tasks that wait in one queue
    by_tenant: int  # 1: a queue a tenant, deficit round robin; 0: one queue, first in first out
    limited: int  # 1: a token bucket a tenant
    quantum_s: Column  # these three by tenant
    rate_per_s: Column
    burst: Column


class State(NamedTuple):
    """Queues as linked lists, the ring of backlogged tenants, buckets, and the pool."""

    head: Column  # int64, by queue: its first task
    tail: Column  # int64, by queue: its last task
    length: Column  # int64, by queue
    behind: Column  # int64, by task: the next one in its queue
    left_s: Column  # by tenant, as in policies.drr.Flow
    visits: Column  # int64, by tenant
    after: Column  # int64, by tenant: the next one in the ring
    ring: Column  # int64: RING_LAST, RING_SIZE, FRUITLESS
    full_s: Column  # by tenant, as in policies.admission.TokenBucket, the next one too
    taken: Column
    finish_s: Column  # by worker
    pool: Column  # int64: busy workers by their finish, then the idle ones


RING_LAST, RING_SIZE, FRUITLESS = 0, 1, 2
