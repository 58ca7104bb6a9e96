"""In-flight limit: a stage before any discipline that holds a tenant's further tasks back.

A task is in flight from when the discipline gets it until its service ends, so that no more of a
tenant's tasks are ever at work than its limit says, whatever the discipline does. Unlike a quota it
turns nobody away until its own queue is full, and it leaves workers idle if nobody else comes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from .. import _check
from .discipline import Discipline
from .tasks import Outcome, Tasks, for_name, has

DELEGATED = ("wake_at", "fruitless_visits")
UNLIMITED = 2**53


@dataclass
class InFlight:
    """Let a discipline have at most so many tasks of a tenant at a time, and hold back the others.

    Parameters
    ----------
    discipline : Discipline
        Gets the tasks that are let through, and says who is next.
    limit : int or mapping of str to int
        Most tasks of a tenant in flight, 1 or more: for each of them, or by name or shell pattern
        (``small*``), a tenant's own name first. Others have no limit.
    cap : int or None
        Most tasks of a tenant that are held back; more are rejected. None for no limit.

    Examples
    --------
    Of three tasks of `a` one is at work at a time, though there are two workers.

    >>> from fairness_lib import Fifo, Policy, Workload, simulate
    >>> w = Workload(["a"], [0.0, 0.0, 0.0], [0, 0, 0], [1.0, 1.0, 1.0], horizon_s=1)
    >>> simulate(w, Policy("limited", InFlight(Fifo(), 1)), workers=2).start_s.tolist()
    [0.0, 1.0, 2.0]
    """

    discipline: Discipline
    limit: int | Mapping[str, int]
    cap: int | None = None

    def __post_init__(self) -> None:
        has("discipline", self.discipline, "begin", "put", "take")
        if isinstance(self.limit, Mapping):
            self.limit = _check.by_name("limit", self.limit, "whole numbers")
            for name, limit in self.limit.items():
                _check.whole(f"limit[{name!r}]", limit)
        else:
            _check.whole("limit", self.limit)
        if self.cap is not None:
            _check.whole("cap", self.cap)

    def limits(self, tasks: Tasks) -> list[int]:
        """Return each tenant's limit."""
        if not isinstance(self.limit, Mapping):
            return [min(self.limit, UNLIMITED)] * len(tasks.tenants)
        limits = (for_name("limit", self.limit, name, UNLIMITED) for name in tasks.tenants)
        return [min(limit, UNLIMITED) for limit in limits]

    def begin(self, tasks: Tasks) -> None:
        """Start with nothing in flight."""
        self._inner: Any = copy(self.discipline)
        self._inner.begin(tasks)
        self._tasks, self._limit = tasks, self.limits(tasks)
        n = len(tasks.tenants)
        self._in_flight = [0] * n
        self._held: list[deque[int]] = [deque() for _ in range(n)]
        self._ready: deque[int] = deque()  # tenants that may have a task to be let through
        self._is_ready = [False] * n
        self._stale: dict[int, int] = {}  # entries of clients that left, in a discipline that keeps

    def put(self, task: int, now: float) -> Outcome | None:
        """Let the task through, or hold it back, or reject it."""
        tenant = self._tasks.tenant[task]
        held = self._held[tenant]
        if not held and self._in_flight[tenant] < self._limit[tenant]:
            reason: Outcome | None = self._inner.put(task, now)
            self._in_flight[tenant] += reason is None
            return reason
        if self.cap is not None and len(held) >= self.cap:
            return Outcome.QUEUE_FULL
        held.append(task)
        return None

    def take(self, now: float) -> int | None:
        """Let through what may be, and give what the discipline gives."""
        ready = self._ready
        while ready:
            tenant = ready[0]
            held = self._held[tenant]
            if held and self._in_flight[tenant] < self._limit[tenant]:
                if self._inner.put(held[0], now) is not None:
                    break  # the discipline's own queue is full
                held.popleft()
                self._in_flight[tenant] += 1
                ready.rotate(-1)
            else:
                ready.popleft()
                self._is_ready[tenant] = False
        task: int | None = self._inner.take(now)
        while task is not None and self._stale.get(task):
            self._stale[task] -= 1
            task = self._inner.take(now)
        return task

    def finished(self, task: int, cost_s: float, now: float) -> None:
        """Let the tenant's next task through."""
        self._one_less(self._tasks.tenant[task])
        if hasattr(self._inner, "finished"):
            self._inner.finished(task, cost_s, now)

    def abandoned(self, task: int, now: float) -> None:
        """Forget a task, held back or let through."""
        tenant = self._tasks.tenant[task]
        if task in self._held[tenant]:
            self._held[tenant].remove(task)
            return
        if hasattr(self._inner, "abandoned"):
            self._inner.abandoned(task, now)
        else:
            self._stale[task] = self._stale.get(task, 0) + 1
        self._one_less(tenant)

    def retry_after_s(self, task: int, now: float, workers: int) -> float:
        """Return how long what is held back is expected to last, or what the discipline says."""
        tenant = self._tasks.tenant[task]
        ahead = len(self._held[tenant])
        if ahead:
            return ahead * self._tasks.estimate_s[task] / min(self._limit[tenant], workers)
        told = getattr(self._inner, "retry_after_s", None)
        return 0.0 if told is None else float(told(task, now, workers))

    def _one_less(self, tenant: int) -> None:
        self._in_flight[tenant] -= 1
        if self._held[tenant] and not self._is_ready[tenant]:
            self._ready.append(tenant)
            self._is_ready[tenant] = True

    def __getattr__(self, name: str) -> Any:
        """Have what the discipline has."""
        if name in DELEGATED:
            return getattr(self.__dict__.get("_inner", self.__dict__.get("discipline")), name)
        raise AttributeError(name)
