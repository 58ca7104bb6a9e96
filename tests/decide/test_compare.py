"""What a decision must not get wrong, each with a case that would show it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces import article, crowded, trace_of

from fairness_lib import Workload, drr, fifo, measure, read_trace, simulate
from fairness_lib import compare as compare_all
from fairness_lib.decide.outcome import outcome
from fairness_lib.decide.parameters import cap_of
from fairness_lib.decide.situation import Situation
from fairness_lib.decide.suspicion import SUSPECT, excess, in_flight, ranks
from fairness_lib.policies.policy import ARTICLE_POLICIES, POLICIES, without_contract

compare = partial(compare_all, policies=["fifo", "drr"])
"""What is registered beside these two is not this module's."""


@pytest.fixture(scope="module")
def burst():
    return compare(article(), workers=8, objective_s=0.05)


def test_the_article_s_traffic_says_drr_with_its_margin(burst) -> None:
    assert (burst.decision.kind, burst.decision.policy) == ("choose", "drr")
    assert burst.decision.margin.low > 0.1
    assert burst.decision.depends == ()
    assert "drr keeps" in burst.decision.because[0]


def test_owed_and_kept_are_what_measure_says(burst) -> None:
    """Over all tasks, contended or not, the outcome's masks are `measure`'s counts."""
    for policy in (fifo(cap=None), drr(cap=None, quantum_s=0.01)):
        run = simulate(article().workload, policy, 8)
        report = measure(run, (0.0, 60.0), objective_s=0.05)
        situation = Situation(article().workload, 8, 0.05)
        one = outcome(situation, policy)
        owed = situation.in_time & (situation.workload.arrival_s < 60.0)
        assert owed.sum() == report.owed
        assert (owed & one.started_in_time).sum() / owed.sum() == report.kept


def test_groups_do_not_depend_on_the_policy_nor_on_todays(burst) -> None:
    """Two columns of one table describe the same people: the review's A2."""
    other = compare(article(), workers=8, objective_s=0.05, policies=["drr"], as_is="drr")
    assert other.situation.beyond.tolist() == burst.situation.beyond.tolist()
    tasks = {one.within.tasks for one in burst.outcomes}
    assert len(tasks) == 1
    heavy = burst.situation.workload.tenants.index("heavy")
    assert np.flatnonzero(burst.situation.beyond).tolist() == [heavy]


def test_groups_go_by_work_and_not_by_tasks() -> None:
    """Few large tasks are beyond their share, many small ones within it: the review's A1."""
    rows = [("large", 10.0 * i, 60.0) for i in range(40)]
    rows += [("small", 0.1 * i, 0.05) for i in range(4000)]
    found = compare(trace_of(rows), workers=2, objective_s=1.0)
    assert found.to_dict()["contention"]["beyond"] == ["large"]


def test_the_verdict_does_not_flip_with_the_length_of_the_trace() -> None:
    """Calm before and after, which hides a burst in a whole-trace share, changes nothing: A3."""
    kept = []
    for calm_s in (0.0, 1000.0, 100_000.0):
        rows = [("big", calm_s + i / 20, 1.0) for i in range(2000)]
        rows += [(f"small{n}", calm_s + i + n / 5, 0.1) for i in range(100) for n in range(5)]
        rows += [("small0", t, 0.1) for t in np.arange(0.0, calm_s, 10.0)]
        found = compare(trace_of(rows), workers=4, objective_s=1.0)
        kept.append([one.kept_part for one in found.outcomes])
    np.testing.assert_allclose(kept, np.broadcast_to(kept[0], np.shape(kept)), atol=0.01)


def test_an_overall_quantile_may_argue_against_what_helps_everyone_else() -> None:
    """The heavy tenant's waits are most of all waits; so waits stand by group."""
    found = compare(crowded(), workers=4, objective_s=1.0)
    now, fair = found.outcomes
    overall = [np.quantile(one.run.wait_s[found.situation.contended], 0.99) for one in (now, fair)]
    assert overall[1] > overall[0]  # the trap
    assert fair.within.p99_s < 0.1 * now.within.p99_s
    assert found.decision.policy == "drr"


def test_where_nothing_waits_no_policy_matters() -> None:
    found = compare(crowded(), workers=500)
    assert found.decision.kind == "does not matter"
    assert "Nothing is contended" in found.decision.because[0]


def test_low_utilisation_is_no_calm() -> None:
    """A pool that is idle for most of the time, and full when everybody comes."""
    rows = [("big", 1000.0 * day + i / 50, 1.0) for day in range(20) for i in range(100)]
    rows += [("small", 1000.0 * day + i / 10, 0.1) for day in range(20) for i in range(200)]
    found = compare(trace_of(rows, horizon_s=20_000.0), workers=2, objective_s=1.0)
    assert found.to_dict()["pool"]["mean_busy"] < 0.2 * 2
    assert found.situation.queue_time < 0.1
    assert found.situation.waited > 0.5
    assert found.decision.kind == "choose"


def test_one_tenant_cannot_say() -> None:
    found = compare(trace_of([("a", i / 10, 1.0) for i in range(500)]), workers=2)
    assert found.decision.kind == "cannot say"
    assert "one tenant" in found.decision.because[0]


def test_a_short_trace_cannot_say() -> None:
    found = compare(trace_of([("a", 0, 1), ("a", 0, 1), ("a", 0, 1), ("b", 0.5, 0.1)]), workers=1)
    assert found.decision.kind == "cannot say"
    assert "too short" in found.decision.because[0]


def test_everyone_beyond_their_share_means_buy() -> None:
    rows = [(f"t{n}", i / 10 + n / 100, 1.0) for n in range(8) for i in range(300)]
    found = compare(trace_of(rows), workers=8, objective_s=1.0)
    assert found.decision.kind == "buy capacity"
    assert "8 starts that are owed all the same" in found.decision.because[1]
    assert all(one.decision.kind == "buy capacity" for one in found.elsewhere)


def test_costs_that_contain_waiting_are_suspected_and_honest_ones_are_not() -> None:
    trace = crowded()
    run = simulate(trace.workload, fifo(cap=None), 4)
    w = trace.workload
    dishonest = Workload(w.tenants, w.arrival_s, w.tenant, run.wait_s + w.cost_s, w.horizon_s)
    assert excess(dishonest) > SUSPECT
    found = compare(replace(trace, workload=dishonest), workers=4)
    assert found.decision.kind == "cannot say"
    assert "contain waiting" in found.decision.because[0]
    trusted = compare(replace(trace, workload=dishonest), workers=4, trust_costs=True)
    assert trusted.decision.kind != "cannot say"
    assert any("they were trusted" in line for line in trusted.to_dict()["alerts"])
    rng = np.random.default_rng(0)
    honest = Workload(w.tenants, w.arrival_s, w.tenant, rng.exponential(0.1, len(w)), w.horizon_s)
    assert abs(excess(honest)) < 0.2
    assert abs(excess(article().workload)) < 0.05


def test_waiting_in_a_few_costs_of_a_calm_log_is_suspected_too() -> None:
    """A correlation over all tasks would drown it: most of the log is calm."""
    log = read_trace("example")
    assert log.wait_s is not None
    assert np.mean(log.wait_s > 0) < 0.25
    latency = read_trace("example", cost="latency_ms")
    assert excess(latency.workload) > SUSPECT
    assert abs(excess(log.workload)) < 0.2
    assert compare(latency).decision.kind == "cannot say"


def test_a_tenant_of_large_tasks_that_comes_in_a_crowd_is_no_evidence_of_waiting() -> None:
    """Its costs and the crowd go together, but not within a tenant."""
    rng = np.random.default_rng(1)
    rows = [("small", t, c) for t, c in zip(range(2000), rng.exponential(0.1, 2000), strict=True)]
    rows += [("large", 500 + i / 10, c) for i, c in enumerate(rng.exponential(50, 2000))]
    w = trace_of(rows).workload
    crowd = in_flight(w.arrival_s, w.arrival_s + w.cost_s)
    assert np.corrcoef(ranks(crowd), ranks(w.cost_s))[0, 1] > SUSPECT  # the trap
    assert excess(w) < 0.3


def test_no_cap_no_quota_and_the_quantum_is_the_trace_s(burst) -> None:
    policies = [one.run.policy for one in burst.outcomes]
    assert [policy.name for policy in policies] == ["fifo", "drr"]
    assert all(policy.discipline.cap is None and policy.admission is None for policy in policies)
    assert policies[1].discipline.quantum_s == pytest.approx(article().workload.cost_s.mean())
    assert all(one.rejected == 0 for one in burst.outcomes)


def test_a_cap_is_the_same_for_all_and_rejected_work_stands_beside_waits() -> None:
    found = compare(crowded(), workers=4, objective_s=1.0, cap=50)
    assert {one.run.policy.discipline.cap for one in found.outcomes} == {50}
    record = found.to_dict()
    assert all(policy["rejected_work_s"] > 0 for policy in record["policies"])


def test_by_default_the_articles_are_compared_that_need_no_contract() -> None:
    found = compare_all(crowded(), workers=4, objective_s=1.0)
    assert [one.policy for one in found.outcomes] == without_contract()
    contract = compare_all(crowded(), workers=4, objective_s=1.0, quota={"*": (1.5, 5)})
    assert [one.policy for one in contract.outcomes] == list(ARTICLE_POLICIES)
    assert set(ARTICLE_POLICIES) - set(without_contract()) == {"quota", "drr_quota"}


def test_every_policy_that_has_a_name_can_be_compared() -> None:
    found = compare(
        crowded(), workers=4, objective_s=1.0, quota={"*": (1.5, 5)}, policies=list(POLICIES)
    )
    assert [one.policy for one in found.outcomes] == list(POLICIES)
    kept = {one.policy: one.kept_part for one in found.outcomes}
    assert min(kept["sfq"], kept["charge"]) > kept["fifo"]


def test_a_quota_needs_a_contract() -> None:
    with pytest.raises(ValueError, match="contract for 'quota'"):
        compare(crowded(), workers=4, policies=["quota"])
    found = compare(
        crowded(), workers=4, objective_s=1.0, quota={"*": (1.5, 5)}, policies=["quota"]
    )
    assert [one.policy for one in found.outcomes] == ["fifo", "quota"]
    quota = found.outcomes[1]
    assert quota.rejected > 0
    assert quota.within.tasks + quota.rejected_within == found.outcomes[0].within.tasks


def test_a_policy_that_rejects_is_not_chosen_without_saying_so() -> None:
    found = compare(crowded(), workers=4, objective_s=1.0, cap=20)
    assert found.decision.policy == "drr"
    assert "It rejects" in found.decision.because[2]


def test_it_says_where_the_verdict_depends_on_pool_or_load() -> None:
    """At twice the pool nothing waits; so near that border the verdict must say so."""
    trace = crowded()
    sure = compare(trace, workers=4, objective_s=1.0)
    assert {one.what for one in sure.elsewhere} == {
        "3 workers", "5 workers", "0.8 times the load", "1.25 times the load"
    }  # fmt: skip
    assert sure.decision.depends == ()
    border = next(
        found
        for workers in range(5, 40)
        for found in [compare(trace, workers=workers, objective_s=1.0)]
        if found.decision.depends
    )
    assert "depends" in border.decision.sentence
    changed = {(e.decision.kind, e.decision.policy) for e in border.elsewhere}
    assert changed != {(border.decision.kind, border.decision.policy)}


def test_a_difference_that_varies_too_much_is_not_a_choice() -> None:
    """One bad block of twenty is no evidence: its interval holds 0."""
    from fairness_lib.decide.verdict import margin_of

    one, other = compare(crowded(), workers=4, objective_s=1.0).outcomes
    owed = np.full(20, 100.0)
    few = replace(one, owed=owed, kept=np.where(np.arange(20) == 3, 100.0, 50.0))
    same = replace(other, owed=owed, kept=np.full(20, 50.0))
    margin = margin_of(few, same)
    assert margin.low <= 0 < margin.difference
    steady = margin_of(replace(one, owed=owed, kept=np.full(20, 60.0)), same)
    assert steady.low == pytest.approx(0.1)


def test_measured_waits_fit_the_pool_and_the_residual_is_said() -> None:
    trace = crowded()
    measured = simulate(trace.workload, fifo(cap=None), 7).wait_s
    found = compare(replace(trace, wait_s=measured), objective_s=1.0)
    assert found.workers_from == "fitted"
    assert found.situation.workers == 7
    assert found.fitted.mean_error_s == 0
    wrong = compare(replace(trace, wait_s=measured), workers=4, objective_s=1.0)
    assert wrong.fitted.replayed_mean_s > 2 * wrong.fitted.measured_mean_s
    assert any("far apart" in line for line in wrong.to_dict()["alerts"])
    with pytest.raises(ValueError, match="no measured waits"):
        compare(trace, fit_workers=True)


def test_without_workers_a_row_of_pools_is_tried_and_said() -> None:
    record = compare(crowded(), objective_s=1.0).to_dict()
    assert record["pool"]["from"] == "assumed"
    assert len(record["pool"]["row"]) >= 4
    assert record["pool"]["row"][-1]["kind"] == "does not matter"
    assert any("does not say how many workers" in line for line in record["alerts"])


def test_only_a_window_is_judged() -> None:
    found = compare(crowded(), workers=4, objective_s=1.0, window_s=(0.0, 100.0))
    arrival_s = found.situation.workload.arrival_s[found.situation.contended]
    assert arrival_s.max() < 100
    with pytest.raises(ValueError, match="window_s"):
        compare(crowded(), workers=4, window_s=(0.0, 1e9))


def test_load_makes_tasks_come_faster_and_costs_stay() -> None:
    found = compare(crowded(), workers=8, load=2.0)
    trace = crowded()
    np.testing.assert_allclose(found.situation.workload.arrival_s, trace.workload.arrival_s / 2)
    assert found.situation.workload.cost_s.tolist() == trace.workload.cost_s.tolist()


def test_a_cap_follows_from_a_deadline_among_those_of_the_worst_episode() -> None:
    situation = compare(crowded(), workers=4, objective_s=1.0).situation
    rate = 4 / 6 / situation.workload.cost_s.mean()
    cap = cap_of(situation, 60.0)
    assert cap + 6 * np.sqrt(cap) <= 60 * rate < cap + 1 + 6 * np.sqrt(cap + 1)
    assert cap_of(situation, 1e-3) == 0


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"workers": 0}, "workers must be"),
        ({"workers": 4, "objective_s": -1}, "objective_s must be"),
        ({"workers": 4, "load": 0}, "load must be"),
        ({"workers": 4, "policies": ["lifo"]}, "policies must be one of fifo"),
        ({"workers": 4, "policies": ["drr", "drr"]}, "distinct"),
        ({"workers": 4, "as_is": "none"}, "policies must be one of"),
        ({"workers": 4, "cap": 0}, "cap must be"),
        ({"workers": 4, "deadline_s": 0}, "deadline_s must be"),
    ],
)
def test_bad_arguments_are_named(how, said) -> None:
    with pytest.raises(ValueError, match=said):
        compare(crowded(), **how)


def test_a_workload_is_no_trace() -> None:
    with pytest.raises(TypeError, match="must be a Trace"):
        compare(crowded().workload, workers=4)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.integers(0, 50), st.integers(0, 30)),
        min_size=1,
        max_size=60,
    ).filter(lambda rows: any(cost for _, _, cost in rows)),
    st.integers(1, 5),
)
def test_episodes_cover_exactly_the_tasks_that_wait(rows, workers) -> None:
    """Whoever waits in one queue arrived in an episode, and an episode holds somebody who waits."""
    trace = trace_of(rows)
    situation = Situation(trace.workload, workers, 1.0)
    waits = situation.queued.wait_s > 0
    assert (situation.episode[waits] >= 0).all()
    assert set(situation.episode[waits].tolist()) == set(range(len(situation.episodes)))
    edges = situation.episodes.ravel()
    assert (np.diff(edges) >= 0).all()
    record = compare(trace, workers=workers).to_dict()
    assert record["verdict"]["kind"] in ("choose", "does not matter", "buy capacity", "cannot say")
    assert set(POLICIES) >= {one["policy"] for one in record["policies"]}
