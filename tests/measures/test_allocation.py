"""Weighted max-min fairness: published vectors, and the property that defines it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from cases import VECTORS, rows
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import dominant_resource_fair, max_min_fair

amounts = st.just(0.0) | st.floats(1e-3, 1e3)
asked = st.lists(st.tuples(amounts, st.floats(0.1, 10)), min_size=1, max_size=12)


@pytest.mark.parametrize("vector", rows("max_min_fair"), ids=lambda v: str(v["demands"]))
def test_published_vector(vector) -> None:
    shares = max_min_fair(vector["demands"], vector["capacity"], vector["weights"])
    assert shares == pytest.approx(vector["allocation"], rel=1e-12)


@given(asked, amounts)
def test_nobody_gets_more_without_someone_poorer_getting_less(given_, capacity) -> None:
    """Whoever is short has a normalised share that nobody exceeds, and nothing is left over."""
    demand, weight = (np.array(column) for column in zip(*given_, strict=True))
    share = max_min_fair(demand, capacity, weight)
    near = 1e-9 * (1 + capacity)
    assert (share >= 0).all()
    assert (share <= demand + near).all()
    assert share.sum() <= capacity + near
    short = share < demand - near
    if short.any():
        assert share.sum() == pytest.approx(capacity, abs=near)
        level = share / weight
        assert (level[short] >= level.max() - 10 * near).all()


def test_equal_parts_do_not_have_that_property_the_negative_control() -> None:
    """Equal parts cut to demand leave capacity over while somebody is short."""
    demand = np.array([1.0, 5.0])
    share = np.minimum(demand, 4.0 / 2)
    assert (share < demand).any()
    assert share.sum() < 4.0


@given(asked, amounts)
def test_equals_round_by_round_water_filling(given_, capacity) -> None:
    """The textbook loop: satisfy all who ask less than their part, share what is left again."""
    left, share, rest = dict(enumerate(given_)), [0.0] * len(given_), capacity
    while left:
        total = sum(weight for _, weight in left.values())
        content = [i for i, (demand, weight) in left.items() if demand <= rest * weight / total]
        if not content:
            for i, (_, weight) in left.items():
                share[i] = rest * weight / total
            break
        for i in content:
            share[i] = left.pop(i)[0]
            rest -= share[i]
    demand, weight = zip(*given_, strict=True)
    near = 1e-9 * (1 + capacity)
    assert max_min_fair(demand, capacity, weight) == pytest.approx(share, rel=1e-9, abs=near)


def exactly(demands, capacity, weights) -> list[Fraction]:
    """Water filling in exact arithmetic."""
    left = {i: Fraction(d) / Fraction(weights[i]) for i, d in enumerate(demands)}
    rest, shares = Fraction(capacity), [Fraction(0)] * len(demands)
    for i in sorted(left, key=left.__getitem__):
        level = rest / sum(Fraction(weights[j]) for j in left)
        shares[i] = min(left.pop(i), level) * Fraction(weights[i])
        rest -= shares[i]
    return shares


sizes = st.floats(1e-300, 1.7e308) | st.sampled_from([1.0, 1e-300, 1e308])


ratios = st.floats(1e-140, 1e140) | st.sampled_from([1.0, 1e-140, 1e140])


@given(
    st.lists(st.tuples(sizes, ratios), min_size=1, max_size=6),
    sizes,
    st.sampled_from([1e-160, 1.0, 1e160]),
)
def test_equals_exact_arithmetic_for_numbers_of_any_size(given_, capacity, unit) -> None:
    demand, weight = zip(*((d, w * unit) for d, w in given_), strict=True)
    for share, exact in zip(
        max_min_fair(demand, capacity, weight), exactly(demand, capacity, weight), strict=True
    ):
        assert abs(Fraction(float(share)) - exact) <= Fraction(1e-12) * Fraction(capacity)


@given(asked, amounts, st.integers(-200, 200), st.integers(-200, 200))
def test_units_that_are_powers_of_two_change_no_bit(given_, capacity, rate, entitlement) -> None:
    demand, weight = (np.array(column) for column in zip(*given_, strict=True))
    scaled = max_min_fair(
        np.ldexp(demand, rate), np.ldexp(capacity, rate), np.ldexp(weight, entitlement)
    )
    assert np.array_equal(scaled, np.ldexp(max_min_fair(demand, capacity, weight), rate))


@given(asked, amounts, st.randoms(use_true_random=False))
def test_the_order_of_tenants_does_not_matter(given_, capacity, random) -> None:
    demands = {str(i): demand for i, (demand, _) in enumerate(given_)}
    weights = {str(i): weight for i, (_, weight) in enumerate(given_)}
    names = list(demands)
    random.shuffle(names)
    shares = max_min_fair(demands, capacity, weights)
    shuffled = max_min_fair({name: demands[name] for name in names}, capacity, weights)
    assert shuffled == pytest.approx(shares, rel=1e-9, abs=1e-12 * (1 + capacity))


@given(asked, amounts)
def test_only_the_ratio_of_weights_matters(given_, capacity) -> None:
    demand, weight = zip(*given_, strict=True)
    doubled = max_min_fair(demand, capacity, [2 * w for w in weight])
    assert np.array_equal(doubled, max_min_fair(demand, capacity, weight))


@given(asked, amounts, st.floats(0, 100))
def test_more_capacity_never_takes_from_anyone(given_, capacity, more) -> None:
    demand, weight = zip(*given_, strict=True)
    before = max_min_fair(demand, capacity, weight)
    after = max_min_fair(demand, capacity + more, weight)
    assert (after >= before - 1e-9 * (1 + capacity)).all()


@pytest.mark.parametrize(
    ("demands", "capacity", "weights", "shares"),
    [
        ([], 5, None, []),
        ([3], 5, None, [3]),
        ([8], 5, None, [5]),
        ([0, 8], 5, None, [0, 5]),
        ([0, 0], 5, None, [0, 0]),
        ([2, 3], 0, None, [0, 0]),
        ([2, 3], 5, None, [2, 3]),
        ([2, 3], float("inf"), None, [2, 3]),
        ([9, 9, 9], 9, None, [3, 3, 3]),
        ([9, 9], 9, [2, 1], [6, 3]),
        ([1, 1], 1, [1e308, 1e308], [0.5, 0.5]),
        ([1e308] * 3, 3e307, None, [1e307] * 3),
        ([100, 100], 150, [1, 1e-308], [100, 50]),
    ],
)
def test_edges(demands, capacity, weights, shares) -> None:
    assert max_min_fair(demands, capacity, weights).tolist() == shares


def test_the_allocation_is_of_the_kind_that_was_asked_for() -> None:
    by_name = {"a": 1.0, "b": 9.0}
    assert max_min_fair(by_name, 4.0, {"b": 2.0, "a": 1.0}) == {"a": 1.0, "b": 3.0}
    series = max_min_fair(pd.Series(by_name), 4.0, pd.Series({"b": 1.0, "a": 1.0}))
    pd.testing.assert_series_equal(series, pd.Series({"a": 1.0, "b": 3.0}, name="fair_share"))
    assert isinstance(max_min_fair((1.0, 9.0), 4.0), np.ndarray)


def test_what_comes_in_is_left_as_it_was() -> None:
    demand = np.array([1.0, 9.0])
    share = max_min_fair(demand, 100.0)
    share[0] = 7.0
    assert demand.tolist() == [1.0, 9.0]


def test_dominant_resource_fairness_published_example() -> None:
    example = VECTORS["drf"]
    tasks = {i: dict(enumerate(use)) for i, use in enumerate(example["demand_per_task"])}
    got = dominant_resource_fair(tasks, dict(enumerate(example["capacity"])))
    assert list(got.values()) == pytest.approx(example["tasks"], rel=1e-12)
    used = [sum(got[i] * tasks[i][r] for i in tasks) for r in range(2)]
    assert used == pytest.approx(example["used"])


@given(asked, amounts)
def test_dominant_resource_fairness_of_one_resource_is_max_min(given_, capacity) -> None:
    names = range(len(given_))
    demands = {i: demand for i, (demand, _) in enumerate(given_)}
    weights = {i: weight for i, (_, weight) in enumerate(given_)}
    got = dominant_resource_fair({i: {"s": 1} for i in names}, {"s": capacity}, demands, weights)
    assert got == pytest.approx(max_min_fair(demands, capacity, weights), rel=1e-9, abs=1e-9)


uses = st.lists(
    st.tuples(st.floats(0.1, 10), st.just(0.0) | st.floats(0.1, 10), st.floats(0.1, 10)),
    min_size=1,
    max_size=6,
)


@given(uses, st.floats(1, 100), st.floats(1, 100))
def test_dominant_shares_rise_until_a_resource_is_used_up(rows_, a, b) -> None:
    """Within capacity; whoever stopped lacks a resource; nobody who shares it has more."""
    tasks = {i: {"a": x, "b": y} for i, (x, y, _) in enumerate(rows_)}
    demands = {i: 5 * z for i, (_, _, z) in enumerate(rows_)}
    capacity = {"a": a, "b": b}
    got = dominant_resource_fair(tasks, capacity, demands)
    used = {r: sum(got[i] * tasks[i][r] for i in tasks) for r in capacity}
    share = {i: max(got[i] * tasks[i][r] / capacity[r] for r in capacity) for i in tasks}
    assert all(used[r] <= capacity[r] * (1 + 1e-9) for r in capacity)
    for i in tasks:
        if got[i] < demands[i] * (1 - 1e-9):
            lacking = [r for r in capacity if tasks[i][r] and used[r] >= capacity[r] * (1 - 1e-9)]
            assert any(
                share[i] >= max(share[j] for j in tasks if tasks[j][r]) - 1e-9 for r in lacking
            )


def test_dominant_resource_fairness_edges() -> None:
    assert dominant_resource_fair({}, {"cpu": 1}) == {}
    tasks = {"a": {"cpu": 1}, "b": {"gb": 2}}
    assert dominant_resource_fair(tasks, {"cpu": 0, "gb": 4}) == {"a": 0.0, "b": 2.0}
    assert dominant_resource_fair(tasks, {"cpu": 3, "gb": 4}, {"a": 0, "b": 1}) == {"a": 0, "b": 1}
    same = {"a": {"cpu": 1}, "b": {"cpu": 1}}
    got = dominant_resource_fair(same, {"cpu": 9}, weights={"a": 2, "b": 1})
    assert got == pytest.approx({"a": 6, "b": 3})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"per_task": {"a": {"disk": 1}}}, "names 'disk', which has no capacity"),
        ({"per_task": {"a": {"cpu": 0}}}, "must take more than 0 of some resource"),
        ({"per_task": {"a": {"cpu": -1}}}, "per_task"),
        ({"capacity": {"cpu": float("nan")}}, "capacity"),
        ({"demands": {"b": 1}}, "demands must be for the tenants of per_task; 'a' has none"),
        ({"weights": {"a": 0}}, "weights"),
    ],
)
def test_dominant_resource_fairness_names_what_is_wrong(change, said) -> None:
    arguments = {"per_task": {"a": {"cpu": 1}}, "capacity": {"cpu": 1}} | change
    with pytest.raises(ValueError, match=said):
        dominant_resource_fair(**arguments)
