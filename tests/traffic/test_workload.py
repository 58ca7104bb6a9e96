"""Workloads: read-only columns in order of arrival, and their table."""

from __future__ import annotations

import numpy as np
import pytest
from cases import tasks, workloads
from hypothesis import given, settings

from fairness_lib import Workload
from fairness_lib.traffic.workload import merge


def test_columns_are_copied_and_read_only() -> None:
    arrival_s = np.array([0.0, 1.0])
    work = Workload(["a"], arrival_s, [0, 0], [1.0, 1.0], 5.0)
    arrival_s[0] = 0.5
    assert work.arrival_s.tolist() == [0.0, 1.0]
    for column in (work.arrival_s, work.tenant, work.cost_s, work.weight, work.estimate_s):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 9


def test_estimates_are_the_costs_unless_given() -> None:
    work = tasks(("a", 0.0, 1.0), ("b", 1.0, 2.0))
    assert work.estimate_s.tolist() == [1.0, 2.0]
    guessed = work.with_estimates([3.0, 4.0])
    assert guessed.estimate_s.tolist() == [3.0, 4.0]
    assert guessed.cost_s.tolist() == work.cost_s.tolist()
    assert work.estimate_s.tolist() == [1.0, 2.0]


@settings(max_examples=25)
@given(workloads())
def test_estimates_keep_all_other_columns(work) -> None:
    guessed = work.with_estimates(work.cost_s * 2)
    frame, other = work.to_frame(), guessed.to_frame()
    assert frame.drop(columns="estimate_s").equals(other.drop(columns="estimate_s"))
    assert guessed.weight.tolist() == work.weight.tolist()
    assert guessed.horizon_s == work.horizon_s


def test_the_table_names_the_tenants() -> None:
    frame = tasks(("b", 0.0, 1.0), ("a", 1.0, 2.0)).to_frame()
    assert frame["tenant"].tolist() == ["b", "a"]
    assert frame.columns.tolist() == ["arrival_s", "tenant", "cost_s", "estimate_s"]
    assert len(frame) == 2


def test_merging_keeps_each_tenants_order_and_ties_go_by_tenant() -> None:
    first = np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])
    second = np.array([0.5, 1.0]), np.array([4.0, 5.0])
    _, arrival_s, tenant, cost_s = merge([first, second])
    assert arrival_s.tolist() == [0.0, 0.5, 1.0, 1.0, 1.0]
    assert tenant.tolist() == [0, 1, 0, 0, 1]
    assert cost_s.tolist() == [1.0, 4.0, 2.0, 3.0, 5.0]


def test_many_ties_keep_their_order_too() -> None:
    """Sorts that are not stable often are for a few rows."""
    same = np.repeat([1.0, 2.0], 100)
    _, _, tenant, cost_s = merge([(same, np.arange(200.0)), (same, 1000 + np.arange(200.0))])
    assert tenant.tolist() == [0] * 100 + [1] * 100 + [0] * 100 + [1] * 100
    assert np.array_equal(np.diff(cost_s[tenant == 0]), np.ones(199))


def test_arrivals_at_the_horizon_and_ties_are_allowed() -> None:
    assert len(Workload(["a"], [5.0, 5.0], [0, 0], [0.0, 0.0], 5.0)) == 2


def test_a_workload_says_in_a_line_what_it_is() -> None:
    assert repr(tasks(("a", 0.0, 1.0), horizon_s=2.5)) == "Workload(1 tasks, 1 tenants, 2.5 s)"
