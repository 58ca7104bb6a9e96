"""Does a cost contain waiting? Then replaying it counts each queue twice.

A cost that contains waiting grows with the number of tasks in flight when its task comes; a service
time does not. So costs are ranked against that number (Spearman), within each tenant, so that a
tenant of large tasks that comes in a crowd is no evidence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._count import count
from ..traffic.workload import Workload

Floats = NDArray[np.float64]
SUSPECT = 0.7
"""From which correlation on a cost is taken to contain waiting."""
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


def correlation(workload: Workload, wait_s: Floats | None = None) -> float:
    """Return the rank correlation of costs with tasks in flight, within tenants.

    Parameters
    ----------
    workload : Workload
        The tasks.
    wait_s : array of float, optional
        Measured waits, which lengthen the time in flight.

    Returns
    -------
    float
        -1 to 1; 0 where there is too little to say.
    """
    ends_s = workload.arrival_s + workload.cost_s + (0.0 if wait_s is None else wait_s)
    tenant, n = workload.tenant, len(workload.tenants)
    several = (count(tenant, n) > 2)[tenant]
    if several.sum() < FEW:
        return 0.0
    crowd, cost = (
        ranks(values)[several]
        for values in (in_flight(workload.arrival_s, ends_s), workload.cost_s)
    )
    who = tenant[several]
    own = np.maximum(count(who, n), 1)
    crowd, cost = (rank - (count(who, n, rank) / own)[who] for rank in (crowd, cost))
    spread = float(np.sqrt((crowd @ crowd) * (cost @ cost)))
    return float(crowd @ cost) / spread if spread else 0.0


def ranks(values: NDArray[np.generic]) -> Floats:
    """Return ranks from 1; equal values share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    first = np.concatenate([[True], sorted_values[1:] != sorted_values[:-1]])
    group = np.cumsum(first) - 1
    edges = np.concatenate([np.flatnonzero(first), [len(values)]])
    middle = (edges[:-1] + edges[1:] + 1) / 2
    result = np.empty(len(values))
    result[order] = middle[group]
    return result
