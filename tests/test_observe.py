"""Tenant metrics and the rolling monitor: bounded, conserved, and equal to what `measure` says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import tracemalloc
import urllib.request
from collections import Counter
from math import inf, isnan, nan
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import (
    ARTICLE_POLICIES,
    FairnessMonitor,
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
from fairness_lib.metrics import quantile
from fairness_lib.observe import (
    BUCKETS_S,
    OTHER,
    Period,
    WaitHistogram,
    count_by_period,
    label_of,
    watch,
)
from fairness_lib.observe.clients import Clients, watch_clients
from fairness_lib.observe.heavy_hitters import HeavyHitters
from fairness_lib.observe.ranking import StickyRanking

ROOT = Path(__file__).resolve().parent.parent
names = st.sampled_from(["a", "b", "c", "d", "e", OTHER, "_" + OTHER])


# --- waits --------------------------------------------------------------------------------


@given(st.lists(st.floats(0.001, 100.0), min_size=1), st.floats(0, 1))
def test_wait_quantile_is_within_the_stated_error_of_the_exact_one(waits, q):
    histogram = WaitHistogram.of(waits)
    exact = quantile(np.sort(waits), q)
    low, high = histogram.interval(q)
    assert low <= exact <= high
    if exact > 0.001:
        most = 1 + histogram.error + 1e-9  # the worst case is a wait that is a bucket's bound
        assert 1 / most <= histogram.quantile(q) / exact <= most
    assert histogram.error < 0.30


@given(st.lists(st.floats(0, 200)), st.lists(st.floats(0, 200)))
def test_wait_histograms_merge_as_if_they_had_been_one(one, two):
    both, merged = WaitHistogram.of(one + two), WaitHistogram.of(one) + WaitHistogram.of(two)
    assert (both.counts == merged.counts).all()
    assert merged.sum_s == pytest.approx(both.sum_s)
    assert merged.count == len(one) + len(two)


def test_a_wait_equal_to_a_bound_is_within_it():
    assert WaitHistogram.of([0.05]).interval(0.5) == (0.03, 0.05)
    assert 0.05 in BUCKETS_S
    assert WaitHistogram.of([1e6]).interval(0.5) == (100.0, inf)
    assert isnan(WaitHistogram.of([]).quantile(0.5))


def test_histograms_with_other_buckets_do_not_merge():
    with pytest.raises(ValueError, match="bounds_s"):
        WaitHistogram.of([1.0]) + WaitHistogram.of([1.0], (1.0, 2.0))


# --- F5: bounded series, totals conserved ---------------------------------------------------


def test_f5_a_thousand_tenants_give_eleven_series_and_five_samples():
    metrics = TenantMetrics(top_k=10, samples=5)
    tenants = [f"tenant{i}" for i in range(1000) for _ in range(1 + i % 7)]
    metrics.record("arrived", tenants)
    metrics.record("quota", tenants[::3])
    period = metrics.close()
    assert len(period.series) == 11
    assert len(period.samples) == 5
    assert sum(one.arrived for one in period.series) == len(tenants) == period.total.arrived
    assert sum(one.rejected["quota"] for one in period.series) == len(tenants[::3])
    assert period.exact


def test_negative_control_one_series_a_tenant_grows_with_the_tenants():
    metrics = TenantMetrics(top_k=1000)
    metrics.record("arrived", [f"tenant{i}" for i in range(1000)])
    assert len(metrics.close().series) == 1001


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("arrived"), names),
        st.tuples(st.sampled_from(["quota", "queue_full"]), names),
        st.tuples(st.just("abandoned"), names),
        st.tuples(st.just("started"), names, st.floats(0, 10)),
    ),
    max_size=60,
)


def tell(metrics: TenantMetrics, event) -> None:
    kind, tenant, *wait = event
    if kind == "arrived":
        metrics.arrived(tenant)
    elif kind == "started":
        metrics.started(tenant, *wait)
    elif kind == "abandoned":
        metrics.abandoned(tenant)
    else:
        metrics.rejected(tenant, kind)


def check_conserved(period: Period, events, top_k: int) -> None:
    assert len(period.series) <= top_k + 1
    assert len({one.label for one in period.series}) == len(period.series)
    kinds = Counter(kind for kind, *_ in events)
    for field in ("arrived", "started", "abandoned"):
        total = sum(getattr(one, field) for one in period.series)
        assert total == getattr(period.total, field) == kinds[field]
    for reason in ("quota", "queue_full"):
        assert sum(one.rejected[reason] for one in period.series) == kinds[reason]
    counts = sum(one.wait.counts for one in period.series)
    assert counts.sum() == kinds["started"]
    assert (counts == period.total.wait.counts).all()
    assert sum(one.depth for one in period.series) == period.total.depth


@given(EVENTS, st.integers(0, 4), st.integers(0, 2), st.integers(0, 3), st.data())
def test_totals_are_conserved_under_any_order_of_events(events, top_k, second, samples, data):
    metrics = TenantMetrics(top_k, samples, rejected_k=min(second, top_k))
    for event in data.draw(st.permutations(events)):
        tell(metrics, event)
    period = metrics.close()
    check_conserved(period, events, top_k)
    assert len(period.samples) <= samples
    assert not set(period.samples) & {one.tenant for one in period.series}
    # exact mode: a labelled tenant has all that it did, in whatever order it came
    for one in period.series[:-1]:
        own = Counter(kind for kind, tenant, *_ in events if tenant == one.tenant)
        assert (one.arrived, one.started, one.undercount) == (
            own["arrived"],
            own["started"],
            0,
        ) or (
            own["quota"] + own["queue_full"] > own["arrived"]  # a rejection implies an arrival
        )


TASKS = st.lists(
    st.tuples(names, st.sampled_from(["quota", "queue_full", "started", "waiting"])), max_size=80
)


@given(st.lists(TASKS, min_size=1, max_size=4), st.integers(1, 3), st.integers(1, 2))
def test_bounded_memory_conserves_totals_and_never_counts_a_tenant_too_much(periods, top_k, room):
    """With fewer rows than tenants: labels lack some, `__other__` has it, nothing is negative."""
    metrics = TenantMetrics(top_k, 0, rejected_k=1, capacity=top_k + room - 1)
    queued = 0
    for tasks in periods:
        events = [("arrived", tenant) for tenant, _ in tasks]
        events += [(f, t) if f != "started" else (f, t, 0.1) for t, f in tasks if f != "waiting"]
        for event in events:
            tell(metrics, event)
            metrics.flush()  # each a batch of its own: the worst case
        period = metrics.close()
        check_conserved(period, events, top_k)
        queued += sum(fate == "waiting" for _, fate in tasks)
        assert period.total.depth == queued
        arrived = Counter(tenant for tenant, _ in tasks)
        for one in period.series:
            assert min(one.arrived, one.admitted, one.started, one.depth) >= 0
            assert (one.wait.counts >= 0).all()
            if one.tenant is not None:
                assert one.arrived <= arrived[one.tenant] <= one.arrived + one.undercount
        assert period.error <= len(tasks) / metrics.capacity


def test_batches_and_single_events_count_the_same():
    run = simulate(article_workload(1), fifo())
    tenants = run.workload.tenants
    one, many = TenantMetrics(), TenantMetrics()
    who = [tenants[i] for i in run.workload.tenant.tolist()]
    for tenant, outcome, wait in zip(who, run.outcome.tolist(), run.wait_s.tolist(), strict=True):
        one.arrived(tenant)
        if outcome == 0:
            one.started(tenant, wait)
        else:
            one.rejected(tenant, "queue_full")
    served = run.served
    many.record("arrived", run.workload.tenant, names=tenants)
    many.record("queue_full", run.workload.tenant[~served], names=tenants)
    many.record("started", run.workload.tenant[served], names=tenants, wait_s=run.wait_s[served])
    left, right = one.close(), many.close()
    assert left.to_frame().equals(right.to_frame())
    assert left.samples == right.samples


def test_periods_of_a_run_agree_with_measure():
    run = simulate(article_workload(1), drr())
    period = count_by_period(run, TenantMetrics(top_k=25), period_s=20)[1]
    report = measure(run, (20, 40)).tenants
    frame = period.to_frame().drop(index=OTHER)
    for column in ("arrived", "admitted", "rejected_queue_full", "rejected_quota"):
        assert (frame[column] == report[column].loc[frame.index]).all()


def test_queue_depth_is_what_arrived_and_has_not_left_over_periods():
    metrics = TenantMetrics()
    for tenant in ("a", "a", "a", "b", "b"):
        metrics.arrived(tenant)
    metrics.rejected("a", "queue_full")
    assert {one.label: one.depth for one in metrics.close().series} == {"a": 2, "b": 2, OTHER: 0}
    metrics.started("a", 0.5)
    metrics.abandoned("b")
    assert {one.label: one.depth for one in metrics.close().series} == {"a": 1, "b": 1, OTHER: 0}
    metrics.started("a", 0.9)
    metrics.started("b", 0.9)
    assert metrics.close().total.depth == 0


@pytest.mark.parametrize("name", [OTHER, "_" + OTHER, "all", "a\nb", 'say "hi"', "租户"])
def test_a_tenant_of_any_name_keeps_its_own_label(name):
    metrics = TenantMetrics(top_k=2)
    metrics.record("arrived", [name] * 5 + ["b"] * 4 + ["c", "d"])
    period = metrics.close()
    assert period.other.arrived == 2
    assert period.by_label[label_of(name)].arrived == 5
    assert label_of(name) != OTHER


@given(st.text(alphabet="_other", max_size=14), st.text(alphabet="_other", max_size=14))
def test_no_two_tenants_share_a_label(one, two):
    assert OTHER not in (label_of(one), label_of(two))
    assert (label_of(one) == label_of(two)) == (one == two)


# --- bounded memory -------------------------------------------------------------------------


@given(
    st.lists(st.dictionaries(st.integers(0, 30), st.integers(1, 9), max_size=20), max_size=12),
    st.integers(1, 12),
)
def test_heavy_hitters_keep_their_bounds(batches, capacity):
    """Weights are within [bound - error, bound], and nothing unseen or missing exceeds N / m."""
    table, exact = HeavyHitters(capacity, 1), Counter()
    for batch in batches:
        keys = [str(key) for key in batch]
        exact.update(dict(zip(keys, batch.values(), strict=True)))
        slots = table.add(keys, np.array(list(batch.values()), dtype=np.int64))
        assert [table.slot.get(key, -1) for key in keys] == slots.tolist()
    assert len(table) <= capacity
    most = sum(exact.values()) / capacity
    assert table.floor <= most
    for name, weight in exact.items():
        slot = table.slot.get(name)
        if slot is None:
            assert weight <= table.floor
        else:
            assert table.names[slot] == name
            assert table.bound[slot] - table.error[slot] <= weight <= table.bound[slot]
            assert table.error[slot] <= most
    if len(exact) <= capacity:
        assert not table.overflowed
        assert not table.error.any()


def test_a_million_tenants_in_bounded_memory_find_the_busy_ones():
    """Ten tenants send a tenth of the traffic among a million that send one task each."""
    capacity, batch = 2000, 100_000
    rng = np.random.default_rng(1)
    heavy = [f"heavy{i}" for i in range(10)]
    metrics = TenantMetrics(top_k=10, capacity=capacity)
    sent = rng.integers(0, 10, 100_000)
    few, many = [heavy[i] for i in sent.tolist()], [f"t{i}" for i in range(1_000_000)]
    tracemalloc.start()
    for first in range(0, 1_000_000, batch):
        metrics.record("arrived", many[first : first + batch] + few[first // 10 :][: batch // 10])
        metrics.record("quota", many[first : first + 1000])
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    period = metrics.close()
    assert held < 8e6  # bytes
    assert not period.exact
    assert len(period.series) == 11
    assert period.total.arrived == 1_100_000 == sum(one.arrived for one in period.series)
    assert period.error <= 1_100_000 / capacity
    assert {one.tenant for one in period.series[:-1]} == set(heavy)
    for one in period.series[:-1]:
        true = few.count(one.tenant)
        assert true - period.error <= one.arrived <= true <= one.arrived + one.undercount


def test_without_a_capacity_everything_stays_exact():
    metrics = TenantMetrics(top_k=2, capacity=None)
    metrics.record("arrived", [f"t{i}" for i in range(30_000)] + ["t29999"])
    period = metrics.close()
    assert period.exact
    assert period.series[0].tenant == "t29999"


# --- the blind spot and its cure ------------------------------------------------------------


def blind_spot(**options) -> Period:
    """One small tenant has 18 of 20 tasks rejected, among fifty busy ones with hardly any."""
    metrics = TenantMetrics(top_k=10, samples=5, **options)
    for i in range(50):
        metrics.record("arrived", [f"busy{i:02}"] * (1000 + i))
        metrics.record("queue_full", [f"busy{i:02}"] * (i % 3))
    metrics.record("arrived", ["tiny"] * 20)
    metrics.record("queue_full", ["tiny"] * 18)
    return metrics.close()


def test_a_small_tenant_with_many_rejections_vanishes_in_other():
    period = blind_spot()
    assert "tiny" not in period.by_label
    assert period.other.rejected_ratio < 0.002
    assert "tiny" in period.samples  # which names it, but gives no curve


@pytest.mark.parametrize("by", ["rejections", "ratio"])
def test_the_second_ranking_shows_it_within_the_same_budget(by):
    period = blind_spot(rejected_k=3, rejected_by=by)
    assert len(period.series) <= 11
    assert period.by_label["tiny"].rejected_ratio == 0.9
    assert len([one for one in period.series if one.tenant and one.tenant > "busy40"]) >= 7


def test_ranking_by_ratio_needs_a_floor_of_arrivals():
    assert "tiny" not in blind_spot(rejected_k=1, rejected_by="ratio", floor=21).by_label
    assert "tiny" in blind_spot(rejected_k=1, rejected_by="ratio", floor=20).by_label


def changes_of_labels(hysteresis_on: bool, periods: int = 60) -> int:
    """Count changes among ten labels where thirty tenants are equally busy, at 100 a period."""
    rng = np.random.default_rng(7)
    metrics = TenantMetrics(top_k=10)
    if not hysteresis_on:
        metrics._busy_rank.update = lambda names, slot, values, *_: [
            names[i] for i in np.argsort(-values, kind="stable")[:10]
        ]
    before: set[str] = set()
    changes = 0
    for _ in range(periods):
        for i, n in enumerate(rng.poisson(100, 30).tolist()):
            metrics.record("arrived", [f"t{i}"] * n)
        labels = {one.label for one in metrics.close().series}
        changes += len(labels - before) if before else 0
        before = labels
    return changes


def test_labels_do_not_flap_at_the_last_place():
    assert changes_of_labels(hysteresis_on=True) == 0
    assert changes_of_labels(hysteresis_on=False) > 100  # negative control


def test_a_much_busier_newcomer_gets_a_label_at_once_and_a_quiet_holder_keeps_a_free_place():
    ranking = StickyRanking(k=2, hysteresis=0.25)

    def update(**values: float) -> list[str]:
        keys = list(values)
        place = {name: i for i, name in enumerate(keys)}
        return ranking.update(keys, place, np.array(list(values.values()), dtype=float))

    assert update(a=100, b=90) == ["a", "b"]
    assert update(a=100, b=90, c=95) == ["a", "b"]
    assert update(a=100, b=90, c=500) == ["c", "a"]
    assert set(update(c=500)) == {"a", "c"}  # a is quiet, but nobody wants the place


# --- arguments ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"top_k": -1}, "top_k"),
        ({"samples": 1.5}, "samples"),
        ({"rejected_k": 11}, "rejected_k"),
        ({"rejected_by": "size"}, "rejected_by"),
        ({"capacity": 3}, "capacity"),
        ({"hysteresis": nan}, "hysteresis"),
        ({"buckets_s": [2, 1]}, "buckets_s"),
        ({"reasons": ["a", "a"]}, "reasons"),
    ],
)
def test_bad_options_are_refused_by_name(options, said):
    with pytest.raises((ValueError, TypeError), match=said):
        TenantMetrics(**options)


def test_bad_events_are_refused_and_not_counted():
    metrics = TenantMetrics()
    with pytest.raises(ValueError, match="reason must be one of queue_full, quota"):
        metrics.rejected("a", "bad mood")
    with pytest.raises(ValueError, match="wait_s"):
        metrics.started("a", nan)
    with pytest.raises(TypeError, match="tenant"):
        metrics.arrived(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tenant"):
        metrics.record("arrived", ["a", None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="event"):
        metrics.record("came", ["a"])
    with pytest.raises(ValueError, match="wait_s"):
        metrics.record("started", ["a"])
    with pytest.raises(ValueError, match="tenants"):
        metrics.record("arrived", np.array([0, 2]), names=["a", "b"])
    assert metrics.close().total.arrived == 0


def test_no_event_is_lost_between_threads():
    metrics = TenantMetrics(capacity=100)

    def work(who: int) -> None:
        for i in range(20_000):
            metrics.arrived(f"t{(who + i) % 40}")

    threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    seen = [metrics.close().total.arrived for _ in range(20)]
    for thread in threads:
        thread.join()
    assert sum(seen) + metrics.close().total.arrived == 80_000


# --- the monitor and measure ----------------------------------------------------------------


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


# --- Prometheus -----------------------------------------------------------------------------


@pytest.fixture
def scrape():
    """Serve collectors over HTTP on localhost; give a function that fetches and parses."""
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    stop = []

    def serve(*collectors):
        registry = CollectorRegistry()
        for collector in collectors:
            registry.register(collector)
        server, thread = start_http_server(0, addr="127.0.0.1", registry=registry)
        stop.append((server, thread))

        def fetch():
            request = urllib.request.Request(
                f"http://127.0.0.1:{server.server_port}/metrics",
                headers={"Accept": "application/openmetrics-text; version=1.0.0"},
            )
            with urllib.request.urlopen(request, timeout=10) as response:
                assert "openmetrics" in response.headers["Content-Type"]
                text = response.read().decode()
            return {family.name: family for family in text_string_to_metric_families(text)}

        return fetch

    yield serve
    for server, thread in stop:
        server.shutdown()
        server.server_close()
        thread.join()


def by_tenant(family, name: str, **labels: str) -> dict[str, float]:
    return {
        sample.labels["tenant"]: sample.value
        for sample in family.samples
        if sample.name == name and all(sample.labels.get(k) == v for k, v in labels.items())
    }


def test_scraped_metrics_are_openmetrics_and_add_up(scrape):
    from fairness_lib.observe.exporter import FairnessCollector, TenantCollector

    metrics = TenantMetrics(top_k=2)
    monitor, alert = FairnessMonitor(1, 10, 5), UnderShareAlert()
    tenants = TenantCollector(metrics, period_s=1000)
    fetch = scrape(tenants, FairnessCollector(monitor, alert))
    assert by_tenant(fetch()["fairness_tenant_arrivals"], "fairness_tenant_arrivals_total") == {}

    odd = 'so "odd"\nname\\'
    metrics.record("arrived", [odd] * 5 + [OTHER] * 4 + ["c", "d"])
    metrics.record("quota", [odd, "c"])
    metrics.record("started", [odd, odd, "d"], wait_s=[0.004, 0.05, 0.2])
    tenants.roll()
    monitor.arrived("t", "a", 1.0)
    monitor.started("t", 2.0)
    monitor.finished("t", 3.0)
    monitor.advance(5.0)
    families = fetch()
    arrivals = by_tenant(families["fairness_tenant_arrivals"], "fairness_tenant_arrivals_total")
    assert arrivals == {odd: 5, "_" + OTHER: 4, OTHER: 2}
    rejections = families["fairness_tenant_rejections"]
    name = "fairness_tenant_rejections_total"
    assert by_tenant(rejections, name, reason="quota") == {odd: 1, "_" + OTHER: 0, OTHER: 1}
    waits = families["fairness_tenant_queue_wait_seconds"]
    assert waits.type == "histogram"
    assert by_tenant(waits, f"{waits.name}_bucket", le="0.05")[odd] == 2
    assert by_tenant(waits, f"{waits.name}_bucket", le="0.03")[odd] == 1
    assert by_tenant(waits, f"{waits.name}_count") == {odd: 2, "_" + OTHER: 0, OTHER: 1}
    assert by_tenant(waits, f"{waits.name}_sum")[odd] == pytest.approx(0.054)
    assert by_tenant(families["fairness_tenant_queue_depth"], "fairness_tenant_queue_depth") == {
        odd: 2,
        "_" + OTHER: 4,
        OTHER: 0,
    }
    assert families["fairness_jain_index"].samples[0].value == 1.0
    assert families["fairness_under_share_wait_p99_seconds"].samples[0].value == 1.0
    assert families["fairness_alert_firing"].samples[0].value == 0.0

    metrics.record("arrived", ["c"] * 90)  # c pushes somebody out; what counts never goes down
    tenants.roll()
    after = by_tenant(fetch()["fairness_tenant_arrivals"], "fairness_tenant_arrivals_total")
    assert len(after) == 3
    assert after["c"] == 90
    assert after[OTHER] >= arrivals[OTHER]


def test_collector_ends_a_period_when_one_is_due_and_lets_the_monitor_see_a_stuck_pool(scrape):
    from fairness_lib.observe.exporter import FairnessCollector, TenantCollector

    now = 0.0
    metrics, monitor = TenantMetrics(), FairnessMonitor(1, 10, 5)
    tenants = TenantCollector(metrics, period_s=15, clock=lambda: now)
    fetch = scrape(tenants, FairnessCollector(monitor, clock=lambda: now))
    metrics.arrived("a")
    monitor.arrived("t", "a", 0.0)
    name = "fairness_tenant_arrivals"
    assert not fetch()[name].samples
    now = 60.0
    families = fetch()
    assert by_tenant(families[name], f"{name}_total") == {"a": 1, OTHER: 0}
    assert families["fairness_under_share_wait_p99_seconds"].samples[0].value == 60.0


def exported_names() -> set[str]:
    from fairness_lib.observe.exporter import FairnessCollector, TenantCollector

    metrics, monitor = TenantMetrics(), FairnessMonitor(1, 10, 5)
    metrics.arrived("a")
    tenants = TenantCollector(metrics, 0)
    monitor.advance(0.0)
    monitor.advance(10.0)
    families = [*tenants.collect(), *FairnessCollector(monitor, UnderShareAlert()).collect()]
    return {sample.name for family in families for sample in family.samples}


def test_rules_and_dashboard_use_only_exported_names():
    folder = ROOT / "examples" / "observability"
    rules = yaml.safe_load((folder / "fairness.rules.yml").read_text())
    dashboard = json.loads((folder / "dashboard.json").read_text())
    alerts = [rule for group in rules["groups"] for rule in group["rules"] if "alert" in rule]
    assert {"for", "keep_firing_for", "annotations"} <= set(alerts[0])
    expressions = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    panels = dashboard["panels"]
    expressions += [target["expr"] for panel in panels for target in panel.get("targets", [])]
    recorded = {
        rule["record"] for group in rules["groups"] for rule in group["rules"] if "record" in rule
    }
    used = {name for e in expressions for name in re.findall(r"\bfairness[_:][a-z0-9_:]+", e)}
    assert used
    assert used <= exported_names() | recorded
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_importing_the_library_needs_no_prometheus_client():
    code = (
        "import sys; sys.modules['prometheus_client'] = None\n"
        "import fairness_lib, fairness_lib.observe, fairness_lib.live_command\n"
        "assert 'pandas' not in sys.modules and 'matplotlib' not in sys.modules\n"
        "from fairness_lib.__main__ import main\n"
        "sys.exit(main(['live', '--seconds', '1']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "fairness_lib[prometheus]" in done.stderr
    assert "Traceback" not in done.stderr


def test_ten_thousand_tenants_make_as_many_series_as_ten():
    names = [f"t{i}" for i in range(10_000)]
    metrics = TenantMetrics(top_k=10)
    for _ in range(3):
        metrics.record("arrived", np.arange(10_000), names=names)
        period = metrics.close()
        assert len(period.series) == 11
        assert period.exact
