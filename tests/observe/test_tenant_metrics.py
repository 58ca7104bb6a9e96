"""Tenant metrics: few series, bounded memory, and no event lost."""

from __future__ import annotations

import pickle
import threading
import tracemalloc
from collections import Counter
from copy import copy, deepcopy
from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import TenantMetrics, article_workload, drr, fifo, measure, simulate
from fairness_lib.measures.statistics import quantile
from fairness_lib.observe import (
    BUCKETS_S,
    OTHER,
    Period,
    WaitHistogram,
    count_by_period,
    label_of,
)
from fairness_lib.observe.heavy_hitters import HeavyHitters
from fairness_lib.observe.ranking import StickyRanking

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
        assert total == getattr(period.total, field)
        if field != "arrived":
            assert total == kinds[field]
    came, left = Counter(), Counter()
    for kind, tenant, *_ in events:
        came[tenant] += kind == "arrived"
        left[tenant] += kind in ("quota", "queue_full")
    # a rejection of a task that did not arrive may be taken for an arrival, and nothing else
    assert 0 <= period.total.arrived - kinds["arrived"] <= (left - came).total()
    for one in period.series:
        assert min(one.arrived, one.admitted, one.started, one.abandoned, one.depth) >= 0
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


ODD_NAMES = st.text(alphabet="_other", max_size=14) | st.lists(
    st.sampled_from(["\\", "u", "d", "c80", "D", "\udc80", "\ud800", "\\udc80", "é"]), max_size=6
).map("".join)


@given(ODD_NAMES, ODD_NAMES)
def test_no_two_tenants_share_a_label_and_every_label_can_be_encoded(one, two):
    assert OTHER not in (label_of(one), label_of(two))
    assert (label_of(one) == label_of(two)) == (one == two)
    label_of(one).encode("utf-8")


@pytest.mark.parametrize("name", ["\\", r"C:\users", r"\ude", "caf\xe9", "租户"])
def test_an_ordinary_name_is_its_own_label(name):
    assert label_of(name) == name


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


class Shouting(str):
    """A string that says something else of itself."""

    def __str__(self) -> str:
        return self.upper()


@pytest.mark.parametrize("kind", [np.str_, Shouting])
def test_names_of_other_kinds_of_strings_count_as_plain_ones(kind):
    one_by_one, many, coded = TenantMetrics(), TenantMetrics(), TenantMetrics()
    for name in ("a", "a", "b"):
        one_by_one.arrived(kind(name))
    one_by_one.rejected(kind("a"), kind("quota"))
    one_by_one.started(kind("a"), 0.5)
    one_by_one.abandoned(kind("b"))
    waits = {"quota": None, "started": [0.5], "abandoned": None}
    many.record("arrived", ["a", kind("a"), kind("b")])
    coded.record("arrived", [1, 1, 0], names=[kind("b"), kind("a")])
    for event, wait_s in waits.items():
        many.record(event, [kind("b" if event == "abandoned" else "a")], wait_s=wait_s)
        coded.record(event, [int(event != "abandoned")], names=np.array(["b", "a"]), wait_s=wait_s)
    periods = [metrics.close() for metrics in (one_by_one, many, coded)]
    for period in periods:
        assert [(one.label, one.arrived, one.depth) for one in period.series] == [
            ("a", 2, 0),
            ("b", 1, 0),
            (OTHER, 0, 0),
        ]
        assert {type(one.tenant) for one in period.series[:-1]} == {str}
        assert period.to_frame().equals(periods[0].to_frame())


@pytest.mark.parametrize(
    ("tell", "said"),
    [
        (lambda m: m.arrived(b"a"), "tenant must be a string; got b'a'"),
        (lambda m: m.abandoned(None), "tenant must be a string; got None"),
        (lambda m: m.record("arrived", [["a"]]), "tenant must be a string; got \\['a'\\]"),
        (lambda m: m.record("arrived", "abc"), "tenants must be several strings; got 'abc'"),
        (lambda m: m.record("arrived", None), "tenants must be several strings; got None"),
        (lambda m: m.record("arrived", [0], names="abc"), "names must be a sequence of strings"),
        (lambda m: m.record("arrived", [0], names=5), "names must be a sequence of strings"),
        (lambda m: m.record("arrived", 0, names=["a"]), "tenants must have one dimension"),
        (lambda m: m.rejected("a", ["quota"]), "reason must be one of"),
        (lambda m: m.started("a", None), "wait_s must be .*; got None"),
        (lambda m: m.started("a", True), "wait_s must be .*; got True"),
        (lambda m: m.started("a", np.array([1.0])), "wait_s must be .*; got array"),
        (lambda m: m.started("a", "1"), "wait_s must be .*; got '1'"),
    ],
)
def test_a_refused_event_costs_no_other_one(tell, said):
    metrics = TenantMetrics()
    metrics.arrived("a")
    with pytest.raises((TypeError, ValueError), match=said):
        tell(metrics)
    metrics.started("a", 1)
    total = metrics.close().total
    assert (total.arrived, total.started, total.depth) == (1, 1, 0)


def test_a_start_of_a_task_that_never_arrived_takes_nothing_from_a_queue():
    metrics = TenantMetrics(top_k=1)
    metrics.record("arrived", ["busy"] * 5)
    metrics.record("started", ["a", "b"], wait_s=[1.0, 1.0])
    period = metrics.close()
    assert {one.label: one.depth for one in period.series} == {"busy": 5, OTHER: 0}
    assert (period.total.depth, period.total.started) == (5, 2)
    metrics.record("arrived", ["a"])  # nor from what comes later
    assert {one.label: one.depth for one in metrics.close().series} == {"busy": 5, OTHER: 1}


@given(st.lists(st.tuples(EVENTS, st.booleans()), min_size=1, max_size=4), st.integers(0, 3))
def test_depths_over_periods_are_those_of_queues_that_are_never_below_empty(periods, top_k):
    """Each tenant's queue, in exact mode: what came less what left, and 0 if more left."""
    metrics, depth = TenantMetrics(top_k), Counter()
    for events, one_batch_each in periods:
        for event in events:
            tell(metrics, event)
            if one_batch_each:
                metrics.flush()
            depth[event[1]] += 1 if event[0] == "arrived" else -1
        depth = +depth  # only what is above 0 is carried on
        period = metrics.close()
        assert period.total.depth == depth.total()
        for one in period.series[:-1]:
            assert one.depth == depth[one.tenant]


@pytest.mark.parametrize("at", ["_one_arrived", "_one_started", "_one_rejected", "_one_abandoned"])
def test_a_task_that_comes_and_goes_while_a_period_ends_is_not_torn_apart(at):
    """Its start never counts before its arrival, so nothing is left in the queue."""
    metrics = TenantMetrics()

    class Busy(list):
        def __getitem__(self, part):  # other threads go on while this list is being taken
            for leave in (
                lambda: metrics.started("a", 0.1),
                lambda: metrics.rejected("a", "quota"),
                lambda: metrics.abandoned("a"),
            ):
                metrics.arrived("a")
                leave()
            return super().__getitem__(part)

    setattr(metrics, at, Busy())
    first = metrics.close()
    setattr(metrics, at, list(getattr(metrics, at)))
    second = metrics.close()
    assert second.total.depth == 0
    for count in ("started", "abandoned"):
        assert getattr(first.total, count) + getattr(second.total, count) == 1
    torn = second.total.rejected["quota"]  # it implies an arrival in its own period too
    assert first.total.rejected["quota"] + torn == 1
    assert 3 <= first.total.arrived + second.total.arrived <= 3 + torn
    for period in (first, second):
        assert min(one.depth for one in period.series) >= 0


@given(
    EVENTS,
    EVENTS,
    st.booleans(),
    st.sampled_from([copy, deepcopy, lambda m: pickle.loads(pickle.dumps(m))]),
)
def test_a_copy_goes_on_as_the_metrics_would_and_leaves_them_alone(before, after, ended, copied):
    metrics = TenantMetrics(2, 1, rejected_k=1)
    for event in before:
        tell(metrics, event)
    if ended:
        metrics.close()
    twin, untouched = copied(metrics), copied(metrics)
    alone = copied(untouched).close()
    for event in after:
        tell(twin, event)
    periods = [twin.close(), twin.close()]
    assert untouched.close().to_frame().equals(alone.to_frame())
    for event in after:
        tell(metrics, event)
    for period in periods:
        same = metrics.close()
        assert same.to_frame().equals(period.to_frame())
        assert (same.samples, same.exact, same.error) == (
            period.samples,
            period.exact,
            period.error,
        )


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
