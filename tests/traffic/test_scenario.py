"""Scenarios: whose traffic is what it says, and stays as it was when another tenant changes."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fairness_lib import (
    Bimodal,
    Burst,
    Deterministic,
    Exponential,
    Lognormal,
    Pareto,
    Scenario,
    Tenant,
    Workload,
    article_scenario,
    article_workload,
)

BURST = (Burst(2.0, 4.0, 5.0),)


def own(workload: Workload, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return one tenant's (arrival_s, cost_s)."""
    mask = workload.tenant == workload.tenants.index(name)
    return workload.arrival_s[mask], workload.cost_s[mask]


def same(first: tuple[np.ndarray, ...], second: tuple[np.ndarray, ...]) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


# --- common random numbers ----------------------------------------------------------------------

seeds = st.integers(0, 2**40)


@given(seeds, st.sampled_from([0.0, 0.5, 2.0, 7.0]))
def test_changing_one_tenants_burst_leaves_the_others_bit_for_bit(seed, factor) -> None:
    def drawn(factor: float) -> Workload:
        heavy = Tenant("heavy", 40, bursts=(Burst(2.0, 4.0, factor),))
        return Scenario([heavy, Tenant("small", 5)], horizon_s=6).workload(seed)

    assert same(own(drawn(factor), "small"), own(drawn(5.0), "small"))
    assert not same(own(drawn(factor), "heavy"), own(drawn(5.0), "heavy"))


@given(seeds)
def test_adding_removing_and_reordering_tenants_leaves_the_others_bit_for_bit(seed) -> None:
    a, b, c = Tenant("a", 20, bursts=BURST), Tenant("b", 5), Tenant("c", 50, weight=2.0)
    alone = Scenario([a], horizon_s=6).workload(seed)
    for company in ([a, b], [c, b, a], [b, a, c]):
        assert same(own(Scenario(company, horizon_s=6).workload(seed), "a"), own(alone, "a"))


@given(seeds, st.sampled_from([0.5, 1.5, 4.0]))
def test_a_changed_rate_moves_a_tenants_tasks_but_keeps_their_costs(seed, ratio) -> None:
    before = own(Scenario([Tenant("a", 20)], horizon_s=6).workload(seed), "a")
    after = own(Scenario([Tenant("a", 20 * ratio)], horizon_s=6).workload(seed), "a")
    n = min(len(before[0]), len(after[0]))
    assert before[1][:n].tobytes() == after[1][:n].tobytes()
    assert after[0][:n] * ratio == pytest.approx(before[0][:n], rel=1e-12)


@given(seeds)
def test_a_longer_horizon_continues_the_same_traffic(seed) -> None:
    short = own(Scenario([Tenant("a", 20)], horizon_s=6).workload(seed), "a")
    long = own(Scenario([Tenant("a", 20)], horizon_s=12).workload(seed), "a")
    n = len(short[0])
    assert same(short, (long[0][:n], long[1][:n]))
    assert (long[0][n:] >= 6).all()


@given(seeds)
def test_another_distribution_of_costs_leaves_the_arrivals(seed) -> None:
    arrivals = [
        own(Scenario([Tenant("a", 20, service_time=s)], horizon_s=6).workload(seed), "a")[0]
        for s in (Exponential(), Deterministic(), Bimodal(), Lognormal(), Pareto())
    ]
    assert len({a.tobytes() for a in arrivals}) == 1


def test_another_seed_is_other_traffic() -> None:
    scenario = Scenario([Tenant("a", 20)], horizon_s=6)
    assert not same(own(scenario.workload(1), "a"), own(scenario.workload(2), "a"))


def test_tenants_of_one_rate_have_different_traffic() -> None:
    work = Scenario([Tenant("a", 20), Tenant("b", 20)], horizon_s=6).workload(1)
    assert not same(own(work, "a"), own(work, "b"))


# --- golden bits ----------------------------------------------------------------------------------


def fingerprint(work: Workload) -> str:
    columns = (work.arrival_s, work.tenant, work.cost_s)
    little = b"".join(c.astype(c.dtype.newbyteorder("<")).tobytes() for c in columns)
    return hashlib.sha256(little).hexdigest()[:16]


@pytest.mark.parametrize(
    ("scenario", "seed", "tasks", "golden"),
    [
        (article_scenario(), 1, 76379, "24b57083a974a383"),
        (article_scenario(), 2, 76700, "ab0d5c77020af52a"),
        (Scenario([Tenant("é", 30, service_time=Bimodal())], 2, 9.0), 3, 254, "50d07ab729d93580"),
    ],
    ids=["article-1", "article-2", "bimodal"],
)
def test_a_workload_has_the_same_bits_on_every_machine(scenario, seed, tasks, golden) -> None:
    """Stored outputs, the compiled tier and the pages rest on them. If this fails after a change
    to the streams, every number in the book has changed: say so in docs/decisions.md."""
    work = scenario.workload(seed)
    assert (len(work), fingerprint(work)) == (tasks, golden)


# --- the traffic is what it says ------------------------------------------------------


def test_arrivals_are_poisson_at_the_rate_of_each_stretch() -> None:
    """Counts before, in and after a burst, within 4 sigma over 40 seeds; 4 s bursts of factor 5."""
    scenario = Scenario([Tenant("a", 50, bursts=BURST)], horizon_s=6)
    counts = np.array(
        [np.histogram(scenario.workload(s).arrival_s, [0, 2, 4, 6])[0] for s in range(40)]
    )
    expected = np.array([100, 500, 100])
    assert (abs(counts.mean(axis=0) - expected) < 4 * np.sqrt(expected / 40)).all()
    dispersion = counts.var(axis=0, ddof=1) / expected  # 1 for a Poisson process
    assert ((dispersion > 0.5) & (dispersion < 1.7)).all()


def test_arrivals_are_uniform_within_a_stretch_and_gaps_exponential() -> None:
    arrival_s = Scenario([Tenant("a", 300)], horizon_s=20).workload(5).arrival_s
    assert stats.kstest(arrival_s, stats.uniform(0, 20).cdf).pvalue > 0.001
    assert stats.kstest(np.diff(arrival_s), stats.expon(scale=1 / 300).cdf).pvalue > 0.001


def test_a_burst_of_factor_zero_is_a_silence() -> None:
    quiet = Tenant("a", 50, bursts=[Burst(2, 4, 0), Burst(5, 6, 0)])
    arrival_s = Scenario([quiet], horizon_s=6).workload(1).arrival_s
    assert not ((arrival_s > 2) & (arrival_s < 4)).any()
    assert not (arrival_s > 5).any()
    assert ((arrival_s >= 4) & (arrival_s <= 5)).sum() > 20


@settings(max_examples=60)
@given(seeds, st.lists(st.floats(0, 3), min_size=2, max_size=4))
def test_bursts_that_touch_join_without_gap_or_overlap(seed, factors) -> None:
    bursts = [Burst(i, i + 1, factor) for i, factor in enumerate(factors)]
    tenants = [Tenant("a", 30, bursts=reversed(bursts)), Tenant("steady", 30)]
    work = Scenario(tenants, horizon_s=5).workload(seed)
    assert (np.diff(work.arrival_s) >= 0).all()
    edges, rates = tenants[0].rate_pieces(5.0)
    assert edges.tolist() == [*map(float, range(len(factors) + 1)), 5.0]
    assert rates.tolist() == [*(30 * f for f in factors), 30]


def test_a_tenant_of_rate_zero_sends_nothing() -> None:
    work = Scenario([Tenant("a", 20), Tenant("none", 0)], horizon_s=6).workload(1)
    assert len(own(work, "none")[0]) == 0
    assert work.tenants == ("a", "none")


def test_a_scenario_that_sends_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one task"):
        Scenario([Tenant("none", 0)]).workload(1)


def test_a_workload_carries_the_tenants_weights() -> None:
    work = Scenario([Tenant("a", 20, weight=2.5), Tenant("b", 20)], horizon_s=6).workload(1)
    assert work.weight.tolist() == [2.5, 1.0]
    assert work.horizon_s == 6


def test_with_tenants_keeps_pool_and_horizon() -> None:
    scenario = Scenario([Tenant("a", 20)], workers=3, horizon_s=6).with_tenants([Tenant("b", 1)])
    assert ([t.name for t in scenario.tenants], scenario.workers, scenario.horizon_s) == (
        ["b"],
        3,
        6,
    )


def test_an_iterable_of_tenants_or_bursts_is_taken_once() -> None:
    tenant = Tenant("a", 1, bursts=(b for b in BURST))
    assert tenant.bursts == BURST
    assert Tenant("a", 1, bursts=BURST[0]).bursts == BURST
    assert Scenario(t for t in [tenant]).tenants == (tenant,)


def test_seeds_end_where_streams_would_begin_to_repeat() -> None:
    scenario = Scenario([Tenant("a", 5)], horizon_s=6)
    assert len(scenario.workload(2**63 - 1)) > 0
    for draw in (scenario.workload, article_workload):
        with pytest.raises(ValueError, match=r"seed must be below 2\*\*63; got 92233720"):
            draw(2**63)


# --- what it says of itself ------------------------------------------------------------------


def crowd(n: int, last: float = 1.0) -> Scenario:
    return Scenario([*(Tenant(f"t{i}", 1.0) for i in range(n - 1)), Tenant("last", last)])


def test_a_scenario_of_many_tenants_says_so_in_a_line() -> None:
    assert len(repr(crowd(100_000))) < 500
    assert "99,998 more" in repr(crowd(100_000))
    assert repr(crowd(2)).count("Tenant(") == 2


@pytest.mark.parametrize("n", [2, 50])
def test_scenarios_that_differ_say_so(n) -> None:
    """A sweep knows its runs by it."""
    assert repr(crowd(n)) == repr(crowd(n))
    assert repr(crowd(n)) != repr(crowd(n, last=2.0))
