"""Credits: conservation, memory, and what bursty tenants gain by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import max_min_fair, share_by_credits

demand_tables = st.integers(1, 5).flatmap(
    lambda tenants: st.lists(
        st.lists(st.integers(0, 20).map(float), min_size=tenants, max_size=tenants),
        min_size=1,
        max_size=8,
    )
)
parts = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(demand_tables, parts, st.sampled_from([1.0, 8.0, 30.0]))
def test_nothing_is_wasted_or_given_twice(demands, guaranteed, capacity) -> None:
    shares = share_by_credits(demands, capacity, guaranteed=guaranteed)
    asked, got = np.array(demands), shares.allocation
    assert (got <= asked + 1e-9).all()
    assert np.allclose(got.sum(axis=1), np.minimum(asked.sum(axis=1), capacity))


@given(demand_tables, parts, st.sampled_from([1.0, 8.0, 30.0]))
def test_nobody_has_less_than_is_guaranteed(demands, guaranteed, capacity) -> None:
    shares = share_by_credits(demands, capacity, guaranteed=guaranteed)
    own = guaranteed * capacity / len(demands[0])
    assert (shares.allocation >= np.minimum(demands, own) - 1e-9).all()


@given(demand_tables, parts)
def test_credits_are_paid_for_what_is_lent(demands, guaranteed) -> None:
    """What was handed out less what was borrowed from nobody is what all hold in the end."""
    shares = share_by_credits(demands, 8.0, guaranteed=guaranteed, credits=1000.0)
    tenants, own = len(demands[0]), guaranteed * 8.0 / len(demands[0])
    asked = np.array(demands)
    lent = np.maximum(shares.allocation - own, 0).sum()
    given = np.maximum(own - asked, 0).sum(axis=1)
    earned = np.minimum(given, np.maximum(shares.allocation - own, 0).sum(axis=1)).sum()
    expected = tenants * 1000.0 + len(demands) * (8.0 - own * tenants) + earned - lent
    assert np.isclose(shares.credits.sum(), expected)


@given(st.lists(st.integers(0, 20).map(float), min_size=1, max_size=6))
def test_in_one_period_with_equal_credits_it_is_max_min_fair(demands) -> None:
    for guaranteed in (0.0, 1.0):
        shares = share_by_credits([demands], 12.0, guaranteed=guaranteed)
        assert np.allclose(shares.allocation[0], max_min_fair(demands, 12.0))


def bursty(seed: int, periods: int = 600) -> np.ndarray:
    """Ten tenants of mean demand 10; the first is steady, the last bursts to sixteen times."""
    rng = np.random.default_rng(seed)
    peaks = np.geomspace(1, 16, 10)
    return 10.0 * peaks * (rng.random((periods, 10)) < 1 / peaks)


@pytest.mark.parametrize("seed", range(5))
def test_the_burstiest_gains_and_nothing_is_wasted(seed) -> None:
    """Of what it asks for the burstiest got a third at most, and with credits more than half."""
    demands = bursty(seed)
    forgetful = np.array([max_min_fair(row, 100.0) for row in demands])
    shares = share_by_credits(demands, 100.0, guaranteed=0.0).allocation
    asked = demands.sum(axis=0)
    before, after = forgetful.sum(axis=0) / asked, shares.sum(axis=0) / asked
    assert np.isclose(forgetful.sum(), shares.sum())
    assert 0.2 < before[-1] < 0.36
    assert after[-1] > 0.5
    assert before.min() == before[-1]
    assert np.ptp(after) < np.ptp(before) / 2


@given(demand_tables)
def test_without_memory_it_is_max_min_fair_in_every_period(demands) -> None:
    shares = share_by_credits(demands, 12.0, guaranteed=0.0, half_life=1e-9)
    assert np.allclose(shares.allocation, [max_min_fair(row, 12.0) for row in demands])


@given(demand_tables, parts)
def test_a_half_life_makes_and_takes_no_credits(demands, guaranteed) -> None:
    ever, fading = (
        share_by_credits(demands, 12.0, guaranteed=guaranteed, half_life=half_life)
        for half_life in (None, 3.0)
    )
    assert np.isclose(ever.allocation.sum(), fading.allocation.sum())
    assert np.isclose(ever.credits.sum(), fading.credits.sum())


def test_the_longer_the_memory_the_more_the_burstiest_gets() -> None:
    demands = bursty(0)
    got = [
        share_by_credits(demands, 100.0, guaranteed=0.0, half_life=half_life).allocation[:, -1]
        for half_life in (0.1, 5.0, 50.0, None)
    ]
    totals = [row.sum() for row in got]
    assert totals == sorted(totals)
    assert totals[-1] > 2 * totals[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1.0], 1.0, {}), "demands must have a row a period and a column a tenant"),
        (([[-1.0]], 1.0, {}), "demands"),
        (([[1.0]], 0.0, {}), "capacity must be finite and above 0; got 0"),
        (([[1.0]], 1.0, {"guaranteed": 2}), "guaranteed must be"),
        (([[1.0]], 1.0, {"credits": -1}), "credits must be"),
        (([[1.0]], 1.0, {"half_life": 0}), "half_life must be finite and above 0; got 0"),
    ],
)
def test_what_is_not_allowed_is_named(arguments, said) -> None:
    demands, capacity, settings = arguments
    with pytest.raises(ValueError, match=said):
        share_by_credits(demands, capacity, **settings)
