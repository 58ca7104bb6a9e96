"""Admission: who is turned away before any queue.

A token bucket admits at most ``rate * t + burst`` tasks in any interval of t seconds. A quota
gives each tenant a bucket of its own; a task takes one token, whatever it costs.

Times are rounded, and a client that sends exactly at its rate has a token ready at the very instant
it asks for it. So a bucket counts whole tokens from when it was last full, which no rounding adds
up in, and gives the client the benefit of the doubt: `RATE_TOLERANCE` of the rate, for a client
that adds up its own clock, and `CLOCK_TOLERANCE` of the time on the clock, for its last bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .. import _check
from .tasks import Outcome, Tasks, for_name

RATE_TOLERANCE = 1.0 + 1e-9
"""What the rate is multiplied by."""
CLOCK_TOLERANCE = 2e-15
"""Nine units in the last place: the rounding of two times, and of what is computed from them."""


@dataclass
class TokenBucket:
    """A bucket that starts full and refills at a constant rate.

    Parameters
    ----------
    rate_per_s : float
        Tokens added per second, above 0.
    burst : float
        Tokens it holds when full, 1 or more.

    Examples
    --------
    >>> bucket = TokenBucket(rate_per_s=1, burst=2)
    >>> [bucket.take(now) for now in (0.0, 0.0, 0.5, 1.0)]
    [True, True, False, True]
    """

    rate_per_s: float
    burst: float

    def __post_init__(self) -> None:
        _check.number("rate_per_s", self.rate_per_s, above=0)
        _check.number("burst", self.burst, least=1)
        self.full_s, self.taken = 0.0, 0  # when it was last full, and tokens taken since
        self.updated_s = 0.0

    @property
    def tokens(self) -> float:
        """Tokens it held after the last call of `take`."""
        filled = (self.updated_s - self.full_s) * self.rate_per_s
        return max(0.0, min(self.burst, self.burst + filled - self.taken))

    def take(self, now: float) -> bool:
        """Take a token at time `now` in seconds, which may not go back; False if there is none."""
        if not now >= self.updated_s:  # NaN included
            raise ValueError(f"now must be at least {self.updated_s:g}, the last time; got {now!r}")
        self.updated_s = now
        burst, rate_per_s = self.burst, self.rate_per_s
        tokens = burst + (now - self.full_s) * rate_per_s * RATE_TOLERANCE - self.taken
        if tokens >= burst:
            self.full_s, self.taken = now, 1
            return True
        if tokens < 1.0 - CLOCK_TOLERANCE * (now * rate_per_s + burst):
            return False
        self.taken += 1
        return True

    def wait_s(self, now: float) -> float:
        """Return how long after `now` there is a token, in seconds; 0 if there is one."""
        tokens = self.burst + (now - self.full_s) * self.rate_per_s * RATE_TOLERANCE - self.taken
        return max(0.0, (1.0 - tokens) / self.rate_per_s)


@dataclass
class Quota:
    """A token bucket for every tenant.

    Parameters
    ----------
    buckets : mapping of str to (rate_per_s, burst)
        By tenant name or shell pattern (``small*``); a tenant's own name comes first, then the
        first pattern that matches it.

    Raises
    ------
    ValueError
        If a tenant of the workload has no bucket, or a number is not allowed.

    Examples
    --------
    >>> Quota({"heavy": (450, 100), "small*": (20, 10)})
    Quota(buckets={'heavy': (450, 100), 'small*': (20, 10)})
    """

    buckets: Mapping[str, tuple[float, float]]

    def __post_init__(self) -> None:
        self.buckets = _check.by_name("buckets", self.buckets, "(rate_per_s, burst)")
        if not self.buckets:
            raise ValueError("buckets must name at least one tenant or pattern; got none")
        for pattern, bucket in self.buckets.items():
            try:
                rate_per_s, burst = bucket
            except (TypeError, ValueError):
                raise TypeError(
                    f"buckets[{pattern!r}] must be (rate_per_s, burst); got {bucket!r}"
                ) from None
            _check.number(f"buckets[{pattern!r}].rate_per_s", rate_per_s, above=0)
            _check.number(f"buckets[{pattern!r}].burst", burst, least=1)

    def bucket_for(self, tenant: str) -> TokenBucket:
        """Return a full bucket for the tenant of this name."""
        rate_per_s, burst = for_name("buckets", self.buckets, tenant)
        return TokenBucket(float(rate_per_s), float(burst))

    def begin(self, tasks: Tasks) -> None:
        """Fill the buckets of a new run."""
        self._tenant = tasks.tenant
        self._bucket = [self.bucket_for(name) for name in tasks.tenants]

    def admit(self, task: int, now: float) -> Outcome | None:
        """Return None to let the task through, else the reason it is rejected."""
        return None if self._bucket[self._tenant[task]].take(now) else Outcome.QUOTA

    def retry_after_s(self, task: int, now: float, workers: int) -> float:
        """Return how long it takes until the task's tenant has a token again, in seconds."""
        return self._bucket[self._tenant[task]].wait_s(now)
