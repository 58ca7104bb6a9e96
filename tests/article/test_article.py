"""The article's figures: each published number, from our engine, to the digit it was printed with.

Source: `fairness_lib.published`, which quotes the article's tables; the unpublished numbers at
the end come from an independent reconstruction of the same experiment.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases import SEEDS, article_numbers, article_report

from fairness_lib import (
    ARTICLE_POLICIES,
    article_scenario,
    article_solo_scenario,
    article_workload,
)
from fairness_lib.article.comparison import compare
from fairness_lib.article.published import FIGURES, KNOWN_DIFFERENCES, Figure


@pytest.fixture(scope="module")
def comparison() -> pd.DataFrame:
    return compare(article_numbers()).set_index(["scenario", "seeds", "policy", "metric"])


def figure(scenario: str, seeds: str, policy: str, metric: str) -> Figure:
    (found,) = (f for f in FIGURES if f.key == (scenario, seeds, policy, metric))
    return found


@pytest.mark.parametrize(
    "published", [f for f in FIGURES if not f.note], ids=lambda f: "-".join(f.key)
)
def test_published_figure_comes_out_to_its_printed_digit(published, comparison) -> None:
    ours = comparison.loc[published.key, "ours"]
    assert f"{ours:.{published.digits}f}" == published.printed
    assert comparison.loc[published.key, "agrees"]


@pytest.mark.parametrize(
    ("key", "ours"),
    [
        (("burst", "1", "drr_quota", "heavy_per_s"), 452.65),  # published: 452.7
        (("solo", "1", "quota", "utilisation"), 0.52147),  # published: 0.522
    ],
)
def test_known_difference_is_one_in_the_last_digit_and_no_other(key, ours, comparison) -> None:
    published = figure(*key)
    assert published.note
    assert not comparison.loc[key, "agrees"]
    assert comparison.loc[key, "ours"] == pytest.approx(ours, abs=5e-6)
    off_by = abs(float(f"{ours:.{published.digits}f}") - published.value)
    assert off_by == pytest.approx(10.0**-published.digits)


def test_there_are_two_known_differences_and_38_published_figures() -> None:
    assert len(KNOWN_DIFFERENCES) == 2
    assert sum(bool(f.note) for f in FIGURES) == 2
    assert len(FIGURES) == len({f.key for f in FIGURES}) == 38


def test_a_figure_agrees_only_to_its_printed_digits() -> None:
    printed = figure("burst", "1", "fifo", "p99_wait_ms")
    assert printed.printed == "2601.6"
    assert printed.agrees(2601.64)
    assert not printed.agrees(2601.66)


# --- what the article says in words ------------------------------------------------------


def test_heavy_deserves_about_460_a_second_and_the_others_all_they_ask_for() -> None:
    tenants = article_report("drr", 1).tenants
    assert tenants.loc["heavy", "fair_share_per_s"] == pytest.approx(460, abs=10)
    others = tenants.drop("heavy")
    assert (others["fair_share_per_s"] == others["demand_per_s"]).all()
    assert tenants.index[~tenants["under_share"]].tolist() == ["heavy"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_quota_lets_tenants_within_their_share_wait_7_to_13_times_as_long_as_drr(seed) -> None:
    ratio = (
        article_report("quota", seed).under_share_p99_wait_s
        / article_report("drr", seed).under_share_p99_wait_s
    )
    assert 7 <= round(ratio) <= 13


def test_heavy_asks_for_six_times_what_all_others_do() -> None:
    demand = article_report("fifo", 1).tenants["demand_per_s"]
    assert demand["heavy"] / demand.drop("heavy").sum() == pytest.approx(6, abs=0.2)


# --- against the independent reconstruction -------------------------------------------------

# per seed: policy -> (jain, min_x, p99 wait in ms, heavy tasks/s), None where it was not noted
RECONSTRUCTED = {
    1: {
        "fifo": (0.757, 0.264, 2601.6, 684.45),
        "quota": (1.000, 0.972, 138.4, 453.70),
        "drr": (1.000, 0.989, 19.5, 468.10),
        "drr_quota": (1.000, 0.971, 18.6, 452.65),
    },
    2: {
        "fifo": (0.736, 0.252, 2646.5, 680.85),
        "quota": (None, 0.976, 286.4, 453.55),
        "drr": (None, 0.979, 22.3, 454.5),
    },
    3: {
        "fifo": (0.741, 0.247, 2668.6, 678.75),
        "quota": (None, 0.990, 282.2, 454.3),
        "drr": (None, 1.000, 21.2, 456.85),
    },
}


@pytest.mark.parametrize(
    ("seed", "policy"), [(s, p) for s, policies in RECONSTRUCTED.items() for p in policies]
)
def test_every_seed_matches_the_independent_reconstruction(seed, policy) -> None:
    jain, min_x, p99_wait_ms, heavy_per_s = RECONSTRUCTED[seed][policy]
    report = article_report(policy, seed)
    if jain is not None:
        assert report.jain == pytest.approx(jain, abs=5e-4)
    assert report.min_x == pytest.approx(min_x, abs=5e-4)
    assert 1e3 * report.under_share_p99_wait_s == pytest.approx(p99_wait_ms, abs=0.05)
    heavy = report.tenants.loc["heavy", "completed_per_s"]
    assert heavy == pytest.approx(heavy_per_s, abs=1e-9)


@pytest.mark.parametrize(("seed", "wait_ms"), [(2, 540.6), (3, 565.5)])
def test_heavy_waits_as_long_as_in_the_independent_reconstruction(seed, wait_ms) -> None:
    wait_s = article_report("drr", seed).tenants.loc["heavy", "wait_p99_s"]
    assert 1e3 * wait_s == pytest.approx(wait_ms, abs=0.05)


@pytest.mark.parametrize(
    ("policy", "reason", "rejected", "not_heavy"),
    [
        ("fifo", "queue_full", 28740, 4122),
        ("quota", "quota", 30951, 0),
        ("drr", "queue_full", 30500, 0),
        ("drr_quota", "quota", 30951, 0),
    ],
)
def test_rejections_match_the_independent_reconstruction(
    policy, reason, rejected, not_heavy
) -> None:
    run = article_report(policy, 1).run
    assert run.counts()[reason] == rejected
    turned_away = run.to_frame().query("outcome == @reason")["tenant"]
    assert (turned_away != "heavy").sum() == not_heavy


# --- the scenario and its traffic --------------------------------------------------------------


def test_the_scenario_is_the_articles() -> None:
    scenario = article_scenario()
    assert scenario.workers == 8
    assert scenario.horizon_s == 60
    rates = {tenant.name: tenant.rate_per_s for tenant in scenario.tenants}
    assert len(rates) == 25
    assert rates["heavy"] == 400
    assert all(rates[f"mid{i}"] == 60 for i in range(4))
    assert all(rates[f"small{i:02}"] == 5 for i in range(20))
    (burst,) = scenario.tenants[0].bursts
    assert (burst.from_s, burst.to_s, burst.factor) == (20, 40, 5)
    assert all(tenant.service_time.mean_s == 0.010 for tenant in scenario.tenants)


def test_the_solo_scenario_is_heavy_alone_at_a_thousand_a_second() -> None:
    (heavy,) = article_solo_scenario().tenants
    assert (heavy.name, heavy.rate_per_s * heavy.bursts[0].factor) == ("heavy", 1000)


def test_the_articles_traffic_is_drawn_tenant_after_tenant() -> None:
    """Heavy comes first from the one generator, so it is the same alone or in company."""
    alone, shared = article_workload(7, solo=True), article_workload(7)
    heavy = shared.tenant == 0
    assert np.array_equal(shared.arrival_s[heavy], alone.arrival_s)
    assert np.array_equal(shared.cost_s[heavy], alone.cost_s)


def test_the_articles_traffic_has_about_76_thousand_tasks() -> None:
    assert len(article_workload(1)) == 76371


@pytest.mark.parametrize("policy", list(ARTICLE_POLICIES))
@pytest.mark.parametrize("seed", SEEDS)
def test_no_article_run_loses_a_task(policy, seed) -> None:
    counts = article_report(policy, seed).run.counts()
    assert counts.pop("waiting") == 0
    assert sum(counts.values()) == len(article_report("fifo", seed).run.workload)
