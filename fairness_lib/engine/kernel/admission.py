"""A token bucket a tenant."""

from __future__ import annotations

from .columns import Buckets


def admit(tenant: int, now: float, buckets: Buckets) -> bool:
    """Take a token from a tenant's bucket; False if there is none."""
    filled = buckets.tokens[tenant] + (now - buckets.updated_s[tenant]) * buckets.rate_per_s[tenant]
    tokens = min(buckets.burst[tenant], filled)
    buckets.updated_s[tenant] = now
    if tokens < 1.0:
        buckets.tokens[tenant] = tokens
        return False
    buckets.tokens[tenant] = tokens - 1.0
    return True
