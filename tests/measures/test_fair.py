"""The fair reference: schedules by hand, an independent fluid, what it must add up to, and bounds.

The theorem is Parekh and Gallager's (1993): a single worker that serves the queued task of least
virtual finish is never more than the largest cost behind the ideal pool.
"""

from __future__ import annotations

import heapq
from functools import partial

import numpy as np
import pytest
from cases import tasks, workloads
from hypothesis import assume, given
from hypothesis import strategies as st

from fairness_lib import (
    Deterministic,
    Fifo,
    Policy,
    Scenario,
    Tenant,
    Workload,
    article_workload,
    check,
    drr,
    fair_reference,
    fifo,
    max_min_fair,
    measure,
    quota,
    simulate,
)
from fairness_lib.measures.fair import fluid_of

# --- by hand ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "workers", "weight", "starts"),
    [
        # alone, one after the other, by all workers at once
        ([("a", 0.0, 4.0), ("a", 0.0, 4.0), ("a", 5.0, 1.0)], 2, None, [0.0, 2.0, 5.0]),
        # two share one worker: a's second task begins when its first has had 1 of 2 seconds
        ([("a", 0.0, 1.0), ("a", 0.0, 1.0), ("b", 0.0, 1.0)], 1, None, [0.0, 2.0, 0.0]),
        # b's weight is 3, so that it has three quarters: a gets 1 in 4 s, b 3
        ([("a", 0.0, 1.0), ("b", 0.0, 3.0), ("a", 1.0, 1.0)], 1, [1.0, 3.0], [0.0, 0.0, 4.0]),
        # b comes at 1, when a has 1 left; both have half the worker until 3, then a has it all
        ([("a", 0.0, 2.0), ("a", 0.0, 1.0), ("b", 1.0, 1.0)], 1, None, [0.0, 3.0, 1.0]),
        # a task without cost is done at once
        ([("a", 0.0, 0.0), ("a", 0.0, 1.0), ("b", 0.0, 0.0)], 1, None, [0.0, 0.0, 0.0]),
        # the run of test_report
        (
            [
                *(("a", 0.0, 3.0), ("a", 2.0, 1.0), ("b", 2.5, 0.5), ("a", 2.75, 1.0)),
                *(("a", 3.0, 1.0), ("b", 5.0, 2.0), ("b", 6.0, 1.0)),
            ],
            1,
            None,
            [0.0, 3.5, 2.5, 4.5, 6.0, 5.0, 8.5],
        ),
    ],
)
def test_schedules_by_hand(rows, workers, weight, starts) -> None:
    work = tasks(*rows, horizon_s=10.0, weight=weight)
    assert fair_reference(work, workers).fair_start_s.tolist() == starts


def test_work_by_hand() -> None:
    work = tasks(("a", 0.0, 2.0), ("a", 0.0, 1.0), ("b", 1.0, 1.0), horizon_s=10.0)
    reference = fair_reference(work, 1)
    assert reference.work_s(0, 1) == {"a": 1.0, "b": 0.0}
    assert reference.work_s(1, 3) == {"a": 1.0, "b": 1.0}
    assert reference.work_s(3, 9) == {"a": 1.0, "b": 0.0}


# --- an independent fluid, from event to event, in real time -------------------------------------


def fluid(work: Workload, workers: int) -> tuple[list[float], list[tuple[float, float, dict]]]:
    """Return the starts, and (from, to, rates by tenant) of each piece of time."""
    weight, left = work.weight.tolist(), work.cost_s.tolist()
    coming = list(zip(work.arrival_s.tolist(), work.tenant.tolist(), strict=True))[::-1]
    queues: dict[int, list[int]] = {}
    start, pieces, now, number = [np.nan] * len(work), [], 0.0, 0
    while coming or queues:
        total = sum(weight[t] for t in queues)
        rates = {t: workers * weight[t] / total for t in queues}
        ends = {t: now + left[queue[0]] / rates[t] for t, queue in queues.items()}
        then = min([*ends.values(), *(time for time, _ in coming[-1:])])
        done = [t for t in queues if ends[t] <= then + 1e-12 * (1 + then)]
        pieces.append((now, then, rates))
        for t, queue in list(queues.items()):
            left[queue[0]] -= rates[t] * (then - now)
            if t in done:
                queue.pop(0)
                if queue:
                    start[queue[0]] = then
                else:
                    del queues[t]
        now = then
        if not done:
            _, t = coming.pop()
            queues.setdefault(t, []).append(number)
            if len(queues[t]) == 1:
                start[number] = now
            number += 1
    return start, pieces


@given(workloads(max_tasks=25), st.integers(1, 3))
def test_starts_are_those_of_an_independent_fluid(work, workers) -> None:
    starts, _ = fluid(work, workers)
    np.testing.assert_allclose(fair_reference(work, workers).fair_start_s, starts, atol=1e-8)


@given(workloads(max_tasks=25), st.integers(1, 3), st.floats(0, 8), st.floats(0, 8))
def test_work_is_that_of_an_independent_fluid(work, workers, a, b) -> None:
    start, end = min(a, b), max(a, b)
    assume(start < end)
    served = np.zeros(len(work.tenants))
    for begin, finish, rates in fluid(work, workers)[1]:
        for t, rate in rates.items():
            served[t] += rate * max(min(finish, end) - max(begin, start), 0.0)
    work_s = list(fair_reference(work, workers).work_s(start, end).values())
    np.testing.assert_allclose(work_s, served, atol=1e-7)


# --- what it adds up to ---------------------------------------------------------------------------


@given(workloads(), st.integers(1, 4))
def test_all_work_is_done_and_never_more_than_the_pool_can_do(work, workers) -> None:
    long = Workload(work.tenants, work.arrival_s, work.tenant, work.cost_s, 200.0, work.weight)
    done = fair_reference(long, workers).work_s(0, 200)
    owned = np.bincount(long.tenant, weights=long.cost_s, minlength=len(long.tenants))
    np.testing.assert_allclose(list(done.values()), owned, atol=1e-9)
    for start, end in ((0, 2), (1, 1.5), (3, 8)):
        assert sum(fair_reference(long, workers).work_s(start, end).values()) <= (
            workers * (end - start) + 1e-9
        )


@given(workloads(), st.integers(1, 4))
def test_no_task_starts_before_it_arrives_or_before_its_tenants_last_one(work, workers) -> None:
    start_s = fair_reference(work, workers).fair_start_s
    assert (start_s >= work.arrival_s).all()
    for t in range(len(work.tenants)):
        assert (np.diff(start_s[work.tenant == t]) >= 0).all()


@pytest.mark.parametrize("seed", range(5))
def test_in_steady_overload_it_is_weighted_max_min(seed) -> None:
    rates, weight = [500.0, 150.0, 40.0, 300.0], [1.0, 2.0, 1.0, 0.5]
    tenants = [Tenant(f"t{i}", r, w) for i, (r, w) in enumerate(zip(rates, weight, strict=True))]
    work = Scenario(tenants, workers=4, horizon_s=100.0).workload(seed)
    demand = np.bincount(work.tenant, weights=work.cost_s) / 100.0
    share = max_min_fair(demand, 4.0, weight)
    got = np.array(list(fair_reference(work).work_s(0, 100).values())) / 100.0
    np.testing.assert_allclose(got, share, rtol=0.02)


@given(workloads(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_the_order_of_equal_arrivals_of_other_tenants_does_not_matter(
    work, workers, random
) -> None:
    """Tasks of one instant may come in any order as long as each tenant's stay in theirs."""
    arrival = np.floor(work.arrival_s)  # many at one instant
    first = Workload(work.tenants, arrival, work.tenant, work.cost_s, 8.0, work.weight)
    place = list(range(len(work.tenants)))
    random.shuffle(place)
    order = np.lexsort((np.arange(len(work)), np.array(place)[work.tenant], arrival))
    other = Workload(
        work.tenants, arrival, work.tenant[order], work.cost_s[order], 8.0, work.weight
    )
    starts = fair_reference(first, workers).fair_start_s
    np.testing.assert_allclose(
        fair_reference(other, workers).fair_start_s, starts[order], atol=1e-9
    )


def test_what_is_kept_for_the_next_policy_is_let_go_with_the_workload() -> None:
    from fairness_lib.measures import fair

    work = tasks(("a", 0.0, 1.0))
    assert fluid_of(work, 1, (0.0, 1.0), "readable") is fluid_of(work, 1, (0.0, 1.0), "readable")
    assert fluid_of(work, 1, (0.0, 1.0), "readable") is not fluid_of(
        work, 2, (0.0, 1.0), "readable"
    )
    known = len(fair._kept)
    del work
    assert len(fair._kept) == known - 1


# --- Parekh and Gallager's theorem ---------------------------------------------------------------


def fluid_finish_s(work: Workload, workers: int) -> np.ndarray:
    """Return when the ideal pool is done with each task: a zero-cost task behind it starts then."""
    n = len(work)
    order = np.argsort(np.concatenate([np.arange(n), np.arange(n) + 0.5]), kind="stable")
    marked = Workload(
        work.tenants,
        np.concatenate([work.arrival_s, work.arrival_s])[order],
        np.concatenate([work.tenant, work.tenant])[order],
        np.concatenate([work.cost_s, np.zeros(n)])[order],
        work.horizon_s,
        work.weight,
    )
    return fair_reference(marked, workers).fair_start_s[1::2]


class LeastVirtualFinish(Fifo):
    """Packet by packet generalised processor sharing, told the order of the fluid's finishes."""

    def __init__(self, finish_s):
        super().__init__(None)
        self.finish_s = finish_s

    def begin(self, tasks):
        self.queue = []

    def put(self, task, now):
        heapq.heappush(self.queue, (self.finish_s[task], task))

    def take(self, now):
        return heapq.heappop(self.queue)[1] if self.queue else None


@given(workloads(max_tasks=60))
def test_serving_by_least_virtual_finish_is_at_most_one_task_behind(work) -> None:
    fluid_s = fluid_finish_s(work, 1)
    run = simulate(work, Policy("pgps", LeastVirtualFinish(fluid_s.tolist())), 1)
    assert (run.finish_s <= fluid_s + work.cost_s.max() + 1e-9).all()


def test_fifo_can_be_any_number_of_tasks_behind_the_negative_control() -> None:
    work = tasks(*[("a", 0.0, 1.0)] * 50, ("b", 0.5, 1.0))
    run = simulate(work, fifo(cap=None), 1)
    assert run.finish_s[-1] > fluid_finish_s(work, 1)[-1] + 40


# --- what it tells that shares and waits do not ---------------------------------------------------

article = partial(article_workload, 1)


@pytest.mark.parametrize("engine", ["readable", "compiled"])
@pytest.mark.parametrize(
    ("burst", "policy", "kept"),
    [(5, fifo, "0.5"), (5, quota, "64.4"), (5, drr, "100.0"), (1, fifo, "92.1"), (1, drr, "99.8")],
)
def test_what_is_kept_of_the_articles_traffic(engine, burst, policy, kept) -> None:
    if engine == "compiled":
        pytest.importorskip("numba")
    report = measure(simulate(article(burst_factor=burst), policy(), engine=engine))
    assert f"{100 * report.kept:.1f}" == kept
    assert check(report)[-1].held == (policy is drr)


def test_a_cure_scores_better_than_the_fault_where_costs_differ() -> None:
    """Tasks of 1 s and 5 s, one a second of each, 4 workers: round robin by count is no cure."""
    short, long = Deterministic(1), Deterministic(5)
    classes = [Tenant("short", 1.0, service_time=short), Tenant("long", 1.0, service_time=long)]
    work = Scenario(classes, workers=4, horizon_s=600.0).workload(seed=1)
    by_count = work.with_estimates(np.ones(len(work)))
    runs = [(fifo(cap=None), work), (drr(quantum_s=1, cap=None), by_count)]
    runs.append((drr(quantum_s=1, cap=None), work))
    kept = [measure(simulate(w, p), objective_s=5).kept for p, w in runs]
    assert [round(100 * k) for k in kept] == [5, 4, 100]


def test_a_long_backlog_is_told_from_a_short_one() -> None:
    """A queues 1,000 tasks at 0, B ten at 0.1: shares over the run are 1 for both, in any order."""
    work = tasks(*[("A", 0.0, 1.0)] * 1000, *[("B", 0.1, 1.0)] * 10, horizon_s=200.0)
    fifo_, drr_ = (
        measure(simulate(work, policy, workers=10), objective_s=2)
        for policy in (fifo(cap=None), drr(quantum_s=1, cap=None))
    )
    assert fifo_.jain == drr_.jain == 1.0
    assert (round(fifo_.kept, 2), drr_.kept) == (0.52, 1.0)
    assert fifo_.worst_behind_tenant == "B"
    assert fifo_.worst_behind_p99_s > 90 > 1 > drr_.worst_behind_p99_s


def test_where_nothing_is_owed_there_is_nothing_to_judge() -> None:
    work = tasks(("a", 0.0, 9.0), ("a", 1.0, 1.0), horizon_s=20.0)
    report = measure(simulate(work, fifo(), workers=1), (1.0, 20.0))
    assert np.isnan(report.kept)
    f1_, f2_, f3_, owed = check(report)
    assert (owed.held, owed.outcome, owed.seen) == (None, "nothing to judge", "nothing was owed")
    assert [v.outcome for v in (f1_, f2_, f3_)] == ["held", "failed", "held"]


def test_an_objective_is_met_to_the_nanosecond() -> None:
    """0.1 + 0.2 - 0.1 is more than 0.2 in floating point, and still in time."""
    work = tasks(("a", 0.0, 0.3), ("b", 0.1, 1.0), horizon_s=2.0)
    report = measure(simulate(work, fifo(), workers=1), objective_s=0.2)
    assert report.run.wait_s[1] != 0.2
    assert (report.owed, report.kept) == (2, 1.0)


# --- deficit round robin against the rate it reserves ---------------------------------------------


@st.composite
def one_class(draw) -> tuple[Workload, float]:
    """Return a workload of equal weights, and a quantum of at least its largest cost."""
    work = draw(workloads(max_tasks=60, costs=st.integers(1, 16).map(lambda n: n / 8)))
    equal = Workload(work.tenants, work.arrival_s, work.tenant, work.cost_s, 8.0)
    return equal, work.cost_s.max() * draw(st.sampled_from([1.0, 1.5, 3.0]))


@given(one_class())
def test_drr_is_behind_a_reserved_rate_by_less_than_three_rounds(drawn) -> None:
    """Stiliadis and Varma (1998): latency at most (3 rounds - 2 quanta), for quanta >= all costs.

    The reserved rate is one n-th of a single worker, whatever the others do.
    """
    work, quantum_s = drawn
    run = simulate(work, drr(quantum_s=quantum_s, cap=None), 1)
    n = len(work.tenants)
    latency_s = 3 * n * quantum_s - 2 * quantum_s
    for t in range(n):
        reserved_s = 0.0
        for task in np.flatnonzero(work.tenant == t):
            reserved_s = max(reserved_s, work.arrival_s[task]) + n * work.cost_s[task]
            assert run.finish_s[task] <= reserved_s + latency_s + 1e-9


def test_fifo_has_no_such_bound_the_negative_control() -> None:
    work = tasks(*[("a", 0.0, 1.0)] * 50, ("b", 0.5, 1.0))
    assert simulate(work, fifo(cap=None), 1).finish_s[-1] > 0.5 + 2 * 1.0 + 3 * 2 - 2
