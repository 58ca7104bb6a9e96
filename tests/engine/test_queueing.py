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
    Clients,
    Deterministic,
    Exponential,
    Outcome,
    Policy,
    Retry,
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


# --- clients that leave, come again, or wait for an answer ------------------------------------


def birth_and_death(births, deaths) -> np.ndarray:
    """Return the stationary distribution of a birth-death chain with these rates."""
    states = np.cumprod([1.0, *(b / d for b, d in zip(births, deaths, strict=True))])
    return states / states.sum()


@pytest.mark.parametrize(("load", "servers", "patience_s"), [(3.0, 4, 0.5), (6.0, 4, 1.0)])
def test_clients_leave_as_in_erlang_a(load, servers, patience_s) -> None:
    """M/M/c+M: whoever is in the queue leaves at rate 1/patience (Palm 1957).

    Who is being served leaves too here, but the service goes on, so that the queue is the same.
    """
    depth = np.arange(1, 200)
    deaths = np.minimum(depth, servers) + np.maximum(depth - servers, 0) / patience_s
    chance = birth_and_death(np.full(len(depth), load), deaths)
    queued = (np.maximum(np.arange(200) - servers, 0) * chance).sum()
    expected = queued / patience_s / load  # who leaves the queue, of all who come
    clients = Clients(patience=Exponential(patience_s))
    tenant = Tenant("all", load, service_time=EXPONENTIAL, clients=clients)
    scenario = Scenario([tenant], workers=servers, horizon_s=TASKS / load)
    gone, in_vain = [], []
    for seed in SEEDS:
        run = simulate(scenario.workload(seed), fifo(cap=None))
        left = run.outcome == Outcome.ABANDONED
        gone.append(float((left & (run.wasted_s == 0)).mean()))
        in_vain.append(float(left.mean()))
    assert_within(gone, expected, width=0.1)
    with pytest.raises(AssertionError, match="closed form"):  # the negative control
        assert_within(in_vain, expected, width=1.0)


def test_a_closed_loop_is_the_machine_repair_model() -> None:
    """M/M/c//N: 12 clients that think for 3 s, 3 servers of rate 1."""
    clients, servers, think_s = 12, 3, 3.0
    depth = np.arange(clients)
    births, deaths = (clients - depth) / think_s, np.minimum(depth + 1, servers)
    chance = birth_and_death(births, deaths)
    busy = (np.minimum(np.arange(clients + 1), servers) * chance).sum()  # so many answers a second
    waits_s = clients / busy - think_s - 1.0  # by Little's law over the whole cycle
    loop = Clients(number=clients, think=Exponential(think_s))
    tenant = Tenant("all", 0, service_time=EXPONENTIAL, clients=loop)
    scenario = Scenario([tenant], workers=servers, horizon_s=6000.0)
    made = [simulate(scenario.workload(seed), fifo(cap=None)) for seed in SEEDS]
    assert_within([float((r.finish_s < 6000.0).sum() / 6000.0) for r in made], busy, width=0.03)
    assert_within([float(settled(r).mean()) for r in made], waits_s, width=0.1)


def test_retries_multiply_the_attempts_by_a_geometric_sum() -> None:
    """Each attempt of M/M/c/c is blocked with the same chance b if the waits are long:

    of up to m attempts there are (1 - b**m) / (1 - b), and b is Erlang B at that many times the
    load. Found by iterating: both sides depend on b.
    """
    load, servers, most = 3.0, 3, 4
    blocked = 0.0
    for _ in range(200):
        offered = load * sum(blocked**k for k in range(most))
        chance = birth_and_death([offered] * servers, np.arange(1, servers + 1))
        blocked = 0.5 * (blocked + chance[-1])
    expected = sum(blocked**k for k in range(most))
    retry = Retry(most, backoff_s=200.0, factor=1.0, most_s=200.0, jitter=1.0)
    tenant = Tenant("all", load, service_time=EXPONENTIAL, clients=Clients(retry=retry))
    scenario = Scenario([tenant], workers=servers, horizon_s=10_000.0)
    made = [simulate(scenario.workload(seed), Policy("lost", Lost(servers))) for seed in SEEDS]
    inside = [run.attempts[np.abs(run.workload.arrival_s - 5000) < 4000] for run in made]
    assert_within([float(attempts.mean()) for attempts in inside], expected, width=0.05)


class Lost:
    """No queue: whoever finds all servers busy is turned away."""

    def __init__(self, servers: int) -> None:
        self.servers = servers

    def begin(self, tasks) -> None:
        self.busy, self.next = 0, None

    def put(self, task, now):
        if self.busy == self.servers:
            return Outcome.QUEUE_FULL
        self.busy, self.next = self.busy + 1, task
        return None

    def take(self, now):
        task, self.next = self.next, None
        return task

    def finished(self, task, cost_s, now) -> None:
        self.busy -= 1
