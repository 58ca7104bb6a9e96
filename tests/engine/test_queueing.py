"""Closed forms of queueing theory, with confidence intervals over seeds.

The service rate is 1, so a load is an arrival rate. Seeds are fixed: a test either always passes
or never. Each asserts that its interval is narrow, too, since a wide one would prove nothing.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import rows
from scipy import stats

from fairness_lib import (
    Deterministic,
    Exponential,
    Run,
    Scenario,
    Tenant,
    drr,
    fifo,
    simulate,
)

SEEDS = range(1, 13)
TASKS = 20_000
WARM_UP = 0.1
EXPONENTIAL = Exponential(1.0)


@cache
def runs(load: float, servers: int, service_time=EXPONENTIAL, policy: str = "fifo"):
    tenant = Tenant("all", load, service_time=service_time)
    scenario = Scenario([tenant], workers=servers, horizon_s=TASKS / load)
    chosen = fifo(cap=None) if policy == "fifo" else drr(quantum_s=1.0, cap=None)
    return [simulate(scenario.workload(seed), chosen, servers) for seed in SEEDS]


def settled(run: Run) -> np.ndarray:
    """Return the waits after the warm-up, which starts with an empty system."""
    return run.wait_s[run.workload.arrival_s > WARM_UP * run.workload.horizon_s]


def assert_within(samples: list[float], true: float, *, width: float) -> None:
    """Assert that the 99.9 % t-interval over seeds holds `true`, and is narrow in proportion."""
    mean = float(np.mean(samples))
    half = float(stats.t.ppf(0.9995, len(samples) - 1) * stats.sem(samples))
    assert half < width * true, f"interval too wide to prove anything: {mean:.4g} ± {half:.2g}"
    assert abs(mean - true) <= half, f"{mean:.4g} ± {half:.2g}, closed form {true:.4g}"


@pytest.mark.parametrize("c", rows("erlang_c"), ids=lambda c: f"{c['servers']}-servers")
def test_fifo_meets_erlang_c(c) -> None:
    of_load = runs(c["offered_load"], c["servers"])
    assert_within([float((settled(r) > 0).mean()) for r in of_load], c["p_wait"], width=0.1)
    assert_within([float(settled(r).mean()) for r in of_load], c["mean_wait"], width=0.35)


def test_more_servers_of_the_same_load_wait_less_the_negative_control() -> None:
    """The check above can fail: three servers' waits are not those of Erlang C for four."""
    with pytest.raises(AssertionError, match="closed form"):
        assert_within([float(settled(r).mean()) for r in runs(2, 3)], 0.0870, width=1.0)


@pytest.mark.parametrize("queue", rows("mm1"), ids=lambda q: f"rho-{q['rho']}")
def test_mm1_waits(queue) -> None:
    of_load = runs(queue["rho"], 1)
    width = {0.5: 0.1, 0.8: 0.2, 0.9: 0.5}[queue["rho"]]
    assert_within([float(settled(r).mean()) for r in of_load], queue["mean_wait"], width=width)
    p99 = [float(np.quantile(settled(r), 0.99)) for r in of_load]
    assert_within(p99, queue["p99_wait"], width=width)


@pytest.mark.parametrize("queue", rows("mm1"), ids=lambda q: f"rho-{q['rho']}")
def test_md1_waits_are_half_as_long(queue) -> None:
    of_load = runs(queue["rho"], 1, Deterministic(1.0))
    waits = [float(settled(r).mean()) for r in of_load]
    assert_within(waits, queue["md1_mean_wait"], width=0.3)


def test_littles_law_holds_in_every_run() -> None:
    """Mean number queued = arrival rate * mean wait, as an identity over a drained run."""
    for run in runs(0.8, 1):
        arrival_s, start_s = run.workload.arrival_s, run.start_s
        end = run.finish_s.max()
        moments = np.sort(np.concatenate([arrival_s, start_s]))
        before = np.searchsorted(arrival_s, moments, side="right")
        taken = np.searchsorted(np.sort(start_s), moments, side="right")
        area = ((before - taken)[:-1] * np.diff(moments)).sum()
        assert area / end == pytest.approx(len(run.workload) / end * run.wait_s.mean(), rel=1e-9)


def test_with_one_tenant_round_robin_is_fifo() -> None:
    for first, second in zip(runs(0.8, 1), runs(0.8, 1, policy="drr"), strict=True):
        assert np.array_equal(first.start_s, second.start_s)


def test_a_server_is_busy_its_load_of_the_time() -> None:
    """PASTA beside it: the share of arrivals that wait is the share of time it is busy."""
    of_load = runs(0.8, 1)
    busy = [float(r.workload.cost_s.sum() / r.workload.horizon_s) for r in of_load]
    assert_within(busy, 0.8, width=0.03)
