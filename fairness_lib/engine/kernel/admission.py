"""A token bucket a tenant."""

from __future__ import annotations

from ...policies.admission import CLOCK_TOLERANCE, RATE_TOLERANCE
from .columns import Rules, State


def admit(tenant: int, now: float, rules: Rules, state: State) -> bool:
    """Take a token from a tenant's bucket; False if there is none."""
    burst, rate_per_s = rules.burst[tenant], rules.rate_per_s[tenant]
    filled = (now - state.full_s[tenant]) * rate_per_s * RATE_TOLERANCE
    tokens = burst + filled - state.taken[tenant]
    if tokens >= burst:
        state.full_s[tenant], state.taken[tenant] = now, 1.0
        return True
    if tokens < 1.0 - CLOCK_TOLERANCE * (now * rate_per_s + burst):
        return False
    state.taken[tenant] += 1.0
    return True
