"""Noisy neighbours last: first come first served, but whoever has too much in flight steps back."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapreplace

from .. import _check
from .queues import RankedQueues
from .tasks import Tasks

LAST = 2.0**52
"""Added to the rank of a noisy tenant's task: behind every task of the quiet ones."""


@dataclass(kw_only=True)
class NoisyNeighboursLast(RankedQueues):
    """The oldest task of a quiet tenant, else the oldest of a noisy one (managed queues' rule).

    A tenant becomes noisy when it has at least `least` tasks in flight and at least the part
    `share` of all that are; it is quiet again when its queue has drained and it is below both.
    No cost is known or needed, and no rate is set.

    Parameters
    ----------
    share : float
        Part of all tasks in flight, above 0 and at most 1.
    least : int
        Tasks in flight below which nobody is noisy. A pool smaller than this has no noisy tenants.
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    """

    share: float = 0.1
    least: int = 30

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.number("share", self.share, above=0, most=1)
        _check.whole("least", self.least)

    def begin(self, tasks: Tasks) -> None:
        """Start with everybody quiet."""
        super().begin(tasks)
        self._noisy = [False] * len(tasks.tenants)
        self._running = [0] * len(tasks.tenants)
        self._in_flight = 0

    def rank(self, task: int, tenant: int, now: float) -> float:
        """Return the order of arrival, later for the noisy."""
        return task + LAST * self._noisy[tenant]

    def take(self, now: float) -> int | None:
        """Give the oldest task of a quiet tenant, else of a noisy one."""
        while self._heads:
            rank, task = self._heads[0]
            if rank >= LAST or not self._noisy[self._tenant[task]]:
                break
            heapreplace(self._heads, (task + LAST, task))
        return super().take(now)

    def taken(self, task: int, tenant: int, rank: float, now: float) -> None:
        """See whether this makes its tenant noisy."""
        self._in_flight += 1
        self._running[tenant] += 1
        if self._too_many(tenant):
            self._noisy[tenant] = True

    def finished(self, task: int, cost_s: float, now: float) -> None:
        """See whether its tenant is quiet again."""
        tenant = self._tenant[task]
        self._in_flight -= 1
        self._running[tenant] -= 1
        if not self._queues[tenant] and not self._too_many(tenant):
            self._noisy[tenant] = False

    def _too_many(self, tenant: int) -> bool:
        running = self._running[tenant]
        return running >= self.least and running >= self.share * self._in_flight
