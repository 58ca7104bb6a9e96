"""A token bucket a tenant, as policies.admission."""

from __future__ import annotations

from ...policies.admission import CLOCK_TOLERANCE, RATE_TOLERANCE
from .columns import Buckets


def admit(tenant: int, now: float, buckets: Buckets) -> bool:
    """Take a token from a tenant's bucket; False if there is none."""
    burst, rate_per_s = buckets.burst[tenant], buckets.rate_per_s[tenant]
    filled = (now - buckets.full_s[tenant]) * rate_per_s * RATE_TOLERANCE
    tokens = burst + filled - buckets.taken[tenant]
    if tokens >= burst:
        buckets.full_s[tenant], buckets.taken[tenant] = now, 1.0
        return True
    if tokens < 1.0 - CLOCK_TOLERANCE * (now * rate_per_s + burst):
        return False
    buckets.taken[tenant] += 1.0
    return True


def refill_s(tenant: int, now: float, buckets: Buckets) -> float:
    """Return how long it takes until a tenant's bucket has a token again."""
    burst, rate_per_s = buckets.burst[tenant], buckets.rate_per_s[tenant]
    filled = (now - buckets.full_s[tenant]) * rate_per_s * RATE_TOLERANCE
    tokens = burst + filled - buckets.taken[tenant]
    return float(max(0.0, (1.0 - tokens) / rate_per_s))
