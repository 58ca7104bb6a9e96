"""Isolation as a difference: with and without the burst, and everything else the same."""

from __future__ import annotations

import numpy as np
import pytest

from fairness_lib import (
    Burst,
    Scenario,
    Tenant,
    article_scenario,
    compare_calm,
    drr,
    fifo,
    measure,
    quota,
    simulate,
)


@pytest.fixture(scope="module")
def table():
    return compare_calm(article_scenario(), [fifo(), quota(), drr()], seeds=[1])


def test_under_drr_the_others_cannot_tell_whether_heavy_bursts(table) -> None:
    others = table[table["group"] == "others"].set_index(["policy", "traffic"])
    waits = others["wait_p99_s"].unstack()[["calm", "burst"]]
    assert np.round(1e3 * waits, 1).to_dict("index") == {
        "fifo": {"calm": 94.0, "burst": 2652.1},
        "quota": {"calm": 94.0, "burst": 209.7},
        "drr": {"calm": 19.2, "burst": 21.0},
    }
    assert (others.loc["drr", "kept"] == 1).all()
    assert others.loc[("fifo", "burst"), "kept"] < 0.01


def test_who_does_not_burst_sends_the_same_tasks_in_both() -> None:
    scenario = article_scenario()
    burst, calm = scenario.workload(3), scenario.calm().workload(3)
    for t in range(1, len(scenario.tenants)):
        assert burst.arrival_s[burst.tenant == t].tobytes() == (
            calm.arrival_s[calm.tenant == t].tobytes()
        )
        assert burst.cost_s[burst.tenant == t].tobytes() == calm.cost_s[calm.tenant == t].tobytes()
    assert (burst.tenant == 0).sum() > 2 * (calm.tenant == 0).sum()


def test_the_rows_are_those_of_the_reports(table) -> None:
    assert table.columns[:4].tolist() == ["policy", "seed", "traffic", "group"]
    assert len(table) == 3 * 2 * 2
    report = measure(simulate(article_scenario().workload(1), drr()))
    expected = report.by_group({"others": ["mid*", "small*"], "bursting": "heavy"})
    own = table[(table["policy"] == "drr") & (table["traffic"] == "burst")].set_index("group")
    assert own[expected.columns].equals(expected)


def test_groups_workers_and_measures_can_be_given() -> None:
    pair = Scenario([Tenant("a", 50, bursts=Burst(1, 2, 9)), Tenant("b", 50)], horizon_s=3)
    how = {"workers": 1, "objective_s": 1.0, "window": (1, 2)}
    table = compare_calm(pair, [drr()], [0, 1], groups={"b": "b"}, **how)
    assert table["seed"].tolist() == [0, 0, 1, 1]
    assert table["traffic"].tolist() == ["calm", "burst"] * 2


SMALLEST = {"scenario": article_scenario(), "policies": [fifo()], "seeds": [1]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scenario": article_scenario().calm()}, "scenario must have a tenant with bursts"),
        ({"scenario": 5}, "scenario must be a Scenario; got 5"),
        ({"policies": [fifo(), fifo()]}, "policies must be distinct; 'fifo'"),
        ({"seeds": [1, 1]}, "seeds must be distinct; 1"),
        ({"seeds": [-1]}, "seeds must be a whole number of at least 0; got -1"),
        ({"groups": {"x": "nobody"}}, "'nobody' matches none"),
    ],
)
def test_what_is_not_allowed_is_named(change, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        compare_calm(
            **{"scenario": article_scenario(), "policies": [fifo()], "seeds": [1]} | change
        )
