"""How many workers: given, fitted to measured waits, or a row of pools where nothing says.

A pool cannot be read off costs and arrivals: the same log could come of many pools. Measured waits
can tell, if the log's own order of service is replayed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np

from ..measures.statistics import quantile
from ..policies.policy import Policy
from ..traffic.traces import Trace
from ..traffic.workload import Workload
from .situation import run
from .suspicion import most_at_once, ranks

POOLS = 6
"""Pools in a row."""


@dataclass(frozen=True)
class Residual:
    """How a replay on the fitted pool compares with the waits that the trace measured."""

    workers: int
    policy: str
    measured_mean_s: float
    replayed_mean_s: float
    measured_p50_s: float
    replayed_p50_s: float
    measured_p99_s: float
    replayed_p99_s: float
    rank_correlation: float
    mean_error_s: float
    """Mean of the absolute difference, task by task."""


def mean_busy(workload: Workload) -> float:
    """Return how many workers are busy on average over the observed time."""
    return float(workload.cost_s.sum()) / workload.horizon_s


def row_of(workload: Workload) -> list[int]:
    """Return pools from the mean number of busy workers to the most that are ever needed."""
    least, most = max(1, ceil(mean_busy(workload))), most_at_once(workload)
    row = np.geomspace(least, max(most, least), POOLS).round().astype(int)
    return sorted({int(workers) for workers in row})


def fewest(enough: Callable[[int], bool], most: int) -> int | None:
    """Return the fewest workers that are enough, by bisection; None if `most` are not."""
    if not enough(most):
        return None
    least = 0  # not enough
    while most - least > 1:
        middle = (least + most) // 2
        if enough(middle):
            most = middle
        else:
            least = middle
    return most


def job_waits_s(trace: Trace, policy: Policy, workers: int) -> tuple[np.ndarray, np.ndarray]:
    """Return measured and replayed waits, by row of the trace; a job waits for its last part."""
    assert trace.wait_s is not None
    one = run(trace.workload, policy, workers)
    replayed_s, measured_s = one.wait_s, trace.wait_s
    if trace.job is not None:
        first = trace.first_parts
        replayed_s, measured_s = np.maximum.reduceat(replayed_s, first), measured_s[first]
    served = np.isfinite(replayed_s)
    return measured_s[served], replayed_s[served]


def fit(trace: Trace, policy: Policy) -> Residual:
    """Find the pool on which a policy's mean wait is nearest to the measured one.

    Raises
    ------
    ValueError
        If the trace has no measured waits.
    """
    if trace.wait_s is None:
        raise ValueError(
            "workers cannot be fitted: the trace has no measured waits (--wait COLUMN, or columns "
            "for arrival and start); give --workers"
        )
    means: dict[int, tuple[float, float]] = {}

    def mean_s(workers: int) -> tuple[float, float]:
        if workers not in means:
            measured, replayed = job_waits_s(trace, policy, workers)
            means[workers] = float(measured.mean()), float(replayed.mean())
        return means[workers]

    def waits_less(workers: int) -> bool:
        measured_s, replayed_s = mean_s(workers)
        return replayed_s <= measured_s

    most = most_at_once(trace.workload)
    workers = fewest(waits_less, most) or most
    near = [number for number in (workers - 1, workers) if number]
    workers = min(near, key=lambda number: abs(mean_s(number)[0] - mean_s(number)[1]))
    return residual(trace, policy, workers)


def residual(trace: Trace, policy: Policy, workers: int) -> Residual:
    """Hold a replay against the measured waits."""
    measured, replayed = job_waits_s(trace, policy, workers)
    together = np.corrcoef(ranks(measured), ranks(replayed))[0, 1] if np.ptp(measured) else np.nan
    ours, theirs = np.sort(replayed), np.sort(measured)
    return Residual(
        workers,
        policy.name,
        measured_mean_s=float(measured.mean()),
        replayed_mean_s=float(replayed.mean()),
        measured_p50_s=quantile(theirs, 0.5),
        replayed_p50_s=quantile(ours, 0.5),
        measured_p99_s=quantile(theirs, 0.99),
        replayed_p99_s=quantile(ours, 0.99),
        rank_correlation=float(together) if np.ptp(replayed) else float("nan"),
        mean_error_s=float(np.abs(measured - replayed).mean()),
    )
