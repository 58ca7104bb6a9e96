"""The article's experiment: its scenario, its exact traffic, its published figures.

One heavy tenant (400 tasks/s, five times that from second 20 to 40), four mid and twenty small
ones share 8 workers for 60 seconds. The article does not print its traffic stream; the one here
is a reconstruction with which every published figure comes out.
"""

from __future__ import annotations

import random

import numpy as np

from .. import _check
from ..traffic.scenario import Burst, Scenario, Tenant
from ..traffic.workload import Workload, merge

WORKERS = 8
"""The article's pool."""
WINDOW_S = (20.0, 40.0)
"""The burst, over which the article measures, in seconds."""
SEEDS = (1, 2, 3)
"""The article's seeds."""
BURST_FACTOR, SOLO_BURST_FACTOR = 5.0, 2.5


def article_scenario(*, burst_factor: float = BURST_FACTOR, solo: bool = False) -> Scenario:
    """Build the article's scenario.

    Parameters
    ----------
    burst_factor : float
        What heavy's 400 tasks/s are multiplied by from second 20 to 40.
    solo : bool
        Heavy alone, as in the article's work-conservation control (which uses factor 2.5).
    """
    heavy = Tenant("heavy", 400.0, bursts=(Burst(*WINDOW_S, burst_factor),))
    if solo:
        return Scenario((heavy,), WORKERS, window_s=WINDOW_S)
    mid = tuple(Tenant(f"mid{i}", 60.0) for i in range(4))
    small = tuple(Tenant(f"small{i:02}", 5.0) for i in range(20))
    return Scenario((heavy, *mid, *small), WORKERS, window_s=WINDOW_S)


def article_solo_scenario() -> Scenario:
    """Build the control in which heavy is alone and asks for about 1,000 tasks/s."""
    return article_scenario(burst_factor=SOLO_BURST_FACTOR, solo=True)


def article_workload(
    seed: int, *, burst_factor: float = BURST_FACTOR, solo: bool = False
) -> Workload:
    """Draw the article's own traffic, task for task.

    One ``random.Random(seed)`` serves tenant after tenant; arrivals come by thinning a Poisson
    process of the tenant's peak rate (Lewis and Shedler 1979), each cost right after its task.

    Parameters
    ----------
    seed : int
        The article uses 1, 2 and 3.
    burst_factor, solo
        As in `article_scenario`; the article's solo control is ``burst_factor=2.5, solo=True``.
    """
    seed = _check.seed("seed", seed)
    scenario = article_scenario(burst_factor=burst_factor, solo=solo)
    rng = random.Random(seed)
    columns = [_thinned(tenant, scenario.horizon_s, rng) for tenant in scenario.tenants]
    _, arrival_s, tenant, cost_s = merge(columns)
    names = [t.name for t in scenario.tenants]
    return Workload(
        names,
        arrival_s,
        tenant,
        cost_s,
        scenario.horizon_s,
        workers=scenario.workers,
        window_s=scenario.window_s,
    )


def _thinned(tenant: Tenant, horizon_s: float, rng: random.Random) -> tuple[np.ndarray, np.ndarray]:
    """Draw one tenant's (arrival_s, cost_s) by thinning."""
    burst = tenant.bursts[0] if tenant.bursts else Burst(0.0, horizon_s, 1.0)
    peak = tenant.rate_per_s * max(1.0, burst.factor)
    arrival_s, cost_s = [], []
    t = rng.expovariate(peak)
    while t < horizon_s:
        factor = burst.factor if burst.from_s <= t < burst.to_s else 1.0
        if rng.random() <= tenant.rate_per_s * factor / peak:
            arrival_s.append(t)
            cost_s.append(rng.expovariate(1 / tenant.service_time.mean_s))
        t += rng.expovariate(peak)
    return np.array(arrival_s), np.array(cost_s)
