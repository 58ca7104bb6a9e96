"""What to set, by the rules of the book: a quantum from the costs, a cap from a deadline.

A quota has no rule: it is a contract, and cannot be read off a log.
"""

from __future__ import annotations

from math import floor, sqrt

import numpy as np

from .._count import count
from ..traffic.workload import Workload
from .situation import Situation

SPREAD = 6.0
"""A full queue of B tasks takes up to ``B + SPREAD * sqrt(B)`` mean costs, as costs vary."""


def quantum_of(workload: Workload) -> float:
    """Return the mean cost: the least quantum with which a visit serves a task on average."""
    return max(float(workload.cost_s.mean()), 1e-6)


def active(situation: Situation) -> int:
    """Return how many tenants are in the episode with most waiting; all, if there is none."""
    workload, k = situation.workload, len(situation.episodes)
    if not k:
        return len(workload.tenants)
    within = situation.episode >= 0
    waited_s = count(situation.episode[within], k, situation.queued.wait_s[within])
    return len(np.unique(workload.tenant[situation.episode == int(np.argmax(waited_s))]))


def cap_of(situation: Situation, deadline_s: float) -> int:
    """Return the largest cap of a tenant's queue whose last task still starts by a deadline.

    It counts on an equal share of the pool among the tenants of the worst episode.

    Returns
    -------
    int
        0 if not even one task can be promised that.
    """
    rate_per_s = situation.workers / active(situation) / quantum_of(situation.workload)
    root = (-SPREAD + sqrt(SPREAD**2 + 4 * deadline_s * rate_per_s)) / 2
    return floor(root**2)
