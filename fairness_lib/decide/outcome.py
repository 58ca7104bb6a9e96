"""What a policy makes of a situation: kept of what is owed, waits by group, who pays."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from .._count import count
from ..engine.simulate import Run
from ..measures.statistics import quantile
from ..policies.policy import Policy
from ..policies.tasks import REJECTED
from .situation import Mask, Situation, run

DAY_S = 86_400.0
BLOCKS = 20
MANY_DAYS = 7
CHANGED = 0.1
"""A tenant's mean wait has changed if by more than this part of it, and of the objective."""


@dataclass(frozen=True)
class Waits:
    """Waits of a group's contended tasks, in seconds; of those not rejected."""

    tasks: int
    mean_s: float
    p50_s: float
    p99_s: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """A policy in a situation.

    Attributes
    ----------
    policy : str
        Its name.
    owed, kept : array of float, shape (blocks,)
        Owed tasks, and those of them that started in time, by block of time.
    within, beyond : Waits
        Of tenants within and beyond their share.
    behind_p99_s : float
        How far contended tasks start after their fair start, 99th percentile.
    rejected : int
        Rejected tasks, of all judged.
    rejected_work_s : float
        Their work in worker-seconds.
    rejected_within : int
        Those of tenants within their share.
    """

    policy: str
    run: Run
    owed: NDArray[np.float64]
    kept: NDArray[np.float64]
    started_in_time: Mask
    within: Waits
    beyond: Waits
    behind_p99_s: float
    rejected: int
    rejected_work_s: float
    rejected_within: int

    @property
    def kept_part(self) -> float:
        """Kept of what is owed; NaN if nothing is."""
        owed = self.owed.sum()
        return float(self.kept.sum() / owed) if owed else nan


def outcome(situation: Situation, policy: Policy) -> Outcome:
    """Run a policy in a situation and judge it."""
    workload = situation.workload
    one = run(workload, policy, situation.workers)
    wait_s = np.where(one.served, one.wait_s, np.inf)  # what is never served is never in time
    started = wait_s <= situation.objective_s
    block, blocks, _ = blocks_of(situation)
    rejected = np.isin(one.outcome, REJECTED)
    turned_away = rejected & situation.judged
    behind_s = np.sort(
        np.maximum(one.start_s - situation.fair_start_s, 0.0)[situation.contended & one.served]
    )
    return Outcome(
        policy.name,
        one,
        owed=count(block[situation.owed], blocks).astype(np.float64),
        kept=count(block[situation.owed & started], blocks).astype(np.float64),
        started_in_time=started,
        within=waits(one, situation.from_within & ~rejected, wait_s),
        beyond=waits(one, situation.from_beyond & ~rejected, wait_s),
        behind_p99_s=quantile(behind_s, 0.99),
        rejected=int(turned_away.sum()),
        rejected_work_s=float(workload.cost_s[turned_away].sum()),
        rejected_within=int((turned_away & situation.from_within).sum()),
    )


def waits(one: Run, tasks: Mask, wait_s: NDArray[np.float64]) -> Waits:
    """Return the waits of some tasks."""
    chosen = np.sort(wait_s[tasks])
    mean_s = float(chosen.mean()) if len(chosen) else nan
    return Waits(len(chosen), mean_s, quantile(chosen, 0.50), quantile(chosen, 0.99))


def blocks_of(situation: Situation) -> tuple[NDArray[np.int64], int, float]:
    """Return each task's block of time, how many there are, and their length in seconds.

    Days if there are at least `MANY_DAYS`, otherwise `BLOCKS` equal parts of the observed time: the
    replicates over which a difference is resampled.
    """
    horizon_s = situation.workload.horizon_s
    days = horizon_s / DAY_S
    length_s = DAY_S if days >= MANY_DAYS else horizon_s / BLOCKS
    block = (situation.workload.arrival_s / length_s).astype(np.int64)
    blocks = int(np.ceil(horizon_s / length_s))
    return np.minimum(block, blocks - 1), blocks, length_s


def who_pays(situation: Situation, now: Outcome, then: Outcome) -> dict[str, dict[str, float]]:
    """Count tenants with contended tasks whose mean wait gets better, worse, or stays the same.

    Returns
    -------
    dict
        By ``better``, ``worse`` and ``same``: how many tenants, and their part of the contended
        tasks. Rejected tasks count in neither wait.
    """
    tenant, n = situation.workload.tenant, len(situation.workload.tenants)
    before_s, after_s = (mean_wait_s(situation, one) for one in (now, then))
    known = situation.present & np.isfinite(before_s) & np.isfinite(after_s)
    by = np.maximum(CHANGED * before_s, CHANGED * situation.objective_s)
    change = np.where(after_s < before_s - by, -1, np.where(after_s > before_s + by, 1, 0))
    tasks = count(tenant[situation.contended], n)
    return {
        word: {
            "tenants": int((known & (change == sign)).sum()),
            "tasks": float(tasks[known & (change == sign)].sum() / max(tasks.sum(), 1)),
        }
        for word, sign in (("better", -1), ("worse", 1), ("same", 0))
    }


def mean_wait_s(situation: Situation, one: Outcome) -> NDArray[np.float64]:
    """Return each tenant's mean wait over its contended tasks that were served."""
    served = situation.contended & one.run.served
    tenant, n = situation.workload.tenant[served], len(situation.workload.tenants)
    tasks = count(tenant, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_s: NDArray[np.float64] = count(tenant, n, one.run.wait_s[served]) / tasks
    return mean_s
