"""Charge as you go: whoever was charged least is served next, and no cost need be known before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapreplace

from .. import _check
from .queues import RankedQueues
from .tasks import Tasks


@dataclass(slots=True)
class Account:
    """What a tenant was charged: settled, and growing with what it has in service."""

    rate: float  # charged for a worker-second
    settled: float = 0.0
    running: int = 0
    since_s: float = 0.0  # sum of the starts of those

    def charged(self, now: float) -> float:
        """Return all that it was charged until now."""
        return self.settled + self.rate * (self.running * now - self.since_s)


@dataclass(kw_only=True)
class ChargeAsYouGo(RankedQueues):
    """The tenant that was charged least goes first (Sheng et al. 2024, virtual token counter).

    A task is charged while it runs, so that its cost need not be known; what is known of it, its
    estimate, may be charged at the start, at a rate of its own (a prompt's tokens and an answer's).
    A tenant that comes back after it had nothing queued is lifted to the least charged one that
    has, or to the one that was served last: who was away does not come back rich.

    Parameters
    ----------
    at_start : float
        Charged at the start for each worker-second of the estimate, 0 or more.
    as_it_runs : float
        Charged for each worker-second of service, 0 or more. Not both may be 0.
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    weights : mapping of str to float, optional
        Weights by tenant name in place of the tenants' own.
    """

    at_start: float = 0.0
    as_it_runs: float = 1.0
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check.number("at_start", self.at_start, least=0)
        _check.number("as_it_runs", self.as_it_runs, least=0)
        if self.at_start == self.as_it_runs == 0:
            raise ValueError("at_start and as_it_runs must not both be 0: nothing would be charged")
        self.weights = _check.weights(self.weights)

    def begin(self, tasks: Tasks) -> None:
        """Start with nothing charged."""
        super().begin(tasks)
        weights = tasks.by_tenant("weights", self.weights)
        self._prepaid = [self.at_start / weight for weight in weights]
        self._accounts = [Account(self.as_it_runs / weight) for weight in weights]
        self._last = 0  # the tenant that was served last

    def came_first(self, task: int, tenant: int, now: float) -> None:
        """Lift a tenant that comes back."""
        self._bring_up_to(now)
        floor = self._heads[0][0] if self._heads else self._accounts[self._last].charged(now)
        account = self._accounts[tenant]
        account.settled += max(0.0, floor - account.charged(now))
        super().came_first(task, tenant, now)

    def take(self, now: float) -> int | None:
        """Give the head of the tenant that was charged least."""
        self._bring_up_to(now)
        return super().take(now)

    def _bring_up_to(self, now: float) -> None:
        """Rank heads again until the first one's rank is what its tenant is charged now."""
        while self._heads:
            rank, task = self._heads[0]
            charged = self._accounts[self._tenant[task]].charged(now)
            if charged <= rank:
                return
            heapreplace(self._heads, (charged, task))

    def rank(self, task: int, tenant: int, now: float) -> float:
        """Return what the tenant was charged; it only grows."""
        return self._accounts[tenant].charged(now)

    def taken(self, task: int, tenant: int, rank: float, now: float) -> None:
        """Charge for the estimate, and from now on for the service."""
        account = self._accounts[tenant]
        account.settled += self._prepaid[tenant] * self._estimate_s[task]
        account.running += 1
        account.since_s += now
        self._last = tenant

    def finished(self, task: int, cost_s: float, now: float) -> None:
        """Settle what the service cost."""
        account = self._accounts[self._tenant[task]]
        account.settled += account.rate * cost_s
        account.running -= 1
        account.since_s -= now - cost_s
        if account.running == 0:
            account.since_s = 0.0
