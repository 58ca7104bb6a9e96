"""F1 to F4 as the article states them, for each seed, with what must fail beside what must hold."""

from __future__ import annotations

import pytest
from cases import SEEDS, article_report, tasks

from fairness_lib import check, f1, f2, f3, f4, fifo, measure, owed_is_kept, simulate

SHARED = [owed_is_kept, f1, f2, f3]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("holds", SHARED)
@pytest.mark.parametrize("policy", ["drr", "drr_quota"])
def test_round_robin_isolates_tenants_within_their_share(policy, holds, seed) -> None:
    verdict = holds(article_report(policy, seed))
    assert verdict.held, verdict.seen


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fails", SHARED)
def test_fifo_does_not_isolate_the_negative_control(fails, seed) -> None:
    verdict = fails(article_report("fifo", seed))
    assert not verdict.held, verdict.seen


@pytest.mark.parametrize("seed", SEEDS)
def test_a_quota_protects_rates_but_not_waits(seed) -> None:
    report = article_report("quota", seed)
    assert [verdict.held for verdict in check(report)] == [True, False, True, False]


@pytest.mark.parametrize("policy", ["fifo", "drr"])
def test_a_tenant_alone_can_use_the_whole_capacity(policy) -> None:
    verdict = f4(article_report(policy, 1, solo=True))
    assert verdict.held, verdict.seen


@pytest.mark.parametrize("policy", ["quota", "drr_quota"])
def test_a_quota_leaves_capacity_unused_the_negative_control(policy) -> None:
    verdict = f4(article_report(policy, 1, solo=True))
    assert not verdict.held, verdict.seen


# The thresholds are strict where the article says "below", inclusive where it says "not less".


@pytest.mark.parametrize(("wait_s", "held"), [(0.0499999, True), (0.05, False), (0.0625, False)])
def test_f2_is_about_waits_below_50_ms(wait_s, held) -> None:
    """The small tenant's one task finds the worker busy for `wait_s` more."""
    at_s = 1 / 128  # small enough that at_s + wait_s - at_s is wait_s to the last bit
    work = tasks(("wide", 0.0, at_s + wait_s), ("small", at_s, 0.001), horizon_s=1.0)
    report = measure(simulate(work, fifo(), workers=1), (at_s, 1.0))
    assert report.under_share_p99_wait_s == wait_s
    assert f2(report).held == held


def test_f2_and_f3_do_not_hold_if_a_full_queue_rejects_a_tenant_within_its_share() -> None:
    work = tasks(*[("a", i / 8, 0.001) for i in range(6)], ("a", 0.75, 0.02), ("a", 0.75, 0.001))
    report = measure(simulate(work, fifo(cap=1), workers=1), (0.0, 1.0))
    assert (f2(report).held, f3(report).held) == (True, True)
    more = tasks(*[("a", i / 8, 0.001) for i in range(6)], *[("a", 0.75, 0.001)] * 3)
    report = measure(simulate(more, fifo(cap=1), workers=1), (0.0, 1.0))
    assert report.tenants.loc["a", "under_share"]
    assert (f2(report).held, f3(report).held) == (False, False)


@pytest.mark.parametrize(("served", "held"), [(97, True), (96, False)])
def test_f1_allows_three_percent_of_sampling_noise(served, held) -> None:
    """One worker is busy until the window ends after `served` of 100 tasks."""
    work = [("a", i / 100, 0.001) for i in range(served)]
    work += [("a", 0.98, 10.0)] + [("a", 0.99, 0.001)] * (99 - served)
    report = measure(simulate(tasks(*work, horizon_s=20.0), fifo(), workers=1), (0.0, 1.0))
    assert report.tenants.loc["a", "under_share"]
    assert report.tenants.loc["a", "completed_per_s"] == served
    assert f1(report).held == held


def test_a_verdict_says_what_decided_it() -> None:
    first, second, third, owed = check(article_report("fifo", 1))
    assert [v.name for v in (first, second, third, owed)] == ["F1", "F2", "F3", "owed is kept"]
    assert owed.seen == "0.5 % of 6,799 kept; 2,658 late, 4,107 queue_full"
    assert first.seen == "least 0.264 (small05)"
    assert second.seen == "p99 2.60 s, 4107 rejected by full queues"
    assert third.seen == "4107 rejected within their share"


def test_f4_wants_one_active_tenant() -> None:
    with pytest.raises(ValueError, match="solo"):
        f4(article_report("drr", 1))
