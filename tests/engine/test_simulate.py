"""The event loop: its order at one instant, what it conserves, and anyone's own discipline."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cases import (
    Reluctant,
    assert_conserved,
    idle_while_queued,
    outcomes,
    policies,
    start_times,
    tasks,
    workloads,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from fairness_lib import Fifo, Outcome, Policy, drr, fifo, simulate

workers = st.integers(1, 4)


@settings(max_examples=200)
@given(workloads(), policies, workers)
def test_no_task_is_lost_and_no_worker_overbooked(work, policy, workers) -> None:
    run = simulate(work, policy, workers)
    assert_conserved(run)
    assert run.counts()["waiting"] == 0


@settings(max_examples=200)
@given(workloads(), policies, workers)
def test_no_worker_is_idle_while_a_task_is_queued(work, policy, workers) -> None:
    assert idle_while_queued(simulate(work, policy, workers)) == 0


def test_a_reluctant_discipline_idles_while_tasks_are_queued_the_negative_control() -> None:
    work = tasks(("a", 1.0, 1.0), ("a", 4.0, 1.0))
    run = simulate(work, Policy("reluctant", Reluctant(None)), workers=2)
    assert start_times(work, run.policy, 2) == [4.0, 4.0]
    assert idle_while_queued(run) == 2 * 3.0


@given(workloads(), policies, workers)
def test_a_run_is_a_pure_function_of_its_inputs(work, policy, workers) -> None:
    once, again = (simulate(work, policy, workers) for _ in range(2))
    assert once.start_s.tobytes() == again.start_s.tobytes()
    assert once.outcome.tobytes() == again.outcome.tobytes()


@given(workloads(), policies, workers)
def test_what_is_admitted_does_not_depend_on_tasks_that_come_later(work, policy, workers) -> None:
    """Cut the workload anywhere: what was turned away before stays turned away, as it was."""
    whole, half = simulate(work, policy, workers), (len(work) + 1) // 2
    first = type(work)(
        work.tenants,
        work.arrival_s[:half],
        work.tenant[:half],
        work.cost_s[:half],
        work.horizon_s,
        work.weight,
    )
    cut = simulate(first, policy, workers)
    assert outcomes(cut) == outcomes(whole)[:half]


@given(workloads())
def test_one_worker_has_the_same_work_before_it_whatever_the_discipline(work) -> None:
    """Kleinrock's conservation law: the sum of cost times wait is the same, if all are served."""
    first = simulate(work, fifo(cap=None), 1)
    second = simulate(work, drr(quantum_s=0.25, cap=None), 1)
    assert np.nanmax(first.finish_s) == pytest.approx(np.nanmax(second.finish_s), rel=1e-12)
    paid = [(run.wait_s * work.cost_s).sum() for run in (first, second)]
    assert paid[0] == pytest.approx(paid[1], rel=1e-9, abs=1e-9)


# --- the order at one instant -----------------------------------------------------------------


def test_a_completion_comes_before_an_arrival_at_the_same_instant() -> None:
    """At 1 the worker takes the queued task first, so the queue of one has room again."""
    work = tasks(("a", 0.0, 1.0), ("a", 0.5, 1.0), ("a", 1.0, 1.0))
    assert start_times(work, fifo(cap=1)) == [0.0, 1.0, 2.0]


def test_just_before_that_instant_the_queue_is_still_full() -> None:
    work = tasks(("a", 0.0, 1.0), ("a", 0.5, 1.0), ("a", np.nextafter(1.0, 0.0), 1.0))
    assert start_times(work, fifo(cap=1)) == [0.0, 1.0, None]


def test_arrivals_at_one_instant_keep_the_order_of_the_workload() -> None:
    work = tasks(("b", 0.0, 1.0), ("a", 0.0, 1.0), ("b", 0.0, 1.0))
    assert start_times(work, fifo()) == [0.0, 1.0, 2.0]


def test_an_idle_worker_takes_an_arrival_before_the_next_one_comes() -> None:
    """So three tasks at once fit into two workers and a queue of one."""
    work = tasks(*[("a", 0.0, 1.0)] * 4)
    assert start_times(work, fifo(cap=1), workers=2) == [0.0, 0.0, 1.0, None]


@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 3), st.sampled_from([fifo, drr]))
def test_a_batch_for_an_idle_pool_starts_with_its_first_tasks_whoever_has_them(
    workers, a, b, policy
) -> None:
    """The discipline orders the rest only; batches that come one after the other are fair."""
    batch = tasks(*[("a", 0.0, 1.0)] * a, *[("b", 0.0, 1.0)] * b)
    at_once = np.array(start_times(batch, policy(), workers)) == 0.0
    assert at_once.tolist() == [task < workers for task in range(a + b)]


def test_behind_a_busy_pool_the_discipline_orders_all_of_a_batch() -> None:
    work = tasks(("a", 0.0, 1.0), *[("a", 0.5, 1.0)] * 2, ("b", 0.5, 1.0))
    assert start_times(work, drr(quantum_s=1.0)) == [0.0, 1.0, 3.0, 2.0]


def test_a_task_that_costs_nothing_is_done_at_once() -> None:
    work = tasks(("a", 0.0, 0.0), ("a", 0.0, 0.0), ("a", 0.0, 1.0), ("a", 0.0, 1.0))
    assert start_times(work, fifo(cap=1)) == [0.0, 0.0, 0.0, 1.0]


def test_queues_are_drained_after_the_horizon() -> None:
    work = tasks(*[("a", 1.0, 5.0)] * 4, horizon_s=1.0)
    assert start_times(work, fifo()) == [1.0, 6.0, 11.0, 16.0]


# --- anyone's own discipline ---------------------------------------------------------------------


class LastComeFirstServed:
    """The example of the documentation."""

    def begin(self, tasks):
        self.stack = []

    def put(self, task, now):
        self.stack.append(task)

    def take(self, now):
        return self.stack.pop() if self.stack else None


def test_the_documented_ten_line_discipline_runs() -> None:
    work = tasks(("a", 0.0, 1.0), ("a", 0.1, 1.0), ("a", 0.2, 1.0), ("a", 1.5, 1.0))
    assert start_times(work, Policy("lcfs", LastComeFirstServed())) == [0.0, 3.0, 1.0, 2.0]


class Notes(Fifo):
    """A queue that keeps what it is told."""

    told: list = []  # noqa: RUF012 - shared with the copy that a run makes

    def finished(self, task, cost_s, now):
        self.told.append((task, cost_s, now))


def test_a_discipline_hears_of_each_completion_with_its_true_cost() -> None:
    Notes.told.clear()
    work = tasks(("a", 0.0, 3.0), ("a", 0.0, 1.0), ("a", 0.0, 1.0)).with_estimates([9, 9, 9])
    simulate(work, Policy("notes", Notes(None)), workers=2)
    assert Notes.told == [(1, 1.0, 1.0), (2, 1.0, 2.0), (0, 3.0, 3.0)]


def test_completions_at_one_instant_are_told_in_the_order_of_start() -> None:
    Notes.told.clear()
    simulate(tasks(*[("a", 0.0, 1.0)] * 3), Policy("notes", Notes(None)), workers=3)
    assert [task for task, _, _ in Notes.told] == [0, 1, 2]


def test_a_discipline_sees_estimates_and_never_true_costs() -> None:
    class Looks(Fifo):
        def begin(self, tasks):
            super().begin(tasks)
            seen.append(tasks)

    seen: list = []
    work = tasks(("a", 0.0, 1.0), ("b", 0.0, 2.0)).with_estimates([5.0, 6.0])
    simulate(work, Policy("looks", Looks(None)), 8)
    assert seen[0].estimate_s == [5.0, 6.0]
    assert seen[0].tenant == [0, 1]
    assert list(seen[0].tenants) == ["a", "b"]
    assert not hasattr(seen[0], "cost_s")


def test_a_task_that_a_discipline_keeps_is_waiting_at_the_end() -> None:
    class Hoarder(Fifo):
        def take(self, now):
            return None

    run = simulate(tasks(("a", 0.0, 1.0), ("a", 1.0, 1.0)), Policy("hoarder", Hoarder(1)), 8)
    assert outcomes(run) == [Outcome.WAITING, Outcome.QUEUE_FULL]
    assert np.isnan(run.start_s).all()
    assert_conserved(run)


def test_an_admission_part_of_ones_own_turns_tasks_away() -> None:
    class EveryOther:
        def begin(self, tasks):
            pass

        def admit(self, task, now):
            return Outcome.QUOTA if task % 2 else None

    work = tasks(*[("a", 0.0, 1.0)] * 4)
    run = simulate(work, Policy("every other", Fifo(None), EveryOther()), 1)
    assert run.start_s[[0, 2]].tolist() == [0.0, 1.0]
    assert run.counts()["quota"] == 2


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        ([0, 0], r"task 0, which was not waiting; .*begin\(\)"),  # twice
        ([99], r"gave 99, which is no task; .*begin\(\)"),
        ([-1], r"gave task -1, which was not waiting; .*begin\(\)"),  # not the last one
        (["a"], r"gave 'a', which is no task; .*begin\(\)"),
        ([1], r"task 1 before it arrived; .*begin\(\)"),  # not there yet
    ],
)
def test_a_discipline_that_gives_a_wrong_task_is_stopped(gives, said) -> None:
    class Wrong(Fifo):
        def take(self, now):
            return left.pop(0) if left else None

    left = list(gives)
    with pytest.raises(ValueError, match=said):
        simulate(tasks(("a", 0.0, 1.0), ("a", 5.0, 1.0)), Policy("wrong", Wrong(None)), 2)


@pytest.mark.parametrize("by", ["put", "admit"])
@pytest.mark.parametrize("reason", [True, False, 0, "", "full", Outcome.SERVED, Outcome.WAITING, 9])
def test_a_policy_that_rejects_for_no_known_reason_is_stopped(reason, by) -> None:
    class Odd(Fifo):
        pass

    setattr(Odd, by, lambda self, task, now: reason)
    policy = Policy("odd", Odd(None)) if by == "put" else Policy("odd", Fifo(None), Odd(None))
    said = re.escape(f"{reason!r} for task 0; it must be None or Outcome.QUEUE_FULL or")
    with pytest.raises(ValueError, match=said):
        simulate(tasks(("a", 0.0, 1.0)), policy, 1)


def test_a_queue_kept_in_init_is_what_the_message_is_about() -> None:
    """A run copies the policy, but not what hangs on it: a second run finds leftovers."""

    class Careless:
        def __init__(self):
            self.queue = []

        def begin(self, tasks):
            pass

        def put(self, task, now):
            self.queue.append(task)

        def take(self, now):  # keeps the last task of a run
            return self.queue.pop(0) if len(self.queue) > 1 else None

    policy, work = Policy("careless", Careless()), tasks(*[("a", float(i), 1.0) for i in range(3)])
    simulate(work, policy, 1)
    with pytest.raises(ValueError, match=r"was state kept outside begin\(\)"):
        simulate(work, policy, 1)


def test_a_run_leaves_policy_and_workload_as_they_were() -> None:
    work, policy = tasks(("a", 0.0, 1.0)), drr()
    before = (work.to_frame().to_dict(), repr(policy))
    simulate(work, policy, 8)
    assert (work.to_frame().to_dict(), repr(policy)) == before


# --- the run ----------------------------------------------------------------


def test_a_runs_columns_are_read_only() -> None:
    run = simulate(tasks(("a", 0.0, 1.0)), fifo(), 8)
    for column in (run.start_s, run.finish_s, run.outcome):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_a_run_as_a_table_names_tenants_and_outcomes() -> None:
    run = simulate(tasks(("a", 0.0, 2.0), ("b", 0.5, 1.0), ("b", 1.0, 1.0)), fifo(cap=1), 1)
    frame = run.to_frame()
    assert frame["tenant"].tolist() == ["a", "b", "b"]
    assert frame["outcome"].tolist() == ["served", "served", "queue_full"]
    assert frame["start_s"].tolist()[:2] == [0.0, 2.0]
    assert run.wait_s.tolist()[:2] == [0.0, 1.5]
    assert frame.columns.tolist() == [
        *("arrival_s", "tenant", "cost_s", "estimate_s"),
        *("start_s", "finish_s", "outcome"),
    ]


def test_a_run_says_in_a_line_what_it_was() -> None:
    run = simulate(tasks(("a", 0.0, 1.0)), fifo(), 3)
    assert repr(run) == "Run(fifo, 3 workers: 1 served)"
