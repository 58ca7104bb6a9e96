"""What many disciplines share: a queue for every tenant, and an order among their heads."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, heapreplace
from math import inf

from .. import _check
from .tasks import Outcome, Tasks


@dataclass(kw_only=True)
class TenantQueues:
    """A queue for every tenant; who is next is for a subclass to say.

    Parameters
    ----------
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    """

    cap: int | None = 200

    def __post_init__(self) -> None:
        if self.cap is not None:
            _check.whole("cap", self.cap)

    def begin(self, tasks: Tasks) -> None:
        """Start with empty queues."""
        self._tenant = tasks.tenant
        self._limit = inf if self.cap is None else self.cap
        self._queues: list[deque[int]] = [deque() for _ in tasks.tenants]
        self._estimate_s = tasks.estimate_s
        self._inverse_share = tasks.inverse_shares()

    def put(self, task: int, now: float) -> Outcome | None:
        """Append the task to its tenant's queue, or reject it if that is full."""
        queue = self._queues[self._tenant[task]]
        if len(queue) >= self._limit:
            return Outcome.QUEUE_FULL
        queue.append(task)
        if len(queue) == 1:
            self.came_first(task, self._tenant[task], now)
        return None

    def came_first(self, task: int, tenant: int, now: float) -> None:
        """Take note of a task that is alone in its queue."""
        raise NotImplementedError

    def abandoned(self, task: int, now: float) -> None:
        """Take a task out of its queue."""
        tenant = self._tenant[task]
        queue = self._queues[tenant]
        first = queue[0] == task
        queue.remove(task)
        if first:
            self.left_first(task, tenant, now)

    def left_first(self, task: int, tenant: int, now: float) -> None:
        """Take note of a head that has left, and of the next one in its queue, if there is one."""
        raise NotImplementedError

    def retry_after_s(self, task: int, now: float, workers: int) -> float:
        """Return how long the tenant's queue is expected to last, if all tenants are backlogged.

        That is at its guaranteed rate, and if its tasks cost what this one does.
        """
        tenant = self._tenant[task]
        queued_s = len(self._queues[tenant]) * self._estimate_s[task]
        return queued_s * self._inverse_share[tenant] / workers


@dataclass(kw_only=True)
class RankedQueues(TenantQueues):
    """Of the queues' heads the one of least rank is next; ties go to the task that came first."""

    def begin(self, tasks: Tasks) -> None:
        """Start with empty queues."""
        super().begin(tasks)
        self._heads: list[tuple[float, int]] = []  # (rank, task), a heap

    def came_first(self, task: int, tenant: int, now: float) -> None:
        """Rank a new head."""
        self._enter(task, tenant, now)

    def left_first(self, task: int, tenant: int, now: float) -> None:
        """Rank the next head in place of the one that has left."""
        self._heads = [head for head in self._heads if head[1] != task]
        heapify(self._heads)
        if self._queues[tenant]:
            self._enter(self._queues[tenant][0], tenant, now)

    def _enter(self, task: int, tenant: int, now: float) -> None:
        heappush(self._heads, (self.rank(task, tenant, now), task))

    def take(self, now: float) -> int | None:
        """Give the head of least rank."""
        if not self._heads:
            return None
        rank, task = self._heads[0]
        tenant = self._tenant[task]
        queue = self._queues[tenant]
        queue.popleft()
        self.taken(task, tenant, rank, now)
        if queue:
            heapreplace(self._heads, (self.rank(queue[0], tenant, now), queue[0]))
        else:
            heappop(self._heads)
        return task

    def rank(self, task: int, tenant: int, now: float) -> float:
        """Return the rank of a task that comes to the head of its queue."""
        raise NotImplementedError

    def taken(self, task: int, tenant: int, rank: float, now: float) -> None:
        """Take note of a task that is served from now on."""
