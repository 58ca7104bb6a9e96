"""Metrics: a run small enough to measure by hand, closed forms, and slow independent recounts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from cases import VECTORS, Reluctant, idle_while_queued, policies, tasks, workloads
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairness_lib import (
    Deterministic,
    Fifo,
    Policy,
    Scenario,
    Tenant,
    Workload,
    drr,
    f2,
    fifo,
    jain_index,
    measure,
    quota,
    simulate,
)
from fairness_lib.measures.statistics import quantile

# --- Jain's index --------------------------------------------------------------------------

shares = st.lists(st.just(0.0) | st.floats(1e-6, 1e6), min_size=1, max_size=20)


@pytest.mark.parametrize(("x", "index"), VECTORS["jain"]["rows"], ids=str)
def test_jain_index_of_a_published_vector(x, index) -> None:
    assert jain_index(x) == pytest.approx(index, rel=1e-14)


@given(shares)
def test_jain_index_is_between_one_nth_and_one(x) -> None:
    assert 1 / len(x) - 1e-12 <= jain_index(x) <= 1 + 1e-12


@given(shares, st.sampled_from([1e-300, 1e-9, 0.1, 7.0, 1e9, 1e300]))
def test_jain_index_does_not_depend_on_the_unit(x, unit) -> None:
    assert jain_index(np.array(x) * unit) == pytest.approx(jain_index(x), rel=1e-9)


@given(shares, st.randoms(use_true_random=False))
def test_jain_index_does_not_depend_on_the_order(x, random) -> None:
    shuffled = list(x)
    random.shuffle(shuffled)
    assert jain_index(shuffled) == pytest.approx(jain_index(x), rel=1e-12)


@given(st.integers(1, 30), st.integers(1, 30))
def test_jain_index_of_k_equal_shares_among_n_is_k_over_n(k, n) -> None:
    assume(k <= n)
    assert jain_index([3.0] * k + [0.0] * (n - k)) == pytest.approx(k / n)


def test_jain_index_of_nothing_at_all_is_one() -> None:
    assert jain_index([0, 0]) == 1.0


# --- a run measured by hand -------------------------------------------------------------------


def small_run():
    """One worker, a queue of two, a window of four seconds from 2 to 6.

    ======  =======  ====  =====  ======
    tenant  arrival  cost  start  finish
    ======  =======  ====  =====  ======
    a       0        3     0      3
    a       2        1     3      4
    b       2.5      0.5   4      4.5
    a       2.75     1     full
    a       3        1     4.5    5.5
    b       5        2     5.5    7.5
    b       6        1     7.5    8.5
    ======  =======  ====  =====  ======
    """
    work = tasks(
        *(("a", 0.0, 3.0), ("a", 2.0, 1.0), ("b", 2.5, 0.5), ("a", 2.75, 1.0)),
        *(("a", 3.0, 1.0), ("b", 5.0, 2.0), ("b", 6.0, 1.0)),
        horizon_s=10.0,
    )
    return simulate(work, fifo(cap=2), workers=1)


def test_scalars_by_hand() -> None:
    report = measure(small_run(), (2.0, 6.0))
    # a: 3 arrive, b: 2 arrive; finished in the window: costs 3, 1, 0.5 and 1
    assert report.capacity_per_s == pytest.approx(1 / (5.5 / 4))
    # 8/11 tasks a second for demands of 3/4 and 2/4: both get 4/11
    # a finishes 3 in 4 s, b finishes 1: x = 0.75 / (4/11) and 0.25 / (4/11)
    assert report.min_x == pytest.approx(0.25 * 11 / 4)
    assert report.min_x_tenant == "b"
    assert report.jain == pytest.approx((3 + 1) ** 2 / (2 * (3**2 + 1**2)))
    assert report.utilisation == report.utilisation_with_drain == pytest.approx(8.5 / 10)
    assert report.window_utilisation == 1.0
    # alone until 2.5, a has half the worker until 3.5, when b's first is done, and from 5
    # (see test_fair): b is owed both its starts, and a none
    assert (report.owed, report.kept) == (2, 0.0)
    assert report.missed == {
        **{"late": 2, "waiting": 0, "queue_full": 0, "quota": 0},
        "abandoned": 0,
    }
    assert (report.worst_behind_p99_s, report.worst_behind_tenant) == (0.5, "b")
    assert report.idle_while_queued_s == 0
    assert np.isnan(report.under_share_p99_wait_s)  # both ask for more than their share


def test_table_by_hand() -> None:
    tenants = measure(small_run(), (2.0, 6.0)).tenants
    assert tenants.index.tolist() == ["a", "b"]
    expected = {
        "weight": [1, 1],
        "demand_per_s": [3 / 4, 2 / 4],
        "fair_share_per_s": [4 / 11, 4 / 11],
        "completed_per_s": [3 / 4, 1 / 4],
        "x": [33 / 16, 11 / 16],
        "under_share": [False, False],
        "arrived": [3, 2],
        "admitted": [2, 2],
        "rejected_queue_full": [1, 0],
        "rejected_quota": [0, 0],
        "waiting": [0, 0],
        "abandoned": [0, 0],
        # waits: a 1 and 1.5, b 1.5 and 0.5; element int(q * (n - 1)) of two is the lower one
        "wait_p50_s": [1.0, 0.5],
        "wait_p90_s": [1.0, 0.5],
        "wait_p99_s": [1.0, 0.5],
        "owed": [0, 2],
        "kept": [float("nan"), 0.0],
        # b's should have started at 2.5 and 5, and did at 4 and 5.5
        "behind_p50_s": [0.0, 0.5],
        "behind_p99_s": [0.0, 0.5],
        "fair_work_s": [3.0, 1.0],
        "got_work_s": [3.0, 1.0],
        "got_over_fair": [1.0, 1.0],
        "wasted_work_s": [0.0, 0.0],
        "depth_max": [1, 1],
        # queued in the window: a 2 to 3 and 3 to 4.5, b 2.5 to 4 and 5 to 5.5
        "depth_mean": [2.5 / 4, 2.0 / 4],
    }
    assert tenants.columns.tolist() == list(expected)
    for column, values in expected.items():
        assert tenants[column].tolist() == pytest.approx(values, nan_ok=True), column


def test_work_is_counted_in_worker_seconds() -> None:
    """In the window arrive 3 worker-seconds of a and 2.5 of b; 5 and 0.5 end; the pool has 4."""
    report = measure(small_run(), (2.0, 6.0), unit="work")
    assert report.capacity_per_s == 1.0
    assert report.tenants["demand_per_s"].tolist() == [3 / 4, 2.5 / 4]
    assert report.tenants["fair_share_per_s"].tolist() == [0.5, 0.5]
    assert report.tenants["completed_per_s"].tolist() == [5 / 4, 0.5 / 4]
    assert report.unit == "work"


def test_backlog_is_demand_too_where_that_is_asked_for() -> None:
    """At 5, fair sharing has begun two of a's four tasks, and has half of the second to do."""
    plain = measure(small_run(), (5.0, 7.0))
    tasks_, work = (
        measure(small_run(), (5.0, 7.0), backlog=True, unit=u) for u in ("tasks", "work")
    )
    assert plain.tenants["demand_per_s"].tolist() == [0.0, 2 / 2]
    assert tasks_.tenants["demand_per_s"].tolist() == [1 / 2, 2 / 2]
    assert work.tenants["demand_per_s"].tolist() == [1.5 / 2, 3 / 2]


def test_utilisation_stops_at_the_horizon_and_the_articles_count_does_not() -> None:
    work = tasks(("a", 0.0, 3.0), ("a", 1.0, 3.0), horizon_s=4.0)
    report = measure(simulate(work, fifo(), workers=1))
    assert report.window == (0.0, 4.0)
    assert (report.utilisation, report.window_utilisation) == (1.0, 1.0)
    assert report.utilisation_with_drain == 6 / 4


def test_workers_and_window_are_the_workloads_own_where_nothing_else_is_said() -> None:
    scenario = Scenario([Tenant("a", 150.0)], workers=2, horizon_s=4.0, window_s=(1.0, 3.0))
    run = simulate(scenario.workload(1), fifo())
    assert (run.workers, measure(run).window) == (2, (1.0, 3.0))
    other = simulate(scenario.workload(1), fifo(), 3)
    assert (other.workers, measure(other, (0, 4)).window) == (3, (0.0, 4.0))
    with pytest.raises(ValueError, match="workers must be given"):
        simulate(Scenario([Tenant("a", 150.0)]).workload(1), fifo())


def test_tasks_never_served_count_as_long_as_they_have_waited() -> None:
    """A discipline that forgets b: its wait, and the idle workers beside it, last until 10."""

    class Forgets(Fifo):
        def put(self, task, now):
            return None if task else super().put(task, now)

    work = tasks(("a", 0.0, 1.0), *[("b", 2.0, 1.0)] * 4, horizon_s=10.0)
    report = measure(simulate(work, Policy("forgets", Forgets(None)), 2))
    assert report.tenants["waiting"].tolist() == [0, 4]
    assert (report.tenants.loc["b", "wait_p99_s"], report.worst_behind_p99_s) == (8.0, 7.5)
    assert report.idle_while_queued_s == 16.0
    assert "never served 4 of 5 tasks: b 4 of its 4" in repr(report)
    assert report.missed["waiting"] == 1  # fair sharing would have started the others later
    assert not f2(report).held


def test_a_window_holds_its_start_and_not_its_end() -> None:
    """b's task at 6 belongs to the window from 6, a's at 2 to the one from 2."""
    assert measure(small_run(), (2.0, 6.0)).tenants["arrived"].tolist() == [3, 2]
    assert measure(small_run(), (6.0, 10.0)).tenants["arrived"].tolist() == [0, 1]
    later = np.nextafter(2.0, 3.0)
    assert measure(small_run(), (later, 6.0)).tenants["arrived"].tolist() == [2, 2]


def test_a_completion_belongs_to_the_window_that_starts_with_it() -> None:
    """a's tasks finish at 3, 4 and 5.5, b's at 4.5."""
    assert measure(small_run(), (3.0, 5.5)).tenants["completed_per_s"].tolist() == [0.8, 0.4]
    assert measure(small_run(), (2.5, 5.0)).tenants["completed_per_s"].tolist() == [0.8, 0.4]
    later = np.nextafter(5.5, 6.0)
    assert measure(small_run(), (3.0, later)).tenants["completed_per_s"]["a"] > 1


def test_a_tenant_without_demand_has_no_x_and_does_not_count() -> None:
    report = measure(small_run(), (6.0, 10.0))
    assert np.isnan(report.tenants.loc["a", "x"])
    assert report.jain == 1.0  # over b alone
    assert report.min_x_tenant == "b"


def test_tenants_within_their_share_are_those_who_get_all_they_ask_for() -> None:
    """One worker, 1 task a second; wide asks for 3 a second and small for a quarter."""
    work = tasks(
        ("small", 0.25, 1.0), *[("wide", i / 3, 1.0) for i in range(12)][1:], horizon_s=4.0
    )
    report = measure(simulate(work, fifo(cap=None), 1), (0.0, 4.0))
    assert report.tenants["under_share"].to_dict() == {"small": True, "wide": False}
    small = work.arrival_s[work.tenant == 0]
    assert report.under_share_p99_wait_s == report.run.wait_s[work.arrival_s == small].item()


def test_the_fair_share_follows_the_weights() -> None:
    scenario = Scenario([Tenant("a", 900, weight=3.0), Tenant("b", 900)], horizon_s=10)
    report = measure(simulate(scenario.workload(1), drr(), 8), (2.0, 10.0))
    share = report.tenants["fair_share_per_s"]
    assert share["a"] == pytest.approx(3 * share["b"])
    assert report.min_x == pytest.approx(1.0, abs=0.03)
    unweighted = simulate(scenario.workload(1), drr(weights={"a": 1.0, "b": 1.0}), 8)
    assert measure(unweighted, (2.0, 10.0)).min_x < 0.8  # equal service is not fair here


@pytest.mark.parametrize(
    ("n", "q", "element"), [(1, 0.99, 0), (2, 0.99, 0), (101, 0.99, 99), (100, 0.99, 98)]
)
def test_a_quantile_is_the_articles_element(n, q, element) -> None:
    assert quantile(np.arange(n, dtype=float), q) == element


def test_a_quantile_of_nothing_is_not_a_number() -> None:
    assert np.isnan(quantile(np.array([]), 0.5))


def test_idle_while_queued_sees_a_policy_that_is_not_work_conserving() -> None:
    work = tasks(("a", 1.0, 1.0), ("a", 4.0, 1.0))
    policy = Policy("reluctant", Reluctant(None))
    assert measure(simulate(work, policy, workers=2), (0.0, 10.0)).idle_while_queued_s == 6.0
    assert measure(simulate(work, fifo(), workers=2), (0.0, 10.0)).idle_while_queued_s == 0.0


# --- slow recounts -------------------------------------------------------------------------------


def report_of(work: Workload, policy: Policy, workers: int, window):
    """Measure, or skip an example in which nothing arrives or finishes in the window."""
    run, (start, end) = simulate(work, policy, workers), window
    for time in (work.arrival_s, run.finish_s[run.served]):
        assume(((time >= start) & (time < end)).any())
    return measure(run, window)


windows = st.tuples(st.integers(0, 12), st.integers(4, 16)).map(
    lambda w: (w[0] / 2, min(8.0, w[0] / 2 + w[1] / 4))
)


@settings(max_examples=60)
@given(workloads(), policies, st.integers(1, 3), windows)
def test_queue_depths_equal_a_task_by_task_recount(work, policy, workers, window) -> None:
    report = report_of(work, policy, workers, window)
    run, (start, end) = report.run, window
    moments = np.unique(np.concatenate([[start, end], work.arrival_s, run.start_s[run.served]]))
    moments = moments[(moments >= start) & (moments <= end)]
    for i, name in enumerate(work.tenants):
        own = (work.tenant == i) & run.served
        queued = [
            int((own & (work.arrival_s <= before) & (run.start_s >= after)).sum())
            for before, after in pairwise(moments)
        ]
        row = report.tenants.loc[name]
        area = float(np.dot(queued, np.diff(moments)))
        assert row["depth_mean"] == pytest.approx(area / (end - start), abs=1e-9)
        assert row["depth_max"] == max(queued)


@settings(max_examples=60)
@given(workloads(), policies, st.integers(1, 3), windows)
def test_counts_and_waits_equal_a_task_by_task_recount(work, policy, workers, window) -> None:
    report = report_of(work, policy, workers, window)
    run, (start, end) = report.run, window
    frame = run.to_frame()
    inside = frame[(frame["arrival_s"] >= start) & (frame["arrival_s"] < end)]
    done = frame[(frame["finish_s"] >= start) & (frame["finish_s"] < end)]
    for name in work.tenants:
        row, own = report.tenants.loc[name], inside[inside["tenant"] == name]
        assert row["arrived"] == len(own)
        assert row["rejected_quota"] == (own["outcome"] == "quota").sum()
        assert row["rejected_queue_full"] == (own["outcome"] == "queue_full").sum()
        assert row["admitted"] == (own["outcome"] == "served").sum()
        assert row["demand_per_s"] == pytest.approx(len(own) / (end - start))
        assert row["completed_per_s"] == pytest.approx(
            (done["tenant"] == name).sum() / (end - start)
        )
        waits = sorted((own["start_s"] - own["arrival_s"]).dropna())
        for column, q in (("wait_p50_s", 0.5), ("wait_p90_s", 0.9), ("wait_p99_s", 0.99)):
            expected = waits[int(q * (len(waits) - 1))] if waits else float("nan")
            assert row[column] == pytest.approx(expected, nan_ok=True)


class Pausing(Fifo):
    """A queue that gives tasks in even seconds only."""

    def take(self, now):
        return super().take(now) if int(now) % 2 == 0 else None


@given(workloads(), st.integers(1, 3))
def test_idle_while_queued_equals_a_piece_by_piece_recount(work, workers) -> None:
    run = simulate(work, Policy("pausing", Pausing(None)), workers)
    report = report_of(work, run.policy, workers, (0.0, 8.0))
    assert report.idle_while_queued_s == pytest.approx(idle_while_queued(run), abs=1e-9)


@settings(max_examples=25)
@given(workloads(), policies, st.integers(1, 3))
def test_measuring_changes_nothing(work, policy, workers) -> None:
    run = simulate(work, policy, workers)
    before = run.to_frame()
    report = report_of(work, policy, workers, (0.0, 8.0))
    assert repr(report)
    assert report.tenants is report.tenants
    assert run.to_frame().equals(before)


# --- how it is shown ----------------------------------------------------------------------------


def test_tenant_and_policy_names_are_escaped_in_html() -> None:
    work = tasks(("<script>alert(1)</script>", 0.0, 1.0), ("a&b", 0.5, 1.0), horizon_s=4.0)
    policy = Policy("<b>mine</b>", fifo().discipline)
    html = measure(simulate(work, policy, 8), (0.0, 4.0))._repr_html_()
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&lt;b&gt;mine&lt;/b&gt;" in html
    assert "a&amp;b" in html


def test_few_tasks_make_a_note_that_names_the_alternative() -> None:
    scenario = Scenario([Tenant("a", 100), Tenant("b", 1)], horizon_s=10)
    report = measure(simulate(scenario.workload(1), fifo(), 8))
    (note,) = report.notes
    assert note.startswith("Tenants with fewer than 20 tasks in the window: 1.")
    assert "owed, kept and behind" in note
    assert note in report._repr_html_().replace("&#x27;", "'")
    plenty = Scenario([Tenant("a", 100), Tenant("b", 50)], horizon_s=10)
    assert measure(simulate(plenty.workload(1), fifo(), 8)).notes == ()


def test_unequal_costs_make_a_note_where_tasks_are_counted() -> None:
    classes = [Tenant(f"{s} s", 10.0, service_time=Deterministic(s)) for s in (0.1, 0.3)]
    run = simulate(Scenario(classes, 8, 10.0).workload(1), fifo())
    (note,) = measure(run).notes
    assert note.startswith("Tenants' mean costs differ by a factor of 3.0")
    assert measure(run, unit="work").notes == ()


@pytest.mark.parametrize("seed", range(20))
def test_costs_that_differ_by_chance_make_no_note(seed) -> None:
    few = Scenario([Tenant(f"t{i}", 2.5) for i in range(20)], 8, 10.0)
    notes = measure(simulate(few.workload(seed), fifo())).notes
    assert not any("mean costs" in note for note in notes)


def test_what_was_rejected_and_whose_it_was_is_said() -> None:
    report = measure(small_run(), (2.0, 6.0))
    assert "rejected 1 of 5 tasks: a 1 of its 3" in repr(report)
    assert "Rejected 1 of 5 tasks: a 1 of its 3." in report.notes


def test_scalars_have_names_for_a_table() -> None:
    report = measure(small_run(), (2.0, 6.0))
    scalars = report.scalars()
    assert next(iter(scalars)) == "policy"
    assert all(scalars[name] is getattr(report, name) for name in ("jain", "min_x_tenant"))
    assert scalars["idle_while_queued_s"] == 0


def test_a_quota_can_waste_a_pool_and_still_look_work_conserving() -> None:
    """What idle_while_queued_s does not see, as its description says: work turned away."""
    work = tasks(*[("a", i / 10, 1.0) for i in range(50)], horizon_s=6.0)
    report = measure(simulate(work, quota(buckets={"a": (0.1, 1)}), workers=4), (0.0, 6.0))
    assert report.idle_while_queued_s == 0
    assert report.utilisation < 0.1
