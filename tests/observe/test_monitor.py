"""The rolling monitor: equal to what `measure` says, and never silent about a stuck queue."""

from __future__ import annotations

import pickle
import re
import threading
from copy import copy, deepcopy
from datetime import datetime
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import (
    ARTICLE_POLICIES,
    FairnessMonitor,
    Outcome,
    Policy,
    Quota,
    TenantMetrics,
    UnderShareAlert,
    Workload,
    article_workload,
    drr,
    fifo,
    measure,
    simulate,
)
from fairness_lib.observe import Clients, attempts, count_by_period, watch, watch_clients
from fairness_lib.observe.task_log import FINISHED, STARTED


def agreement(run, monitor: FairnessMonitor) -> tuple[int, int]:
    """Compare each full window with `measure`; return how many were settled, and how many not."""
    settled = unsettled = 0
    for report in watch(run, monitor):
        start, end = report.window
        arrived = (run.workload.arrival_s >= start) & (run.workload.arrival_s < end)
        with np.errstate(invalid="ignore"):
            finished = (run.finish_s >= start) & (run.finish_s < end)
        if start < 0 or not arrived.any() or not finished.any():
            continue
        truth = measure(run, report.window)
        # what has been counted by now is the same even if some tasks wait
        columns = truth._columns
        asking = columns["demand_per_s"] > 0
        assert [
            name for name, asks in zip(truth.run.workload.tenants, asking, strict=True) if asks
        ] == [*report.tenants]
        for name in ("x", "demand_per_s", "fair_share_per_s", "completed_per_s"):
            assert columns[name][asking].tolist() == getattr(report, name).tolist()
        assert (truth.jain, truth.min_x, truth.min_x_tenant) == (
            report.jain,
            report.min_x,
            report.min_x_tenant,
        )
        assert truth.capacity_per_s == report.capacity_per_s
        p99 = truth.under_share_p99_wait_s
        if report.settled:
            settled += 1
            assert p99 == report.under_share_p99_wait_s or (
                isnan(p99) and isnan(report.under_share_p99_wait_s)
            )
            assert report.note == "" or report.overdue
        else:
            unsettled += 1
            assert "still wait" in report.note
            if not isnan(p99) and report.overdue == 0:
                assert report.under_share_p99_so_far_s <= p99 <= report.under_share_p99_at_most_s
    return settled, unsettled


@pytest.mark.parametrize("policy", ARTICLE_POLICIES)
def test_monitor_agrees_with_measure_on_the_article(policy):
    run = simulate(article_workload(2), ARTICLE_POLICIES[policy]())
    weights = dict(zip(run.workload.tenants, run.workload.weight.tolist(), strict=True))
    settled, unsettled = agreement(run, FairnessMonitor(8, 10, 1, weights=weights))
    assert settled + unsettled == 51
    assert unsettled > 0
    # a window that is asked for again when its tasks have started is exact
    monitor = FairnessMonitor(8, 20, 5, weights=weights)
    watch(run, monitor, until_s=43.0)
    later, truth = monitor.report(40.0), measure(run, (20, 40))
    mine = run.workload.arrival_s < 40
    assert later.settled == (not (run.start_s[mine] > 43).any())
    assert later.jain == truth.jain
    if later.settled:
        assert later.under_share_p99_wait_s == truth.under_share_p99_wait_s


@st.composite
def workloads(draw) -> Workload:
    """A few tenants with weights, arrivals on a coarse grid (so with ties), some costs 0."""
    n = draw(st.integers(1, 60))
    tenants = draw(st.integers(1, 4))
    arrival = sorted(draw(st.lists(st.integers(0, 39), min_size=n, max_size=n)))
    column = st.lists(st.integers(0, tenants - 1), min_size=n, max_size=n)
    cost = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.7]), min_size=n, max_size=n)
    weight = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=tenants, max_size=tenants)
    return Workload(
        [f"t{i}" for i in range(tenants)],
        np.array(arrival) / 4,
        draw(column),
        draw(cost),
        10.0,
        draw(weight),
    )


@given(
    workloads(),
    st.sampled_from([fifo(cap=3), drr(quantum_s=0.2, cap=2), drr(quantum_s=0.2, cap=None)]),
    st.integers(1, 3),
    st.sampled_from([1.0, 2.5, 4.0]),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_monitor_agrees_exactly_with_measure(workload, policy: Policy, workers, window_s, step_s):
    run = simulate(workload, policy, workers)
    weights = dict(zip(workload.tenants, workload.weight.tolist(), strict=True))
    monitor = FairnessMonitor(workers, window_s, step_s, weights=weights)
    monitor._forget_at = 8  # forget as often as can be
    agreement(run, monitor)
    assert monitor.unmatched == 0


def test_monitor_forgets_what_is_over_and_keeps_what_waits():
    monitor = FairnessMonitor(1, window_s=1, step_s=1)
    monitor.arrived("stuck", "old", now=0.0)
    for i in range(50_000):
        now = i / 100
        monitor.arrived(i, f"tenant{i}", now)
        monitor.started(i, now)
        monitor.finished(i, now)
    assert len(monitor._log) < 10_000
    assert len(monitor._log.code) < 10_000
    assert monitor.report().overdue == 1
    assert monitor.latest.oldest_wait_s == 499.0
    with pytest.raises(ValueError, match="forgotten"):
        monitor.report(100.0)


def test_a_stuck_queue_does_not_look_healthy():
    """Nothing starts any more: the waits of started tasks look fine, the page-worthy number not."""
    monitor = FairnessMonitor(2, window_s=10, step_s=1)
    for task in range(300):
        now = task / 10
        monitor.arrived(task, "a", now)
        if now < 10:
            monitor.started(task, now + 0.01)
            monitor.finished(task, now + 0.02)
    healthy, sick = monitor.reports[9], monitor.reports[13]
    assert healthy.under_share_p99_so_far_s == pytest.approx(0.01)
    assert sick.under_share_p99_wait_s == pytest.approx(0.01)  # what a dashboard would show
    assert sick.under_share_p99_so_far_s == pytest.approx(3.9, abs=0.2)
    assert sick.under_share_p99_at_most_s == inf
    assert "not known yet" in sick.note
    # also when nobody sends any more
    later = monitor.advance(100.0)[-1]
    assert (later.waiting, later.overdue) == (0, 200)
    assert later.under_share_p99_so_far_s > 70
    alert = UnderShareAlert(fire_above_s=1.0, fire_after=2)
    assert [alert.observe(report) for report in monitor.reports].count(True) > 80


def test_demand_counts_the_attempts_of_a_request_once():
    monitor = FairnessMonitor(1, window_s=10, step_s=10)
    for attempt in range(5):  # one request, known by its id
        monitor.arrived(("r", attempt), "a", 1.0 + attempt, request="r")
        monitor.rejected(("r", attempt), 1.0 + attempt)
    monitor.arrived("first", "b", 2.0)
    monitor.rejected("first", 2.0)
    monitor.arrived("again", "b", 3.0, retry=True)  # known by a mark only
    monitor.arrived("other", "c", 3.0, request="r")  # ids are a tenant's own
    report = monitor.report(10.0)
    frame = report.to_frame()
    assert (frame["attempts_per_s"] * 10).tolist() == [5, 2, 1]
    assert (frame["admitted_per_s"] * 10).round(9).tolist() == [0, 1, 1]
    assert (frame["demand_per_s"] * 10).tolist() == [1, 1, 1]
    # known by its id, a request still tried in a later window counts there again
    monitor.arrived(("r", 9), "a", 11.0, request="r")
    monitor.arrived("yet again", "b", 11.0, retry=True, request="b's")
    assert monitor.report(20.0).tenants == ("a",)


def test_marked_retries_leave_demand_as_it_is_and_held_back_requests_are_not_seen():
    """Against the requests that clients really had; attempts alone are far off."""
    workload = article_workload(1, burst_factor=1.0)
    tight = Quota({"heavy": (450, 100), "mid*": (50, 40), "small*": (20, 10)})
    mine = (workload.tenant == 1) & (workload.arrival_s >= 40) & (workload.arrival_s < 60)
    true = mine.sum() / 20

    def seen(clients: Clients, marked: bool = True):
        monitor = FairnessMonitor(8, 20, 20)
        return watch_clients(workload, tight, clients, monitor, marked)[2].to_frame().loc["mid0"]

    leaving = seen(Clients())
    assert leaving.demand_per_s == leaving.attempts_per_s == true
    retrying = seen(Clients(retries=3))
    assert retrying.attempts_per_s > 1.8 * true
    assert retrying.admitted_per_s < 0.9 * true
    assert retrying.demand_per_s == true
    assert true < seen(Clients(retries=3), marked=False).demand_per_s < 1.2 * true
    assert seen(Clients(hold_back_s=1.0)).demand_per_s < 0.9 * true


def test_idle_tenants_are_left_out():
    run = simulate(article_workload(1), fifo())
    weights = {f"idle{i}": 1.0 for i in range(100)}
    idle = watch(run, FairnessMonitor(8, 20, 20, weights=weights))[1]
    assert len(idle.tenants) == 25
    assert idle.jain == pytest.approx(measure(run).jain, abs=1e-12)


def test_monitor_takes_silence_and_strange_events():
    monitor = FairnessMonitor(1, window_s=10, step_s=1)
    monitor.started("never arrived", 0.5)
    monitor.finished("never arrived", 0.6)
    monitor.rejected("never arrived", 0.7)
    monitor.arrived("a", "a", 1.0)
    monitor.abandoned("a", 1.5)
    assert monitor.unmatched == 3
    assert isnan(monitor.report(0.9).jain)
    assert len(monitor.advance(1e9)) == 1000  # not a billion
    monitor.arrived("b", "b", 1e9)
    with pytest.raises(ValueError, match="task must not be waiting"):
        monitor.arrived("b", "b", 1e9)
    for bad in (-1.0, nan, inf):
        with pytest.raises(ValueError, match="now"):
            monitor.arrived("c", "c", bad)


def test_before_anything_has_finished_nobody_is_beyond_its_share():
    monitor = FairnessMonitor(1, window_s=10, step_s=10)
    monitor.arrived("t", "a", 1.0)
    report = monitor.report(10.0)
    assert isnan(report.capacity_per_s)
    assert (report.min_x, report.under_share_p99_so_far_s) == (0.0, 9.0)


@given(st.lists(st.sampled_from([0.01, 0.045, 0.06, nan]), max_size=40))
def test_alert_fires_and_clears_only_after_enough_reports_in_a_row(waits):
    alert = UnderShareAlert(0.05, fire_after=3, clear_after=2)
    states = [alert.update(t, wait) for t, wait in enumerate(waits)]
    known = [(wait, on) for wait, on in zip(waits, states, strict=True) if not isnan(wait)]
    before = False
    for i, (_, on) in enumerate(known):
        last = [wait for wait, _ in known[: i + 1]]
        if on and not before:
            assert last[-3:] == [0.06] * 3
        if before and not on:
            assert last[-2:] == [0.01] * 2
        before = on
    assert len(alert.changes) == sum(a != b for a, b in zip([False, *states], states, strict=False))


def test_alert_does_not_flutter_between_its_thresholds():
    alert = UnderShareAlert(0.05, fire_after=1, clear_after=1)
    states = [alert.update(t, wait) for t, wait in enumerate([0.051, 0.045, 0.051, 0.045, 0.039])]
    assert states == [True, True, True, True, False]
    with pytest.raises(ValueError, match="clear_below_s"):
        UnderShareAlert(0.05, clear_below_s=0.06)


def test_alert_fires_under_fifo_and_not_under_drr_in_the_burst():
    fired = {}
    for policy in (fifo(), drr()):
        run = simulate(article_workload(1), policy)
        alert = UnderShareAlert(0.2, fire_after=5)
        watch(run, FairnessMonitor(8, 10, 1, on_report=alert.observe))
        fired[policy.name] = [now for now, on in alert.changes if on]
    assert fired["drr"] == []
    assert len(fired["fifo"]) == 1
    assert 20 < fired["fifo"][0] <= 27


# --- what is plugged in, and what comes in, cannot break the books --------------------------


def state(monitor: FairnessMonitor) -> str:
    """Return all that a monitor says and remembers, comparable."""
    log = monitor._log
    reports = [
        [value.tolist() if isinstance(value, np.ndarray) else value for value in vars(r).values()]
        for r in monitor.reports
    ]
    columns = [column.tolist() for column in log.columns()]
    counts = monitor.unmatched, monitor.turned_back, monitor.next_report_s
    return repr((reports, columns, counts, log.open, log.request, log.code))


TOLD = st.lists(
    st.tuples(
        st.sampled_from(["arrived", "arrived", "started", "finished", "rejected", "advance"]),
        st.integers(0, 5),
        st.integers(-3, 6),  # how far the clock has moved, or back
    ),
    max_size=40,
)


def tell(monitor: FairnessMonitor, told) -> None:
    """Tell a monitor events by a clock that is set back now and then."""
    now = 5.0
    for kind, task, passed in told:
        now = max(now + passed / 2, 0.0)
        try:
            if kind == "advance":
                monitor.advance(now)
            elif kind == "arrived":
                monitor.arrived(task, f"t{task % 2}", now)
            else:
                getattr(monitor, kind)(task, now)
        except (KeyboardInterrupt, ValueError):  # the callback's, or a task that is there already
            continue


@given(
    TOLD,
    st.dictionaries(
        st.integers(0, 40), st.sampled_from([ConnectionError, AssertionError, KeyboardInterrupt])
    ),
)
def test_a_callback_may_fail_at_any_call_and_nothing_else_changes(told, failing):
    heard = []

    def pager(report):
        heard.append(report)
        if len(heard) - 1 in failing:
            raise failing[len(heard) - 1]

    calm = FairnessMonitor(1, window_s=2, step_s=1)
    paged = FairnessMonitor(1, window_s=2, step_s=1, on_report=pager)
    tell(calm, told)
    tell(paged, told)
    assert state(paged) == state(calm)
    for _ in heard:  # what is no error, such as Ctrl-C, may have left some reports untold
        try:
            paged.advance(0.0)
        except KeyboardInterrupt:
            continue
    assert heard == list(paged.reports)  # each once, in order
    errors = [which for call, which in failing.items() if call < len(heard)]
    assert paged.failed_reports == sum(which is not KeyboardInterrupt for which in errors)


def test_a_failing_pager_is_logged_and_costs_no_event(caplog):
    def pager(report):
        raise ConnectionError("no pager")

    monitor = FairnessMonitor(1, window_s=10, step_s=10, on_report=pager)
    monitor.arrived(1, "a", now=1.0)
    monitor.started(1, 11.0)  # ends the first window
    monitor.arrived(2, "a", 12.0)
    monitor.finished(1, 13.0)
    assert [report.window for report in monitor.reports] == [(0.0, 10.0)]
    assert (monitor.unmatched, monitor.failed_reports) == (0, 1)
    assert list(monitor._log.open) == [2]
    (record,) = caplog.records
    assert record.exc_info[0] is ConnectionError
    assert "10 s" in record.getMessage()


def test_a_callback_may_use_the_monitor():
    """It sees the event that made the report, and what it reports itself makes no report twice."""
    ends, seen = [], []

    def busybody(report):
        ends.append(report.window[1])
        seen.append(list(monitor._log.open))
        monitor.arrived(("own", len(ends)), "b", report.window[1] + 0.5)
        if len(ends) < 4:
            monitor.advance(report.window[1] + 1.0)

    monitor = FairnessMonitor(1, window_s=1, step_s=1, on_report=busybody)
    monitor.arrived("first", "a", 0.5)
    monitor.arrived("second", "a", 2.5)
    assert ends == [1.0, 2.0, 3.0, 4.0]
    assert seen[0] == ["first", "second"]
    assert [report.window[1] for report in monitor.reports] == ends


NO_TIMES = [
    None,
    "1",
    True,
    datetime(2020, 1, 1),
    np.datetime64("2020-01-01"),
    np.array([1.0]),
    nan,
    inf,
    -1.0,
    1.7e18,  # nanoseconds, where steps of a second are lost in rounding
]


@pytest.mark.parametrize("bad", NO_TIMES, ids=repr)
def test_what_is_no_time_is_refused_by_name_and_changes_nothing(bad):
    monitor = FairnessMonitor(1, window_s=10, step_s=1)
    monitor.arrived("waits", "a", 0.5)
    monitor.arrived("runs", "a", 0.5)
    monitor.started("runs", 0.5)
    before = state(monitor)
    for event in (
        lambda: monitor.arrived("new", "a", bad),
        lambda: monitor.started("waits", bad),
        lambda: monitor.finished("runs", bad),
        lambda: monitor.rejected("waits", bad),
        lambda: monitor.abandoned("waits", bad),
        lambda: monitor.advance(bad),
    ):
        with pytest.raises((TypeError, ValueError), match="now must be"):
            event()
    assert state(monitor) == before


@pytest.mark.parametrize("bad", ["1", True, nan, inf, -1.0, np.array([1.0])], ids=repr)
def test_what_is_no_cost_is_refused_by_name_and_the_task_still_runs(bad):
    monitor = FairnessMonitor(1, window_s=10, step_s=10)
    monitor.arrived("t", "a", 1.0)
    monitor.started("t", 1.0)
    before = state(monitor)
    with pytest.raises((TypeError, ValueError), match="cost_s must be"):
        monitor.finished("t", 2.0, bad)
    assert state(monitor) == before
    monitor.finished("t", 2.0, np.float32(0.5))
    assert monitor.report(10.0).capacity_per_s == 2.0


def test_what_has_no_hash_is_refused_by_name_and_changes_nothing():
    monitor = FairnessMonitor(1, window_s=10, step_s=1)
    monitor.arrived("waits", "a", 0.0)
    before = state(monitor)
    for event in (
        lambda: monitor.arrived([], "a", 0.0),
        lambda: monitor.started([], 0.0),
        lambda: monitor.finished([], 0.0),
        lambda: monitor.rejected([], 0.0),
    ):
        with pytest.raises(TypeError, match=r"task must be hashable; got \[\]"):
            event()
    with pytest.raises(TypeError, match=r"request must be hashable; got \[\]"):
        monitor.arrived("t", "a", 0.0, request=[])  # else each report to come would fail
    assert state(monitor) == before


@given(TOLD)
def test_whatever_the_clock_does_no_wait_is_negative_and_no_task_is_lost(told):
    monitor = FairnessMonitor(1, window_s=4, step_s=1)
    tell(monitor, told)
    columns = monitor._log.columns()
    started = columns.state == STARTED
    finished = columns.state == FINISHED
    served = started | finished
    assert (columns.start_s[served] >= columns.arrival_s[served]).all()
    assert (columns.finish_s[finished] >= columns.start_s[finished]).all()
    assert (columns.cost_s >= 0).all()
    for report in monitor.reports:
        assert not report.under_share_p99_so_far_s < 0
        assert report.oldest_wait_s >= 0
    # the same events by a clock that stands still: as many tasks have started and finished
    steady = FairnessMonitor(1, window_s=4, step_s=1)
    tell(steady, [(kind, task, 0) for kind, task, _ in told])
    assert columns.state.tolist() == steady._log.columns().state.tolist()
    assert monitor.unmatched == steady.unmatched


def test_a_start_before_the_arrival_counts_as_of_the_arrival_and_is_counted():
    monitor = FairnessMonitor(1, window_s=10, step_s=10)
    monitor.arrived("t", "a", 5.0)
    monitor.started("t", 3.0)
    monitor.finished("t", 4.0)
    report = monitor.report(10.0)
    assert (report.under_share_p99_wait_s, report.waiting) == (0.0, 0)
    assert (monitor.turned_back, monitor.unmatched) == (2, 0)


class Shouting(str):
    """A string that says something else of itself."""

    def __str__(self) -> str:
        return self.upper()


@pytest.mark.parametrize("kind", [np.str_, Shouting])
def test_names_of_other_kinds_of_strings_are_kept_as_plain_ones(kind):
    monitor = FairnessMonitor(1, window_s=10, step_s=10, weights={kind("a"): 3.0})
    monitor.arrived(1, kind("a"), 1.0)
    monitor.arrived(2, "a", 1.0)
    monitor.arrived(3, kind("b"), 1.0)
    report = monitor.report(10.0)
    assert report.tenants == ("a", "b")
    assert {type(name) for name in (*report.tenants, report.min_x_tenant)} == {str}
    with pytest.raises(TypeError, match="tenant must be a string; got b'a'"):
        monitor.arrived(4, b"a", 1.0)


@pytest.mark.parametrize("tenant", ["caf\udce9", "\ud800", "", "a\0b"])
def test_a_name_that_cannot_be_encoded_is_a_name(tenant):
    monitor = FairnessMonitor(1, window_s=10, step_s=10)
    monitor.arrived(1, tenant, 1.0)
    assert monitor.report(10.0).tenants == (tenant,)


@given(TOLD, TOLD, st.sampled_from([copy, deepcopy, lambda m: pickle.loads(pickle.dumps(m))]))
def test_a_copy_goes_on_as_the_monitor_would_and_leaves_it_alone(before, after, copied):
    monitor = FairnessMonitor(1, window_s=4, step_s=1, weights={"t1": 2.0})
    monitor._forget_at = 2
    tell(monitor, before)
    was, twin = state(monitor), copied(monitor)
    assert state(twin) == was
    tell(twin, after)
    assert state(monitor) == was
    tell(monitor, after)
    assert state(monitor) == state(twin)


def test_a_deep_copy_has_an_alert_of_its_own_and_a_lock():
    alert = UnderShareAlert(fire_above_s=1.0, fire_after=1)
    monitor = FairnessMonitor(1, window_s=1, step_s=1, on_report=alert.observe)
    monitor.arrived("stuck", "a", 0.0)
    twin, its_alert = deepcopy((monitor, alert))
    with monitor._lock:  # a thread that holds the one does not keep another from the other
        thread = threading.Thread(target=twin.advance, args=(5.0,))
        thread.start()
        thread.join(timeout=30)
        assert not thread.is_alive()
    assert (its_alert.firing, alert.firing) == (True, False)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: FairnessMonitor(1, on_report="page"), "on_report must be callable; got 'page'"),
        (lambda: FairnessMonitor(1, weights=["a"]), "weights must be a mapping"),
        (lambda: FairnessMonitor(1, weights={1: 1.0}), "weights must go by name; got 1"),
        (
            lambda: FairnessMonitor(1, weights={"a": 0}),
            r"weights\['a'\] must be finite and above 0; got 0",
        ),
        (lambda: FairnessMonitor(1).report(1e300), "end_s must be at least 0 and at most"),
        (lambda: UnderShareAlert().update(0.0, None), "p99_wait_s must be a number; got None"),
    ],
)
def test_other_bad_arguments_are_refused_by_name(make, said):
    with pytest.raises((TypeError, ValueError), match=said):
        make()


@pytest.mark.parametrize("wrong", [False, True, 0, 2, "quota", Outcome.SERVED, Outcome.WAITING])
def test_clients_stop_at_an_admission_that_gives_no_reason(wrong):
    class Odd:
        def begin(self, tasks):
            pass

        def admit(self, task, now):
            return wrong

    workload = Workload(["a"], [0.0], [0], [1.0], 1.0)
    with pytest.raises(ValueError, match=re.escape(f"policy gave {wrong!r} for task 0; it must")):
        list(attempts(workload, Odd(), Clients()))


@pytest.mark.parametrize("bad", [0, -1.0, nan, "1", None])
def test_replays_refuse_what_is_no_time_by_name(bad):
    run = simulate(Workload(["a"], [0.0], [0], [1.0], 1.0), fifo(), 1)
    with pytest.raises((TypeError, ValueError), match=r"period_s must be .*above 0"):
        count_by_period(run, TenantMetrics(), bad)
    if bad not in (0, None):
        with pytest.raises((TypeError, ValueError), match=r"until_s must be .*at least 0"):
            watch(run, FairnessMonitor(1), bad)
