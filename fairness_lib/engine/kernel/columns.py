"""The records that the kernel's functions share."""

from __future__ import annotations

from typing import Any, NamedTuple

Column = Any  # float64 unless said otherwise
SERVED, WAITING, QUEUE_FULL, QUOTA, ABANDONED = 0, 1, 2, 3, 4  # as in tasks.Outcome
OUTCOMES = 4  # those that a run can have whose clients never leave


class Tasks(NamedTuple):
    """The tasks in order of arrival."""

    arrival_s: Column
    tenant: Column  # int64
    cost_s: Column
    estimate_s: Column


class Buckets(NamedTuple):
    """A token bucket a tenant, as policies.admission.TokenBucket."""

    rate_per_s: Column
    burst: Column
    full_s: Column
    taken: Column


class Pool(NamedTuple):
    """The workers."""

    finish_s: Column  # by worker
    order: Column  # int64: busy workers by their finish, then the idle ones


class Steps(NamedTuple):
    """The size of a pool that changes."""

    from_s: Column
    workers: Column  # int64
