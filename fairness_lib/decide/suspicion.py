"""Does a cost contain waiting? Then replaying it counts each queue twice.

A cost that contains waiting is larger in a crowd, when many tasks are in flight; a service time is
not. So costs of tasks that come when it is most crowded are compared with those that come when it
is calmer, within each tenant, so that a tenant of large tasks that comes in a crowd is no evidence.
A correlation over all tasks would overlook it in a log that is calm for most of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._count import count
from ..traffic.workload import Workload

Floats = NDArray[np.float64]
SUSPECT = 0.5
"""From which excess on a cost is taken to contain waiting."""
CROWDED, CALMER = 0.1, 0.5
"""The parts of a tenant's tasks, by the number in flight, that are compared."""
FEW = 30
"""With fewer tasks, of tenants with several, there is no telling."""


def in_flight(arrival_s: Floats, end_s: Floats) -> NDArray[np.int64]:
    """Return how many earlier tasks had not ended when each arrived; in order of arrival."""
    ended = np.searchsorted(np.sort(end_s), arrival_s, side="right")
    here: NDArray[np.int64] = np.maximum(np.arange(len(arrival_s)) - ended, 0)
    return here


def most_at_once(workload: Workload) -> int:
    """Return the most tasks that are in service at once if none ever waits."""
    ends_s = workload.arrival_s + workload.cost_s
    return int(in_flight(workload.arrival_s, ends_s).max()) + 1


def excess(workload: Workload, wait_s: Floats | None = None) -> float:
    """Say how much more often a task costs more in a crowd than less, within tenants.

    Parameters
    ----------
    workload : Workload
        The tasks.
    wait_s : array of float, optional
        Measured waits, which lengthen the time in flight.

    Returns
    -------
    float
        The chance that it costs more less the chance that it costs less (Somers' D), -1 to 1; 0
        where there is too little to say.
    """
    ends_s = workload.arrival_s + workload.cost_s + (0.0 if wait_s is None else wait_s)
    tenant, n = workload.tenant, len(workload.tenants)
    crowd = ranks_within(in_flight(workload.arrival_s, ends_s), tenant, n)
    compared = (crowd >= 0.5 - CROWDED) | (crowd <= CALMER - 0.5)
    compared &= (count(tenant, n) > 2)[tenant]
    if compared.sum() < FEW:
        return 0.0
    who, crowded = tenant[compared], (crowd[compared] > 0).astype(np.float64)
    cost = ranks_within(workload.cost_s[compared], who, n)
    within = crowded - (count(who, n, crowded) / np.maximum(count(who, n), 1))[who]
    spread = float(within @ crowded)
    return 2.0 * float(within @ cost) / spread if spread > 0 else 0.0


def ranks_within(values: NDArray[Any], who: NDArray[np.int64], n: int) -> Floats:
    """Return ranks among a tenant's own values, from -1/2 to 1/2; equal values share one."""
    order = np.lexsort((values, who))
    sorted_values, owner = values[order], who[order]
    number = count(who, n)
    first = np.cumsum(number) - number
    new = np.concatenate(
        [[True], (sorted_values[1:] != sorted_values[:-1]) | (owner[1:] != owner[:-1])]
    )
    edges = np.concatenate([np.flatnonzero(new), [len(values)]])
    middle = ((edges[:-1] + edges[1:]) / 2)[np.cumsum(new) - 1]
    result = np.empty(len(values))
    result[order] = (middle - first[owner]) / number[owner] - 0.5
    return result


def ranks(values: NDArray[Any]) -> Floats:
    """Return ranks, from -1/2 to 1/2; equal values share the mean of theirs."""
    return ranks_within(values, np.zeros(len(values), dtype=np.int64), 1)
