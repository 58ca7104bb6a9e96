"""First in, first out: one queue for all."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import inf

from .. import _check
from .tasks import Outcome, Tasks


@dataclass
class Fifo:
    """One queue for all, first in first out.

    Parameters
    ----------
    cap : int or None
        Most tasks that may wait; None for no limit.
    """

    cap: int | None = 2000

    def __post_init__(self) -> None:
        if self.cap is not None:
            _check.whole("cap", self.cap)

    def begin(self, tasks: Tasks) -> None:
        """Start with an empty queue."""
        self._queue: deque[int] = deque()
        self._limit = inf if self.cap is None else self.cap
        self._estimate_s = tasks.estimate_s

    def put(self, task: int, now: float) -> Outcome | None:
        """Append the task, or reject it if the queue is full."""
        if len(self._queue) >= self._limit:
            return Outcome.QUEUE_FULL
        self._queue.append(task)
        return None

    def take(self, now: float) -> int | None:
        """Give the task that has waited longest."""
        return self._queue.popleft() if self._queue else None

    def abandoned(self, task: int, now: float) -> None:
        """Take a task out of the queue; found at once if it has waited longest."""
        self._queue.remove(task)

    def retry_after_s(self, task: int, now: float, workers: int) -> float:
        """Return how long the queue is expected to last, if its tasks cost what this one does."""
        return len(self._queue) * self._estimate_s[task] / workers
