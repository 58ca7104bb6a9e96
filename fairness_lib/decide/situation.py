"""What a trace asks of a pool, before any policy: who is owed what, and when there is contention.

Everything here is fixed by the trace, the pool and the objective, so that all policies are judged
by the same groups and in the same episodes.

A task is *contended* if it would wait in one queue for all, without a cap: it comes when all
workers are busy, and whom to serve before it is the policy's choice. An *episode* is a stretch of
time in which something waits so; breaks shorter than a mean cost are none. A tenant is *within its
share* if fair sharing would start at least `WITHIN` of its contended work by the objective, and
*beyond its share* otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .._count import count
from ..engine import compiled
from ..engine.simulate import Run, simulate
from ..measures.fair import fair_reference
from ..policies.policy import Policy, fifo
from ..traffic.workload import Workload

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
WITHIN = 0.9
"""The part of its contended work that fair sharing starts in time for a tenant within its share."""
WORTH_COMPILING = 20_000
"""Tasks from which on a dozen runs are sooner done compiled."""


@dataclass(frozen=True, eq=False)
class Situation:
    """A trace on a pool.

    Parameters
    ----------
    workload : Workload
        The tasks.
    workers : int
        Size of the pool.
    objective_s : float
        How soon a start is owed, in seconds.
    window_s : (float, float), optional
        Only tasks that arrive in it are judged, in seconds.
    """

    workload: Workload
    workers: int
    objective_s: float
    window_s: tuple[float, float] | None = None

    @cached_property
    def queued(self) -> Run:
        """The run with one queue for all and no cap."""
        return run(self.workload, fifo(cap=None), self.workers)

    @cached_property
    def fair_start_s(self) -> Floats:
        """When fair sharing would start each task."""
        worth = len(self.workload) >= WORTH_COMPILING and compiled.installed()
        engine = "compiled" if worth else "auto"
        return fair_reference(self.workload, self.workers, engine=engine).fair_start_s

    @cached_property
    def in_time(self) -> Mask:
        """Tasks that fair sharing would start within the objective of their arrival."""
        return self.fair_start_s - self.workload.arrival_s <= self.objective_s

    @cached_property
    def judged(self) -> Mask:
        """Tasks that arrive in the window."""
        arrival_s = self.workload.arrival_s
        if self.window_s is None:
            return np.ones(len(arrival_s), dtype=bool)
        start, end = self.window_s
        return (arrival_s >= start) & (arrival_s < end)

    @cached_property
    def episodes(self) -> NDArray[np.float64]:
        """Start and end of each episode in seconds, shape (episodes, 2)."""
        waited = self.queued.wait_s > 0
        arrival_s, start_s = self.workload.arrival_s[waited], self.queued.start_s[waited]
        if not len(arrival_s):
            return np.empty((0, 2))
        gap_s = float(self.workload.cost_s.mean())
        first = np.concatenate(
            [[True], arrival_s[1:] > np.maximum.accumulate(start_s)[:-1] + gap_s]
        )
        begins = np.flatnonzero(first)
        ends = np.concatenate([begins[1:], [len(arrival_s)]]) - 1
        latest_s = np.maximum.accumulate(start_s)
        return np.column_stack([arrival_s[begins], latest_s[ends]])

    @cached_property
    def episode(self) -> NDArray[np.int64]:
        """The episode that each task arrived in; -1 for none."""
        if not len(self.episodes):
            return np.full(len(self.workload), -1)
        place = np.searchsorted(self.episodes[:, 0], self.workload.arrival_s, side="right") - 1
        within = self.workload.arrival_s < self.episodes[place, 1]
        return np.where((place >= 0) & within, place, -1)

    @cached_property
    def contended(self) -> Mask:
        """Judged tasks that wait in one queue."""
        contended: Mask = self.judged & (self.queued.wait_s > 0)
        return contended

    @cached_property
    def owed(self) -> Mask:
        """Contended tasks that are owed a start within the objective."""
        return self.contended & self.in_time

    @property
    def waited(self) -> float:
        """The part of the judged tasks that wait in one queue."""
        return float(self.contended.sum() / max(self.judged.sum(), 1))

    @property
    def queue_time(self) -> float:
        """The part of the observed time in which something waits."""
        waits = self.queued.wait_s > 0
        arrival_s, start_s = self.workload.arrival_s[waits], self.queued.start_s[waits]
        latest_s = (
            np.concatenate([[0.0], np.maximum.accumulate(start_s)[:-1]]) if waits.any() else 0
        )
        end_s = max(self.workload.horizon_s, float(start_s.max(initial=0.0)))
        return float(np.maximum(start_s - np.maximum(arrival_s, latest_s), 0.0).sum()) / end_s

    @cached_property
    def beyond(self) -> Mask:
        """Tenants beyond their share, by contended work."""
        workload, n = self.workload, len(self.workload.tenants)
        tenant, cost_s = workload.tenant[self.contended], workload.cost_s[self.contended]
        late = ~self.in_time[self.contended]
        work_s = count(tenant, n, cost_s)
        late_s = count(tenant[late], n, cost_s[late])
        return late_s > (1 - WITHIN) * work_s

    @cached_property
    def present(self) -> Mask:
        """Tenants with contended tasks."""
        return count(self.workload.tenant[self.contended], len(self.workload.tenants)) > 0

    @cached_property
    def from_within(self) -> Mask:
        """Contended tasks of tenants within their share."""
        return self.contended & ~self.beyond[self.workload.tenant]

    @cached_property
    def from_beyond(self) -> Mask:
        """Contended tasks of tenants beyond their share."""
        return self.contended & self.beyond[self.workload.tenant]


def run(workload: Workload, policy: Policy, workers: int) -> Run:
    """Run a workload in the tier that is sooner done; the result is the same."""
    worth = len(workload) >= WORTH_COMPILING and compiled.obstacle(policy, workload) is None
    return simulate(workload, policy, workers, engine="compiled" if worth else "auto")


def loaded(workload: Workload, load: float) -> Workload:
    """Return the same tasks so many times as fast; costs stay."""
    return Workload(
        workload.tenants,
        workload.arrival_s / load,
        workload.tenant,
        workload.cost_s,
        workload.horizon_s / load,
        workload.weight,
        width=workload.width,
    )
