"""Clients that leave, come again or wait; pools that change; disciplines that ask for more."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from cases import caps, policies, pools, reacting, tasks
from hypothesis import given, settings
from hypothesis import strategies as st

from fairness_lib import (
    Clients,
    Fifo,
    InFlight,
    Outcome,
    Policy,
    Pool,
    Quota,
    Retry,
    Run,
    Tasks,
    Workload,
    drr,
    fair_reference,
    fifo,
    measure,
    quota,
    simulate,
)
from fairness_lib.engine import compiled
from fairness_lib.traffic.clients import uniform

needs_numba = pytest.mark.skipif(not compiled.installed(), reason="numba is not installed")


@pytest.fixture(
    params=["plain", pytest.param("numba", marks=[needs_numba, pytest.mark.wide])], scope="module"
)
def tier(request):
    """Run the kernel as plain Python, or compiled."""
    if request.param == "numba":
        yield request.param
        return
    plain = compiled.build(lambda function: function)
    with (
        patch.object(compiled, "functions", lambda: plain),
        patch.object(compiled, "installed", lambda: True),
        np.errstate(over="ignore"),
    ):
        yield request.param


def same(run: Run, other: Run) -> None:
    for column in ("start_s", "finish_s", "outcome", "attempts", "answer_s", "source"):
        assert getattr(run, column).tobytes() == getattr(other, column).tobytes(), column
    for mine, its in zip(run.wasted, other.wasted, strict=True):
        assert mine.tobytes() == its.tobytes()
    assert run.workload.arrival_s.tobytes() == other.workload.arrival_s.tobytes()
    assert run.fruitless_visits == other.fruitless_visits
    assert run.idle_while_queued_s == other.idle_while_queued_s


def reports_agree(run: Run, other: Run) -> None:
    try:
        expected = measure(other, unit="work", backlog=True)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:25]):
            measure(run, unit="work", backlog=True)
        return
    report = measure(run, unit="work", backlog=True)
    assert report.missed == expected.missed
    assert repr(report.scalars()) == repr(expected.scalars())
    for column, values in expected.by_tenant().items():
        np.testing.assert_array_equal(report.by_tenant()[column], values, err_msg=column)


# --- everything at once ----------------------------------------------------------------------


@settings(max_examples=300)
@given(reacting(), policies, pools())
def test_both_tiers_do_the_same(tier, workload, policy, pool) -> None:
    run = simulate(workload, policy, pool, engine="compiled")
    expected = simulate(workload, policy, pool, engine="readable")
    same(run, expected)
    if workload.cost_s.max() > 0:
        reports_agree(run, expected)
    fair = fair_reference(run.workload, pool, engine="readable").fair_start_s
    assert (
        fair.tobytes()
        == fair_reference(run.workload, pool, engine="compiled").fair_start_s.tobytes()
    )


limits = st.integers(1, 3) | st.fixed_dictionaries({"t1": st.integers(1, 2)})


@st.composite
def limited(draw) -> Policy:
    """Any policy behind an in-flight limit."""
    policy = draw(policies)
    held = InFlight(policy.discipline, draw(limits), draw(caps))
    return Policy("limited", held, policy.admission)


@settings(max_examples=200)
@given(reacting(), limited(), pools())
def test_both_tiers_hold_back_the_same(tier, workload, policy, pool) -> None:
    run = simulate(workload, policy, pool, engine="compiled")
    same(run, simulate(workload, policy, pool, engine="readable"))


@given(reacting(), limited(), pools())
def test_no_tenant_is_ever_at_work_beyond_its_limit(workload, policy, pool) -> None:
    run = simulate(workload, policy, pool)
    if isinstance(pool, int):
        assert run.counts()["waiting"] == 0
    known = Tasks(workload.tenants, workload.weight, [], [])
    for tenant, limit in enumerate(policy.discipline.limits(known)):
        own = services(run, run.workload.tenant == tenant)
        assert all(
            sum(b <= begun < e for b, e in own) <= limit for begun, end in own if begun < end
        )


def test_what_is_held_back_comes_in_its_tenants_order_by_hand() -> None:
    """Two workers: a's second task is held back until its first is done, and b goes before it."""
    work = tasks(
        ("a", 0.0, 2.0), ("a", 0.0, 1.0), ("a", 0.0, 1.0), ("b", 0.0, 1.0), ("b", 0.0, 1.0)
    )
    run = simulate(work, Policy("one each", InFlight(Fifo(None), {"a": 1}, cap=2)), 2)
    assert run.start_s.tolist() == [0.0, 2.0, 3.0, 0.0, 1.0]
    full = simulate(work, Policy("one each", InFlight(Fifo(None), {"a": 1}, cap=1)), 2)
    assert labels(full)[:3] == ["served", "served", "queue_full"]


wide_pools = st.builds(
    lambda pool, more: Pool([(0, more), *((s, w) for s, w in pool.steps if s)]),
    pools().filter(lambda pool: isinstance(pool, Pool)),
    st.integers(3, 4),
) | st.integers(3, 5)


@settings(max_examples=200)
@given(reacting(wide=True), policies | limited(), wide_pools)
def test_both_tiers_serve_wide_tasks_alike(tier, workload, policy, pool) -> None:
    run = simulate(workload, policy, pool, engine="compiled")
    expected = simulate(workload, policy, pool, engine="readable")
    same(run, expected)
    if workload.cost_s.max() > 0:
        reports_agree(run, expected)


@given(reacting(wide=True), policies | limited(), wide_pools)
def test_widths_never_exceed_the_pool(workload, policy, pool) -> None:
    run = simulate(workload, policy, pool)
    width = run.workload.width
    if isinstance(pool, int):
        assert run.counts()["waiting"] == 0
    every = [(*service, w) for w in (1, 2, 3) for service in services(run, width == w)]
    for begun, ended, _ in every:
        size = pool if isinstance(pool, int) else pool.size_at(begun)
        assert sum(w for b, e, w in every if b <= begun < e) <= size or begun == ended


def test_a_wide_task_waits_at_the_head_and_nobody_overtakes_it() -> None:
    """Three workers, one busy until 2: the task for three waits for it, and the next for that."""
    work = tasks(("a", 0.0, 2.0), ("a", 0.5, 3.0), ("a", 0.5, 1.0))
    work = Workload(work.tenants, work.arrival_s, work.tenant, work.cost_s, 9.0, width=[1, 3, 1])
    run = simulate(work, fifo(), 3)
    assert run.start_s.tolist() == [0.0, 2.0, 3.0]
    assert run.finish_s.tolist() == [2.0, 3.0, 4.0]
    assert run.idle_while_queued_s == 2 * 1.5
    report = measure(run, (0.0, 4.0))
    assert report.tenants["got_work_s"].tolist() == [6.0]
    assert report.window_utilisation == 6 / 12


def test_whoever_leaves_at_the_head_lets_the_next_one_in() -> None:
    work = tasks(("a", 0.0, 2.0), ("a", 0.5, 3.0), ("a", 0.5, 1.0))
    work = Workload(
        *(work.tenants, work.arrival_s, work.tenant, work.cost_s, 9.0),
        width=[1, 3, 1],
        patience_s=[9.0, 0.5, 9.0],
    )
    policy = Policy("one at a time", InFlight(Fifo(), 2))
    for chosen in (fifo(), policy):
        run = simulate(work, chosen, 3)
        assert labels(run) == ["served", "abandoned", "served"]
        assert run.start_s[2] == 1.0


class ForgetsNothing:
    """FIFO without `abandoned`: whoever left is thrown away when given."""

    def begin(self, tasks):
        self.queue = []

    def put(self, task, now):
        self.queue.append(task)

    def take(self, now):
        return self.queue.pop(0) if self.queue else None


@settings(max_examples=200)
@given(reacting(), policies | st.just(Policy("forgets nothing", ForgetsNothing())), pools())
def test_nothing_is_lost(workload, policy, pool) -> None:
    """Every task that came has one fate, every attempt ends, the pool is never larger than said."""
    run = simulate(workload, policy, pool)
    work = run.workload
    assert sum(run.counts().values()) == len(work) <= len(workload)
    assert sorted(set(run.source.tolist())) == sorted(run.source.tolist())
    assert np.array_equal(run.served, ~np.isnan(run.start_s))
    assert (run.start_s[run.served] >= work.arrival_s[run.served]).all()
    assert np.array_equal(np.isnan(run.answer_s), run.outcome == Outcome.WAITING)
    limit = [1 if r is None else r.attempts for r in workload.retry or [None] * 3]
    given_up = ~run.served & (run.outcome != Outcome.WAITING)
    attempts = np.array([limit[t] for t in work.tenant.tolist()])
    assert (run.attempts >= 1).all()
    assert (run.attempts <= attempts).all()
    assert (run.attempts == attempts)[given_up].all()
    if isinstance(pool, int):
        assert run.counts()["waiting"] == 0
    assert_pool_is_never_larger(run, pool)


def services(run: Run, of: np.ndarray | bool = True) -> list[tuple[float, float]]:
    """Return the services of some tasks, for clients there or gone: begun_s, ended_s."""
    task, start_s, finish_s = run.wasted
    chosen = np.ones(len(run.workload), dtype=bool) & of
    served = run.served & chosen
    own = np.column_stack([run.start_s[served], run.finish_s[served]])
    gone = np.column_stack([start_s, finish_s])[chosen[task]]
    return [*map(tuple, own.tolist()), *map(tuple, gone.tolist())]


def assert_pool_is_never_larger(run: Run, pool: Pool | int) -> None:
    """No service begins while as many others are under way as the pool has workers."""
    every = services(run)
    for begun, ended in every:
        size = pool if isinstance(pool, int) else pool.size_at(begun)
        others = sum(b <= begun < e for b, e in every)
        assert others <= size or begun == ended


@given(reacting(), policies, pools())
def test_a_served_client_was_still_there(workload, policy, pool) -> None:
    run = simulate(workload, policy, pool)
    if workload.patience_s is None:
        assert len(run.wasted[0]) == 0
        return
    patience_s = run.workload.patience_s
    assert patience_s is not None
    first = run.served & (run.attempts == 1)
    leaves_s = run.workload.arrival_s + patience_s
    assert (run.finish_s[first] <= leaves_s[first]).all()
    left = (run.outcome == Outcome.ABANDONED) & (run.attempts == 1)
    assert (run.answer_s[left] == leaves_s[left]).all()


@given(reacting(), policies, pools())
def test_who_follows_comes_after_the_answer(workload, policy, pool) -> None:
    """At the very time, so that with one follower each a client has one task at most out there."""
    run = simulate(workload, policy, pool)
    if workload.follows is None:
        return
    answer_s = np.full(len(workload), np.nan)
    came_s = np.full(len(workload), np.nan)
    answer_s[run.source], came_s[run.source] = run.answer_s, run.workload.arrival_s
    for task, before in enumerate(workload.follows.tolist()):
        if before < 0:
            assert came_s[task] == workload.arrival_s[task]
        else:
            due_s = answer_s[before] + workload.think_s[task]
            expected = due_s if due_s <= workload.horizon_s else np.nan
            np.testing.assert_equal(came_s[task], expected)


# --- by hand ---------------------------------------------------------------------------------


def four(clients: Clients, cap: int | None = None) -> Run:
    """Four tasks of a second each at once, one worker."""
    work = tasks(*[("a", 0.0, 1.0)] * 4).with_clients(clients)
    return simulate(work, fifo(cap=cap), 1)


def labels(run: Run) -> list[str]:
    return [Outcome(outcome).label for outcome in run.outcome]


def test_clients_leave_the_queue_and_the_worker() -> None:
    """All leave at 1.5: the second is being served, its second of work is for nobody."""
    run = four(Clients(patience=1.5))
    assert labels(run) == ["served", "abandoned", "abandoned", "abandoned"]
    assert run.answer_s.tolist() == [1.0, 1.5, 1.5, 1.5]
    assert run.wasted_s.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert [column.tolist() for column in run.wasted] == [[1], [1.0], [2.0]]


def test_an_answer_at_the_very_end_of_patience_is_in_time() -> None:
    assert labels(four(Clients(patience=2.0)))[:2] == ["served", "served"]


def test_whoever_leaves_the_queue_makes_room_at_once() -> None:
    """The queue of one is free at 0.5, so that the task of 0.75 gets in."""
    work = tasks(("a", 0.0, 2.0), ("a", 0.0, 1.0), ("a", 0.25, 1.0), ("a", 0.75, 1.0))
    patient = [np.inf, 0.5, np.inf, np.inf]
    work = Workload(work.tenants, work.arrival_s, work.tenant, work.cost_s, 9.0, patience_s=patient)
    run = simulate(work, fifo(cap=1), 1)
    assert labels(run) == ["served", "abandoned", "queue_full", "served"]
    assert run.start_s[3] == 2.0


def test_a_rejected_task_comes_again_with_exponential_waits() -> None:
    """At 0, 0.5, 1.5 (a wait of 1) and 3 (one of 1.5, as no wait is longer)."""
    work = tasks(("a", 0.0, 4.0), ("a", 0.0, 1.0), ("b", 0.0, 1.0))
    work = work.with_clients({"b": Clients(retry=Retry(4, backoff_s=0.5, most_s=1.5))})
    run = simulate(work, fifo(cap=1), 1)
    assert labels(run) == ["served", "served", "queue_full"]
    assert run.attempts.tolist() == [1, 1, 4]
    assert run.answer_s[2] == 3.0


def test_a_task_that_comes_again_keeps_its_first_arrival() -> None:
    work = tasks(("a", 0.0, 1.0), ("a", 0.0, 1.0), ("b", 0.5, 1.0))
    work = work.with_clients({"b": Clients(retry=Retry(2, backoff_s=0.75))})
    run = simulate(work, fifo(cap=1), 1)
    assert run.start_s.tolist() == [0.0, 1.0, 2.0]
    assert run.workload.arrival_s[2] == 0.5
    assert run.wait_s[2] == 1.5


def test_a_client_that_left_comes_again_while_its_first_attempt_is_still_served() -> None:
    """Two workers: the attempt of 1 is served beside that of 0, whose end helps nobody."""
    work = tasks(("a", 0.0, 3.0)).with_clients(Clients(1.0, Retry(2, backoff_s=0.0)))
    run = simulate(work, fifo(), 2)
    assert labels(run) == ["abandoned"]
    assert run.attempts.tolist() == [2]
    assert [column.tolist() for column in run.wasted] == [[0, 0], [0.0, 1.0], [3.0, 4.0]]


def test_a_discipline_that_cannot_forget_has_them_thrown_away() -> None:
    work = tasks(*[("a", 0.0, 1.0)] * 4).with_clients(Clients(patience=1.5))
    forgets, keeps = fifo(cap=None), Policy("keeps", ForgetsNothing())
    same(simulate(work, forgets, 1), simulate(work, keeps, 1))


def test_the_bucket_says_when_it_has_a_token_again() -> None:
    """One token a second: rejected at 0.25, told 0.75; let in at 1."""
    work = tasks(("a", 0.0, 0.1), ("a", 0.25, 0.1))
    told = Clients(retry=Retry(2, backoff_s=0.0, retry_after=True))
    run = simulate(work.with_clients(told), quota(buckets={"a": (1.0, 1.0)}), 1)
    assert labels(run) == ["served", "served"]
    assert run.start_s[1] == pytest.approx(1.0)


@given(st.floats(0.01, 1000), st.floats(1, 50), st.lists(st.floats(0, 100), min_size=2))
def test_whoever_comes_when_the_bucket_says_so_is_let_in(rate_per_s, burst, gaps) -> None:
    bucket = Quota({"a": (rate_per_s, burst)}).bucket_for("a")
    now = 0.0
    for gap in gaps:
        now += gap
        while bucket.take(now):
            pass
        now += bucket.wait_s(now)
        assert bucket.take(now)


def test_a_queue_says_how_long_it_is_expected_to_last() -> None:
    """FIFO of two tasks of a second on one worker: come back in 2 s, when it is empty."""
    work = tasks(*[("a", 0.0, 1.0)] * 4)
    told = Clients(retry=Retry(2, backoff_s=0.0, retry_after=True))
    run = simulate(work.with_clients(told), fifo(cap=2), 1)
    assert run.start_s.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert run.attempts.tolist() == [1, 1, 1, 2]


def test_a_drr_queue_lasts_as_long_as_its_share_says() -> None:
    """Two tenants of one worker: b's queue of two has half of it, so 4 s."""
    work = tasks(*[("a", 0.0, 1.0)] * 2, *[("b", 0.0, 1.0)] * 3)
    told = Clients(retry=Retry(2, backoff_s=0.0, retry_after=True))
    run = simulate(work.with_clients({"b": told}), drr(cap=2), 1)
    assert run.attempts.tolist() == [1, 1, 1, 1, 2]
    assert run.start_s[4] == 4.0


def test_jitter_is_drawn_by_seed_task_and_attempt() -> None:
    """The mean of a full jitter is a half, and neighbours have nothing in common."""
    drawn = np.array([[uniform(7, task, attempt) for task in range(300)] for attempt in (1, 2)])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 4 * np.sqrt(1 / 12 / drawn.size)
    assert abs(np.corrcoef(drawn)[0, 1]) < 4 / np.sqrt(300)
    assert abs(np.corrcoef(drawn[0, 1:], drawn[0, :-1])[0, 1]) < 4 / np.sqrt(300)


def test_jitter_shortens_a_wait_by_at_most_its_part() -> None:
    work = tasks(("a", 0.0, 1.0), *[("b", 0.0, 1.0)] * 50)
    work = work.with_clients({"b": Clients(retry=Retry(2, backoff_s=2.0, jitter=0.5))}, seed=3)
    answer_s = simulate(work, fifo(cap=1), [(0, 1), (0.5, 0)]).answer_s[2:]
    assert answer_s.min() >= 1.0
    assert answer_s.max() <= 2.0
    assert len(set(answer_s.tolist())) > 40


def test_a_client_of_a_closed_loop_sends_after_the_answer_and_a_thought() -> None:
    """Tasks of 1 s after thoughts of 0.5: at 0.5, 2 and 3.5; that of 5 is beyond the horizon."""
    work = Workload(
        ["a"],
        [0.5, 1.0, 1.5, 2.0],
        [0] * 4,
        [1.0] * 4,
        4.5,
        follows=[-1, 0, 1, 2],
        think_s=[0.5] * 4,
    )
    run = simulate(work, fifo(), 1)
    assert run.workload.arrival_s.tolist() == [0.5, 2.0, 3.5]
    assert run.source.tolist() == [0, 1, 2]


def test_a_rejection_is_an_answer_too() -> None:
    work = Workload(
        *(["a"], [0.0, 0.0, 0.0, 0.0], [0] * 4, [2.0, 1.0, 1.0, 1.0], 9.0),
        follows=[-1, -1, -1, 2],
        think_s=[0, 0, 0, 2.5],
    )
    run = simulate(work, fifo(cap=1), 1)
    assert labels(run) == ["served", "served", "queue_full", "served"]
    assert run.workload.arrival_s.tolist() == [0.0, 0.0, 0.0, 2.5]


def test_workers_leave_when_they_have_finished_and_come_back() -> None:
    """Two workers until 0.5, one until 2.5, none until 4, two again."""
    pool = [(0, 2), (0.5, 1), (2.5, 0), (4, 2)]
    run = simulate(tasks(*[("a", 0.0, 1.0)] * 6), fifo(), pool)
    assert run.start_s.tolist() == [0.0, 0.0, 1.0, 2.0, 4.0, 4.0]
    assert (run.workers, run.pool) == (2, Pool(pool))
    assert repr(run) == "Run(fifo, 2 to 1 to 0 to 2 workers: 6 served)"


def test_what_a_pool_that_is_gone_never_takes_is_waiting() -> None:
    run = simulate(tasks(*[("a", 0.0, 1.0)] * 3), fifo(), [(0, 1), (0.5, 0)])
    assert labels(run) == ["served", "waiting", "waiting"]
    fair = fair_reference(run.workload, run.pool).fair_start_s
    assert fair.tolist() == [0.0, np.inf, np.inf]


def test_the_fair_reference_works_at_the_size_of_the_moment() -> None:
    """2 workers do the first task of 1 s in 0.5; 1 the second one from 0.5 to 1.5."""
    work = tasks(*[("a", 0.0, 1.0)] * 3)
    fair = fair_reference(work, [(0, 2), (0.5, 1)])
    assert fair.fair_start_s.tolist() == [0.0, 0.5, 1.5]
    assert fair.work_s(0, 1) == {"a": 1.5}


def test_a_pool_of_one_size_is_its_size() -> None:
    assert simulate(tasks(("a", 0.0, 1.0)), fifo(), [(0, 3)]).pool is None


# --- disciplines that ask for more ------------------------------------------------------------


class Polls:
    """Gives a task only at whole seconds, as a loop that sleeps would."""

    def begin(self, tasks):
        self.queue = []

    def put(self, task, now):
        self.queue.append(task)

    def take(self, now):
        return self.queue.pop(0) if self.queue and now % 1 == 0 else None

    def wake_at(self, now):
        return float(int(now) + 1)


def test_a_discipline_is_woken_when_it_asks_to() -> None:
    work = tasks(("a", 0.25, 0.1), ("a", 0.5, 0.1), ("a", 1.5, 0.1))
    run = simulate(work, Policy("polls", Polls()), 2)
    assert run.start_s.tolist() == [1.0, 1.0, 2.0]
    assert run.idle_while_queued_s == pytest.approx(2 * 0.75 + 2 * 0.5)


@pytest.mark.parametrize("when", [lambda now: now, lambda now: now - 1, lambda now: float("nan")])
def test_waking_in_the_past_is_an_error(when) -> None:
    class Wrong(Polls):
        def wake_at(self, now):
            return when(now)

    with pytest.raises(ValueError, match=r"wake_at must be None or a time after now, 0\.25; got"):
        simulate(tasks(("a", 0.25, 0.1)), Policy("wrong", Wrong()), 1)


def test_waking_for_ever_is_an_error() -> None:
    class Never(Polls):
        def take(self, now):
            return None

    with (
        patch("fairness_lib.engine.events.MOST_WAKES", 100),
        pytest.raises(ValueError, match="wake_at must come to an end"),
    ):
        simulate(tasks(("a", 0.25, 0.1)), Policy("never", Never()), 1)


class Reserved:
    """Worker 0 is b's alone, if it has a queue or not."""

    def begin(self, tasks):
        self.tenant, self.queue = tasks.tenant, []

    def put(self, task, now):
        self.queue.append(task)

    def take(self, now, worker):
        for task in self.queue:
            if worker > 0 or self.tenant[task] == 1:
                self.queue.remove(task)
                return task
        return None


def test_a_discipline_may_ask_which_worker_it_is() -> None:
    work = tasks(("a", 0.0, 2.0), ("a", 0.0, 2.0), ("a", 0.5, 2.0), ("b", 1.0, 1.0))
    run = simulate(work, Policy("reserved", Reserved()), 2)
    assert run.start_s.tolist() == [0.0, 2.0, 4.0, 1.0]
