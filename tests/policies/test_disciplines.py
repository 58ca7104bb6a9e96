"""Disciplines: hand-worked schedules, a literal deficit round robin, and the bound it is known for.

A schedule is a list of start times, None for a task that was not served. Where nothing else is
said there is one worker, and costs are whole seconds.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import assert_conserved, outcomes, quanta, start_times, tasks, workloads
from hypothesis import given, settings
from hypothesis import strategies as st

from fairness_lib import (
    DeficitRoundRobin,
    Deterministic,
    Exponential,
    Fifo,
    Outcome,
    Policy,
    Scenario,
    Tenant,
    drr,
    drr_quota,
    fifo,
    simulate,
)
from fairness_lib.policies.drr import LEAST_QUANTUM_S, Flow

# --- first in, first out ---------------------------------------------------------------


def test_fifo_schedule_by_hand() -> None:
    """Two workers, one place in the queue."""
    work = tasks(
        ("a", 0.0, 3.0),  # first worker, until 3
        ("b", 0.0, 1.0),  # second worker, until 1
        ("a", 0.5, 1.0),  # queued
        ("b", 0.75, 1.0),  # the queue is full
        ("b", 1.0, 2.0),  # at 1 the second worker has just taken the queued one
        ("a", 4.0, 1.0),  # nobody is busy
    )
    run = simulate(work, fifo(cap=1), workers=2)
    assert start_times(work, fifo(cap=1), 2) == [0.0, 0.0, 1.0, None, 2.0, 4.0]
    assert outcomes(run)[3] == Outcome.QUEUE_FULL
    counts = {label: n for label, n in run.counts().items() if n}
    assert counts == {"served": 5, "queue_full": 1}


def test_fifo_lets_one_tenants_backlog_delay_another() -> None:
    work = tasks(*[("heavy", 0.0, 1.0)] * 5, ("small", 0.0, 1.0))
    assert start_times(work, fifo())[-1] == 5.0
    assert start_times(work, drr(quantum_s=1.0))[-1] == 2.0  # and round robin does not


@given(workloads(), st.integers(1, 4))
def test_fifo_gives_each_task_to_the_worker_that_is_free_first(work, workers) -> None:
    """Kiefer and Wolfowitz's recursion, which knows nothing of events, to the last bit."""
    free_s, start_s = [0.0] * workers, []
    for arrival, cost in zip(work.arrival_s.tolist(), work.cost_s.tolist(), strict=True):
        start = max(arrival, min(free_s))
        free_s[free_s.index(min(free_s))] = start + cost
        start_s.append(start)
    assert simulate(work, fifo(cap=None), workers).start_s.tolist() == start_s


# --- deficit round robin, by hand ----------------------------------------------------------


def test_drr_schedule_by_hand() -> None:
    """Quantum 2; z keeps the worker busy until 2 while a and b queue up."""
    work = tasks(
        ("z", 0.0, 2.0),
        ("a", 1.0, 3.0),
        ("a", 1.0, 3.0),
        *[("b", 1.0, 1.0)] * 5,
    )
    policy = drr(quantum_s=2.0)
    assert start_times(work, policy) == [
        0.0,
        4.0,  # a has 2 of 3, then b has its turn, then 4 of 3: 1 is left over
        9.0,  # 1 + 2 of 3
        *(2.0, 3.0),  # b's first turn: two tasks for a quantum
        *(7.0, 8.0),  # its second
        12.0,  # its third
    ]
    assert simulate(work, policy, 1).fruitless_visits == 1  # a's first


def test_drr_forfeits_the_deficit_of_a_queue_that_empties() -> None:
    """At 1 a has 1 of its 2 left, and loses it; else it would be served before b at 6."""
    work = tasks(("a", 0.0, 1.0), ("z", 5.0, 1.0), ("a", 5.5, 3.0), ("b", 5.5, 2.0))
    assert start_times(work, drr(quantum_s=2.0)) == [0.0, 5.0, 8.0, 6.0]


def test_drr_carries_the_deficit_of_a_backlogged_queue_over() -> None:
    """Costs 1.5 and quantum 1: two turns for the first, one for the second."""
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 1.5)] * 2, *[("b", 0.0, 1.0)] * 3)
    assert start_times(work, drr(quantum_s=1.0)) == [0.0, 2.0, 4.5, 1.0, 3.5, 6.0]


def test_drr_serves_a_tenant_as_often_a_round_as_its_weight() -> None:
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 1.0)] * 5, *[("b", 0.0, 1.0)] * 3)
    weights = {"a": 2.0, "b": 1.0}
    order = [1.0, 2.0, 4.0, 5.0, 7.0], [3.0, 6.0, 8.0]
    assert start_times(work, drr(quantum_s=1.0, weights=weights)) == [0.0, *order[0], *order[1]]
    own = tasks(*zip_columns(work), weight=[2.0, 1.0, 1.0])
    assert start_times(own, drr(quantum_s=1.0)) == [0.0, *order[0], *order[1]]


def zip_columns(work):
    """Take a workload apart again."""
    names = [work.tenants[i] for i in work.tenant]
    return zip(names, work.arrival_s.tolist(), work.cost_s.tolist(), strict=True)


def test_drr_caps_each_tenants_queue_on_its_own() -> None:
    """Room for two; the task in service does not count."""
    work = tasks(*[("a", 0.0, 1.0)] * 5, *[("b", 0.0, 1.0)] * 3)
    run = simulate(work, drr(quantum_s=1.0, cap=2), 1)
    full = [i for i, outcome in enumerate(outcomes(run)) if outcome == Outcome.QUEUE_FULL]
    assert full == [3, 4, 7]


def test_drr_charges_the_estimate_and_not_the_true_cost() -> None:
    work = tasks(("z", 0.0, 1.0), ("a", 0.0, 1.0), ("b", 0.0, 1.0))
    assert start_times(work, drr(quantum_s=1.0)) == [0.0, 1.0, 2.0]
    believed = work.with_estimates([1.0, 2.0, 1.0])
    assert start_times(believed, drr(quantum_s=1.0)) == [0.0, 2.0, 1.0]


def test_drr_quota_schedule_by_hand() -> None:
    """The bucket turns a's third task away; the other two share the worker with b in rounds."""
    work = tasks(*[("a", 0.0, 1.0)] * 3, *[("b", 0.0, 1.0)] * 2)
    buckets = {"a": (0.1, 2), "b": (1, 5)}
    policy = drr_quota(buckets=buckets, quantum_s=1.0)
    assert start_times(work, policy) == [0.0, 1.0, None, 2.0, 3.0]
    assert outcomes(simulate(work, policy, 1))[2] == Outcome.QUOTA


def test_a_turn_that_has_served_is_not_fruitless() -> None:
    """Quantum 1, costs 1: every turn serves one task, though each ends short of the next."""
    work = tasks(*[("a", 0.0, 1.0)] * 10, *[("b", 0.0, 1.0)] * 10)
    assert simulate(work, drr(quantum_s=1.0), 1).fruitless_visits == 0


def test_fruitless_visits_count_the_rounds_that_are_skipped() -> None:
    """A cost of 1 is 1,000 quanta: 999 visits before it are in vain."""
    run = simulate(tasks(("a", 0.0, 1.0)), drr(quantum_s=0.001), 1)
    assert run.fruitless_visits == 999


# --- against a literal reading ---------------------------------------------------------------


class LiteralDrr:
    """Deficit round robin visit by visit, in lists, as the paper words it."""

    def __init__(self, quantum_s, cap, weights=None):
        self.quantum_s, self.cap, self.weights = quantum_s, cap, weights or {}

    def begin(self, tasks):
        self.cost_s, self.tenant = tasks.estimate_s, tasks.tenant
        own = zip(tasks.tenants, tasks.weight, strict=True)
        self.quantum = [self.quantum_s * self.weights.get(name, weight) for name, weight in own]
        self.queue = [[] for _ in self.quantum]
        self.left_s = [0.0] * len(self.quantum)
        self.visits = [0] * len(self.quantum)
        self.turns = []
        self.fruitless_visits = 0

    def visit(self):
        self.visits[self.turns[0]] += 1
        self.has_served = False

    def put(self, task, now):
        i = self.tenant[task]
        if not self.queue[i]:
            self.turns.append(i)
            if len(self.turns) == 1:
                self.visit()
        elif self.cap is not None and len(self.queue[i]) >= self.cap:
            return Outcome.QUEUE_FULL
        self.queue[i].append(task)
        return None

    def take(self, now):
        while self.turns:
            i = self.turns[0]
            deficit_s = self.left_s[i] + self.visits[i] * self.quantum[i]
            if deficit_s >= self.cost_s[self.queue[i][0]]:
                task = self.queue[i].pop(0)
                self.left_s[i], self.visits[i] = deficit_s - self.cost_s[task], 0
                self.has_served = True
                if not self.queue[i]:
                    self.left_s[i] = 0.0
                    self.turns.pop(0)
                    if self.turns:
                        self.visit()
                return task
            self.fruitless_visits += not self.has_served
            self.turns.append(self.turns.pop(0))
            self.visit()
        return None


@settings(max_examples=150)
@given(
    work=workloads(max_tasks=25),
    quantum_s=st.sampled_from([1 / 300, 0.01, 0.1 / 3, 0.125, 0.3, 1.0, 2.0, 5.0]),
    cap=st.none() | st.integers(1, 5),
    weight=st.none() | st.just(0.7),
    workers=st.integers(1, 3),
)
def test_drr_is_bit_for_bit_the_literal_algorithm(work, quantum_s, cap, weight, workers) -> None:
    """However far a quantum is below the costs: the same run, and as many visits in vain."""
    weights = None if weight is None else {work.tenants[0]: weight}
    literal = Policy("literal", LiteralDrr(quantum_s, cap, weights))
    expected = simulate(work, literal, workers)
    run = simulate(work, drr(quantum_s=quantum_s, cap=cap, weights=weights), workers)
    assert run.start_s.tobytes() == expected.start_s.tobytes()
    assert run.outcome.tobytes() == expected.outcome.tobytes()
    assert run.fruitless_visits == expected.fruitless_visits


def test_drr_equals_the_literal_algorithm_on_real_traffic() -> None:
    """With a quantum of a thirtieth of the mean cost."""
    work = Scenario([Tenant(f"t{i}", 20.0 * i) for i in range(1, 6)], 2, 4.0).workload(1)
    literal = simulate(work, Policy("literal", LiteralDrr(0.0003, 50)), 2)
    run = simulate(work, drr(quantum_s=0.0003, cap=50), 2)
    assert np.array_equal(run.start_s, literal.start_s, equal_nan=True)
    assert run.fruitless_visits == literal.fruitless_visits > 10 * len(work)


@given(st.floats(1e-6, 10), st.integers(1, 10**6), st.integers(-2, 2), st.floats(0, 1))
def test_rounds_are_skipped_to_the_very_visit_that_pays(quantum_s, n, ulps, share) -> None:
    """Costs an ulp or two around n quanta, where the rounding of a division would be off by one."""
    left_s = share * quantum_s
    cost_s = left_s + n * quantum_s
    cost_s += ulps * math.ulp(cost_s)
    visits = Flow(quantum_s, left_s=left_s).visits_until(cost_s)
    assert left_s + visits * quantum_s >= cost_s
    assert left_s + (visits - 1) * quantum_s < cost_s


@given(workloads(max_tasks=20))
def test_the_smallest_quantum_allowed_ends_too(work) -> None:
    """A billion visits a second of cost are arithmetic, not a loop."""
    run = simulate(work, drr(quantum_s=2 * LEAST_QUANTUM_S, cap=None), 2)
    assert run.served.all()
    assert_conserved(run)


@given(workloads(costs=st.just(1.0)), quanta)
def test_equal_costs_make_a_large_quantum_fifo_per_tenant(work, quantum_s) -> None:
    """Whatever the quantum, one tenant's tasks are served in the order they came."""
    start_s = simulate(work, drr(quantum_s=quantum_s, cap=None), 1).start_s
    for tenant in range(len(work.tenants)):
        own = start_s[work.tenant == tenant]
        assert (np.diff(own) > 0).all()


# --- the bound ---------------------------------------------------------------------------------


class Recorded:
    """A discipline that notes who was queued and what was dispatched, in order."""

    def __init__(self, discipline):
        self.discipline, self.log = discipline, []

    def begin(self, tasks):
        self.tasks = tasks
        self.discipline.begin(tasks)

    def put(self, task, now):
        reason = self.discipline.put(task, now)
        if reason is None:
            self.log.append(("put", self.tasks.tenant[task], 0.0))
        return reason

    def take(self, now):
        task = self.discipline.take(now)
        if task is not None:
            self.log.append(("take", self.tasks.tenant[task], self.tasks.estimate_s[task]))
        return task


def largest_service_difference(work, discipline, workers: int, weight: list[float]) -> float:
    """Return the largest |S_i/w_i - S_j/w_j| over intervals in which i and j are backlogged.

    S is the cost dispatched; the difference over an interval is that of its running value
    between two moments of one stretch in which both have tasks queued.
    """
    recorded = Recorded(discipline)
    simulate(work, Policy("recorded", recorded), workers)
    n, worst = len(weight), 0.0
    queued = [0] * n
    stretch: dict[tuple[int, int], tuple[float, float, float]] = {}  # now, least, most
    for what, who, cost in recorded.log:
        queued[who] += 1 if what == "put" else -1
        for other in range(n):
            if other == who:
                continue
            pair, sign = ((who, other), 1) if who < other else ((other, who), -1)
            if what == "take" and pair in stretch:
                now, least, most = stretch[pair]
                now += sign * cost / weight[who]
                stretch[pair] = now, min(least, now), max(most, now)
                worst = max(worst, stretch[pair][2] - stretch[pair][1])
            if not (queued[who] and queued[other]):
                stretch.pop(pair, None)
            elif pair not in stretch:
                stretch[pair] = 0.0, 0.0, 0.0
    return worst


@settings(max_examples=150)
@given(workloads(max_tasks=60), quanta, st.integers(1, 3))
def test_drr_gives_backlogged_tenants_service_within_its_bound(work, quantum_s, workers) -> None:
    """|S_i/w_i - S_j/w_j| <= 2 * largest cost + quantum, weights scaled to a least of 1."""
    scale = work.weight.min()
    weight = (work.weight / scale).tolist()
    bound = 2 * work.cost_s.max() + quantum_s * scale
    discipline = DeficitRoundRobin(quantum_s, None)
    seen = largest_service_difference(work, discipline, workers, weight)
    assert seen <= bound + 1e-9


def test_drr_keeps_its_bound_on_a_long_run_and_fifo_breaks_it() -> None:
    """The negative control: on the same traffic FIFO exceeds the bound many times over."""
    scenario = Scenario([Tenant("a", 150.0), Tenant("b", 300.0), Tenant("c", 60.0)], 2, 10.0)
    work = scenario.workload(1)
    bound = 2 * work.cost_s.max() + 0.01
    weight = [1.0] * 3
    round_robin = largest_service_difference(work, DeficitRoundRobin(0.01, None), 2, weight)
    first_come = largest_service_difference(work, Fifo(None), 2, weight)
    assert 0.01 < round_robin <= bound
    assert first_come > 10 * bound


@pytest.mark.parametrize("service_time", [Exponential(0.01), Deterministic(0.01)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_weights_of_two_to_one_give_a_service_ratio_of_two(service_time, seed) -> None:
    """Both ask for all there is, so both stay backlogged; service is worker-seconds."""
    wide = Tenant("wide", 1600.0, weight=2.0, service_time=service_time)
    narrow = Tenant("narrow", 1600.0, weight=1.0, service_time=service_time)
    work = Scenario([wide, narrow], horizon_s=20.0).workload(seed)

    def ratio(policy) -> float:
        run = simulate(work, policy, 8)
        within = (run.start_s >= 1) & (run.start_s < 20)
        cost = np.bincount(work.tenant[within], weights=work.cost_s[within])
        return float(cost[0] / cost[1])

    assert ratio(drr()) == pytest.approx(2.0, abs=0.02)
    assert ratio(fifo()) < 1.2  # FIFO knows no weights


def test_weights_given_to_the_policy_replace_the_tenants_own() -> None:
    work = Scenario([Tenant("a", 1600.0), Tenant("b", 1600.0)], horizon_s=10.0).workload(1)
    run = simulate(work, drr(weights={"b": 3.0}), 8)
    within = (run.start_s >= 1) & (run.start_s < 10)
    cost = np.bincount(work.tenant[within], weights=work.cost_s[within])
    assert cost[1] / cost[0] == pytest.approx(3.0, abs=0.05)


def test_a_discipline_can_be_used_for_another_run() -> None:
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 1.5)] * 2, *[("b", 0.0, 1.0)] * 3)
    policy = drr(quantum_s=1.0)
    assert start_times(work, policy) == start_times(work, policy)
