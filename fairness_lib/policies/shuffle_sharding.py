"""Shuffle-sharded fair queueing: a fixed number of queues, and a hand of them for every tenant."""

from __future__ import annotations

from bisect import bisect
from collections import deque
from dataclasses import dataclass
from math import inf, perm

from .. import _check
from ..traffic.streams import splitmix64, tenant_key
from .tasks import Outcome, Tasks

MOST_HANDS = 2**60


@dataclass(kw_only=True)
class ShuffleShardedFairQueueing:
    """Fair queueing over few queues (Kubernetes' API Priority and Fairness).

    A tenant's name is hashed to a hand of queues; a task joins the shortest one of the hand. The
    queues, not the tenants, share fairly by start tags: a queue is charged a guess when its head
    is served, and the guess is put right at the finish. The state does not grow with the tenants;
    the price is that some may share all their queues with a loud one (`crowded_out`), and that a
    loud tenant has as many turns as its hand has queues.

    Parameters
    ----------
    queues : int
        How many queues there are.
    hand : int
        How many of them a tenant may use, at most `queues`.
    cap : int or None
        Most tasks that may wait in one queue; None for no limit.
    guess_s : float or None
        Worker-seconds charged at the start; None for the task's estimate.
    seed : int
        Another seed deals other hands.
    """

    queues: int = 64
    hand: int = 8
    cap: int | None = 50
    guess_s: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        _check.whole("queues", self.queues)
        _check.whole("hand", self.hand)
        if self.hand > self.queues:
            raise ValueError(f"hand must be at most queues, {self.queues}; got {self.hand}")
        if perm(self.queues, self.hand) > MOST_HANDS:
            raise ValueError(
                "hand must be so small that a 64-bit hash can choose it, "
                f"at most 2**60 hands in order; got {self.hand} of {self.queues}"
            )
        if self.cap is not None:
            _check.whole("cap", self.cap)
        if self.guess_s is not None:
            _check.number("guess_s", self.guess_s, least=0)
        _check.seed("seed", self.seed)

    def deal(self, name: str) -> list[int]:
        """Return the queues of the tenant of this name, in the order in which they were dealt."""
        word = splitmix64(tenant_key(name) ^ splitmix64(self.seed))
        hand: list[int] = []
        taken: list[int] = []  # the same, sorted
        for i in range(self.hand):
            word, card = divmod(word, self.queues - i)
            for other in taken:
                card += other <= card
            taken.insert(bisect(taken, card), card)
            hand.append(card)
        return hand

    def begin(self, tasks: Tasks) -> None:
        """Deal the hands; start with empty queues at virtual time 0."""
        self._tenant, self._estimate_s = tasks.tenant, tasks.estimate_s
        self._limit = inf if self.cap is None else self.cap
        self._hands = [self.deal(name) for name in tasks.tenants]
        self._queues: list[deque[int]] = [deque() for _ in range(self.queues)]
        self._next_s = [0.0] * self.queues  # start tag of each queue's next task
        self._virtual_s = 0.0
        self._last = self.queues - 1  # the queue that was served last
        self._queue_of: dict[int, tuple[int, int]] = {}  # by task: queue, and how often it is here

    def put(self, task: int, now: float) -> Outcome | None:
        """Append the task to the shortest queue of the hand, or reject it if that is full."""
        shortest = min(self._hands[self._tenant[task]], key=lambda q: len(self._queues[q]))
        queue = self._queues[shortest]
        if len(queue) >= self._limit:
            return Outcome.QUEUE_FULL
        if not queue:
            self._next_s[shortest] = max(self._virtual_s, self._next_s[shortest])
        queue.append(task)
        self._queue_of[task] = shortest, self._queue_of.get(task, (0, 0))[1] + 1
        return None

    def take(self, now: float) -> int | None:
        """Give the head of the queue whose start tag is least; ties go round."""
        best, least_s = -1, inf
        for place in range(self._last + 1, self._last + 1 + self.queues):
            q = place % self.queues
            if self._queues[q] and self._next_s[q] < least_s:
                best, least_s = q, self._next_s[q]
        if best < 0:
            return None
        task = self._queues[best].popleft()
        self._virtual_s = max(self._virtual_s, least_s)
        self._next_s[best] += self._guess(task)
        self._last = best
        return task

    def finished(self, task: int, cost_s: float, now: float) -> None:
        """Put the guess right."""
        queue = self._forget(task)
        self._next_s[queue] += cost_s - self._guess(task)

    def abandoned(self, task: int, now: float) -> None:
        """Take a task out of its queue."""
        self._queues[self._forget(task)].remove(task)

    def retry_after_s(self, task: int, now: float, workers: int) -> float:
        """Return how long the hand's shortest queue is expected to last, if all are backlogged."""
        waiting = min(len(self._queues[q]) for q in self._hands[self._tenant[task]])
        return waiting * self._estimate_s[task] * self.queues / workers

    def _guess(self, task: int) -> float:
        return self._estimate_s[task] if self.guess_s is None else self.guess_s

    def _forget(self, task: int) -> int:
        """Return the queue of a task that leaves; its client may have sent it again meanwhile."""
        queue, times = self._queue_of[task]
        if times == 1:
            del self._queue_of[task]
        else:
            self._queue_of[task] = queue, times - 1
        return queue
