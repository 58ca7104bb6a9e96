"""Round robin by count: a task from each tenant in turn, whatever it costs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from .queues import TenantQueues
from .tasks import Tasks


@dataclass(kw_only=True)
class RoundRobin(TenantQueues):
    """One task of each backlogged tenant in turn (Nagle 1987).

    It needs no estimate, and is fair by count: a tenant whose tasks cost ten times as much gets
    ten times the work.

    Parameters
    ----------
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    """

    def begin(self, tasks: Tasks) -> None:
        """Start with nobody in the ring."""
        super().begin(tasks)
        self._ring: deque[int] = deque()  # the backlogged tenants; the first has its turn

    def came_first(self, task: int, tenant: int, now: float) -> None:
        """Let a tenant's turn come after all others'."""
        self._ring.append(tenant)

    def left_first(self, task: int, tenant: int, now: float) -> None:
        """Let a tenant whose queue is empty leave the ring."""
        if not self._queues[tenant]:
            self._ring.remove(tenant)

    def take(self, now: float) -> int | None:
        """Give the head of the tenant whose turn it is."""
        if not self._ring:
            return None
        tenant = self._ring.popleft()
        task = self._queues[tenant].popleft()
        if self._queues[tenant]:
            self._ring.append(tenant)
        return task
