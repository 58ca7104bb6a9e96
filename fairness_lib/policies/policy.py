"""Policies: an admission part and a discipline part, put together.

The four of the article carry its parameters as defaults. Another one is one more function here,
or a ``Policy(name, discipline, admission)`` of your own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Protocol

from .. import _check
from .admission import Quota
from .charge import ChargeAsYouGo
from .discipline import Discipline
from .drr import DeficitRoundRobin
from .fifo import Fifo
from .round_robin import RoundRobin
from .sfq import StartTimeFairQueueing
from .shuffle_sharding import ShuffleShardedFairQueueing
from .tasks import Outcome, Tasks, has

ARTICLE_BUCKETS: Mapping[str, tuple[float, float]] = {
    "heavy": (450.0, 100.0),
    "mid*": (120.0, 40.0),
    "small*": (20.0, 10.0),
}
"""The article's quotas: (rate_per_s, burst) by tenant name or pattern."""


class Admission(Protocol):
    """What `simulate` needs of an admission part."""

    def begin(self, tasks: Tasks) -> None:
        """Start a new run over these tasks."""

    def admit(self, task: int, now: float) -> Outcome | None:
        """Let a task through (None), or reject it for a reason."""


@dataclass(frozen=True)
class Policy:
    """Who is let in, and who is served next.

    Parameters
    ----------
    name : str
        How tables and figures call it.
    discipline : Discipline
        The order of service; anything with ``begin``, ``put`` and ``take``.
    admission : Admission, optional
        Who is turned away before the queue; nobody by default.
    """

    name: str
    discipline: Discipline
    admission: Admission | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _check.name("name", self.name))
        has("discipline", self.discipline, "begin", "put", "take")
        if self.admission is not None:
            has("admission", self.admission, "begin", "admit")


def fifo(*, cap: int | None = 2000) -> Policy:
    """One queue for all; a full queue rejects whoever comes."""
    return Policy("fifo", Fifo(cap))


def quota(
    *,
    buckets: Mapping[str, tuple[float, float]] = ARTICLE_BUCKETS,
    cap: int | None = 2000,
) -> Policy:
    """Token bucket per tenant, then one queue for all."""
    return Policy("quota", Fifo(cap), Quota(buckets))


def drr(
    *,
    quantum_s: float = 0.010,
    cap: int | None = 200,
    weights: Mapping[str, float] | None = None,
) -> Policy:
    """Queue per tenant, served by deficit round robin."""
    return Policy("drr", DeficitRoundRobin(quantum_s, cap, weights))


def drr_quota(
    *,
    buckets: Mapping[str, tuple[float, float]] = ARTICLE_BUCKETS,
    quantum_s: float = 0.010,
    cap: int | None = 200,
    weights: Mapping[str, float] | None = None,
) -> Policy:
    """Token bucket per tenant, then deficit round robin."""
    return Policy("drr_quota", DeficitRoundRobin(quantum_s, cap, weights), Quota(buckets))


def round_robin(*, cap: int | None = 200) -> Policy:
    """Round robin by count: a task of each tenant in turn, whatever it costs."""
    return Policy("round_robin", RoundRobin(cap=cap))


def sfq(*, cap: int | None = 200, weights: Mapping[str, float] | None = None) -> Policy:
    """Start-time fair queueing."""
    return Policy("sfq", StartTimeFairQueueing(cap=cap, weights=weights))


def charge(*, cap: int | None = 200, weights: Mapping[str, float] | None = None) -> Policy:
    """Whoever was charged least, by what tasks turned out to cost."""
    return Policy("charge", ChargeAsYouGo(cap=cap, weights=weights))


def sharded(*, cap: int | None = 50) -> Policy:
    """Shuffle-sharded fair queueing: 64 queues, a hand of eight for each tenant."""
    return Policy("sharded", ShuffleShardedFairQueueing(cap=cap))


ARTICLE_POLICIES = {"fifo": fifo, "quota": quota, "drr": drr, "drr_quota": drr_quota}
"""The article's four policies by name, in its order."""
POLICIES: dict[str, Callable[..., Policy]] = {
    **ARTICLE_POLICIES,
    **{"round_robin": round_robin, "sfq": sfq, "charge": charge, "sharded": sharded},
}
"""All policies that can be asked for by name; each makes a `Policy` of keyword arguments."""


def takes(name: str) -> set[str]:
    """Return the names of a registered policy's parameters."""
    return set(signature(POLICIES[name]).parameters)


def without_contract() -> list[str]:
    """Return the names of the article's policies that need no quotas, which are a contract's."""
    return [name for name in ARTICLE_POLICIES if "buckets" not in takes(name)]
