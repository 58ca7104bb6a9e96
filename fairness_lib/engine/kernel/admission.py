"""A token bucket a tenant."""

from __future__ import annotations

from .columns import Rules, State


def admit(tenant: int, now: float, rules: Rules, state: State) -> bool:
    """Take a token from a tenant's bucket; False if there is none."""
    filled = state.tokens[tenant] + (now - state.updated_s[tenant]) * rules.rate_per_s[tenant]
    tokens = min(rules.burst[tenant], filled)
    state.updated_s[tenant] = now
    if tokens < 1.0:
        state.tokens[tenant] = tokens
        return False
    state.tokens[tenant] = tokens - 1.0
    return True
