"""The field on four kinds of traffic: what the scenarios are, and that the table can tell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fairness_lib import ARTICLE_POLICIES, Burst, article_scenario, simulate
from fairness_lib.engine.memory import bytes_per_tenant
from fairness_lib.policies.admission import Quota
from fairness_lib.policies.policy import ARTICLE_BUCKETS
from fairness_lib.runs.field import Standing, alone, compare_field, policies, scenarios

SCENARIOS = scenarios()


def load(scenario, kind: str) -> float:
    """Return how many workers the calm traffic of one kind of tenant keeps at work."""
    own = [tenant for tenant in scenario.tenants if tenant.name.startswith(kind)]
    return sum(tenant.rate_per_s * tenant.service_time.mean_s for tenant in own)


def test_all_four_bring_the_same_work() -> None:
    for scenario in SCENARIOS.values():
        assert load(scenario, "heavy") == pytest.approx(4.0)
        assert load(scenario, "") == pytest.approx(7.4)
        assert (scenario.workers, scenario.window_s) == (8, (20.0, 40.0))


def test_each_is_what_its_name_says() -> None:
    costs = [tenant.service_time.mean_s for tenant in SCENARIOS["sizes"].tenants]
    assert max(costs) / min(costs) == pytest.approx(100)
    crowd = SCENARIOS["crowd"].tenants
    assert len(crowd) == 2000
    assert sum(bool(tenant.bursts) for tenant in crowd) == 20
    once = [tenant.bursts for tenant in SCENARIOS["all at once"].tenants]
    assert set(once) == {(Burst(20.0, 30.0, 3.0),)}


def test_quotas_in_the_articles_scenario_are_the_articles() -> None:
    quota = policies(article_scenario())["quota"].admission
    assert isinstance(quota, Quota)
    for tenant in article_scenario().tenants:
        mine, theirs = quota.bucket_for(tenant.name), Quota(ARTICLE_BUCKETS).bucket_for(tenant.name)
        assert (mine.rate_per_s, mine.burst) == (theirs.rate_per_s, theirs.burst)


@pytest.mark.parametrize("kind", SCENARIOS)
def test_every_policy_runs_on_every_kind_of_traffic(kind: str) -> None:
    short = replace(SCENARIOS[kind].calm(), horizon_s=0.2, window_s=None)
    work = short.workload(1)
    for policy in policies(short).values():
        run = simulate(work, policy)
        assert sum(run.counts().values()) == len(work)


def test_the_table_tells_fifo_from_drr_and_drr_from_start_tags() -> None:
    """One loud tenant: FIFO fails. Twenty: DRR does too, start tags do not."""
    chosen = ("FIFO", "DRR", "start-time fair")

    def kept(kind: str) -> list[float]:
        several = policies(SCENARIOS[kind])
        rows = compare_field(SCENARIOS[kind], {n: several[n] for n in chosen}, [7])
        assert len({row.owed for row in rows.values()}) == 1
        return [row.kept for row in rows.values()]

    fifo, drr, sfq = kept("article")
    assert fifo < 0.05
    assert min(drr, sfq) > 0.999
    fifo, drr, sfq = kept("crowd")
    assert fifo < drr < 0.6 < 0.98 < sfq


def test_who_pays_is_said_in_words() -> None:
    said = [Standing(1, 1.0, 0.0, 1.0, hurt).payers for hurt in (0.0, 0.005, 0.17, 0.95)]
    assert said == ["who is beyond", "who is beyond", "17% of others", "everybody"]


def test_the_lone_tenant_could_fill_the_pool_and_more() -> None:
    for scenario in SCENARIOS.values():
        (lone,) = alone(scenario).tenants
        assert lone.rate_per_s * lone.service_time.mean_s == pytest.approx(10.0)
    with pytest.raises(ValueError, match="scenario must have a number of workers; got None"):
        alone(replace(article_scenario(), workers=None))


def test_a_tenant_takes_what_its_columns_take() -> None:
    """FIFO has none; a quota has four of eight bytes; a limit has seven; DRF has no kernel."""
    pytest.importorskip("numba")
    several = policies(article_scenario())
    size = {name: bytes_per_tenant(policy, "small") for name, policy in several.items()}
    assert size["FIFO"] == 0
    assert size["quota"] == 32
    assert size["DRR + quota"] == size["DRR"] + 32
    assert size["in flight 4, FIFO"] == 56
    assert size["in flight 6, DRR"] == size["DRR"] + 56
    assert size["DRF of one resource"] is None
    assert bytes_per_tenant(ARTICLE_POLICIES["drr"]()) == size["DRR"]
