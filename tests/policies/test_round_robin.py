"""Round robin by count: a schedule by hand, and what counting does not see."""

from __future__ import annotations

import numpy as np
from cases import ahead_at_most, start_times, tasks, workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import Policy, RoundRobin, Workload, simulate


def by_count(**settings) -> Policy:
    return Policy("by count", RoundRobin(**settings))


def test_schedule_by_hand() -> None:
    """Turns alternate, though b's tasks cost three times as much."""
    work = tasks(*[("a", 0.0, 1.0)] * 3, *[("b", 0.0, 3.0)] * 2)
    assert start_times(work, by_count()) == [0.0, 1.0, 5.0, 2.0, 6.0]


def test_a_tenant_that_comes_back_is_last() -> None:
    work = tasks(("a", 0.0, 1.0), ("b", 0.0, 1.0), ("c", 0.0, 1.0), ("a", 0.5, 1.0))
    assert start_times(work, by_count()) == [0.0, 1.0, 2.0, 3.0]


@given(workloads(max_tasks=60, costs=st.floats(0.1, 2)))
def test_backlogged_tenants_differ_by_at_most_one_task(work) -> None:
    """Whatever tasks cost; one of two, as a tenant may have had its turn before."""
    counted = Workload(work.tenants, work.arrival_s, work.tenant, work.cost_s, work.horizon_s)
    assert ahead_at_most(simulate(counted, by_count(cap=None), 1), np.ones(len(work))) <= 0.5


def test_it_is_unfair_by_work() -> None:
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 0.1)] * 30, *[("b", 0.0, 10.0)] * 30)
    assert ahead_at_most(simulate(work, by_count(), 1), work.cost_s) > 20
