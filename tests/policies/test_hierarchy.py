"""Fair queueing in a tree: a schedule by hand, and the cure for tenants that split."""

from __future__ import annotations

import pytest
from cases import start_times, tasks, workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import HierarchicalFairQueueing, Policy, StartTimeFairQueueing, simulate


def tree(**settings) -> Policy:
    return Policy("tree", HierarchicalFairQueueing(**settings))


def flat(**settings) -> Policy:
    return Policy("flat", StartTimeFairQueueing(**settings))


def test_schedule_by_hand() -> None:
    """x and y take turns; within x its two users do."""
    work = tasks(
        ("z", 0.0, 1.0),
        ("x/a", 0.0, 1.0),
        ("x/a", 0.0, 1.0),
        ("x/b", 0.0, 1.0),
        ("x/b", 0.0, 1.0),
        ("y", 0.0, 1.0),
        ("y", 0.0, 1.0),
    )
    assert start_times(work, tree()) == [0.0, 1.0, 5.0, 3.0, 6.0, 2.0, 4.0]


def split(ways: int, separator: str):
    """A tenant of thirty tasks that has split itself, and an honest one of ten."""
    mine = [(f"x{separator}{i % ways}", 0.0, 1.0) for i in range(30)]
    return tasks(("z", 0.0, 1.0), *mine, *[("y", 0.0, 1.0)] * 10)


def last_of_y(work, policy) -> float:
    run = simulate(work, policy, 1)
    return float(run.finish_s[work.tenant == work.tenants.index("y")].max())


def test_who_splits_into_many_keys_gains_nothing() -> None:
    """Flat sharing among ten keys makes y wait to the end; in the tree it has every other turn."""
    assert last_of_y(split(1, "-"), flat()) <= 22
    assert last_of_y(split(10, "-"), flat()) > 35
    assert last_of_y(split(10, "/"), tree()) <= 22


def test_weights_go_by_path() -> None:
    """x has three times y's weight, and a within x twice b's."""
    work = tasks(*[("x/a", 0.0, 1.0)] * 40, *[("x/b", 0.0, 1.0)] * 40, *[("y", 0.0, 1.0)] * 40)
    run = simulate(work, tree(weights={"x": 3.0, "x/a": 2.0}), 1)
    early = run.start_s < 36
    served = [int((early & (work.tenant == t)).sum()) for t in range(3)]
    assert served == [18, 9, 9]


@given(workloads(max_tasks=60), st.integers(1, 3), st.none() | st.integers(1, 8))
def test_without_groups_it_is_start_time_fair_queueing(work, workers, cap) -> None:
    """Up to who goes first among equals."""
    in_tree, in_line = (simulate(work, make(cap=cap), workers) for make in (tree, flat))
    assert in_tree.counts()["served"] == in_line.counts()["served"] or cap is not None
    if cap is None and workers == 1:
        assert abs(in_tree.finish_s.max() - in_line.finish_s.max()) < 1e-9


def test_an_unknown_path_is_named() -> None:
    with pytest.raises(ValueError, match="weights names 'q', which is neither a tenant nor a gr"):
        simulate(tasks(("x/a", 0.0, 1.0)), tree(weights={"q": 1.0}), 1)


def test_a_tenant_and_a_group_may_not_share_a_name() -> None:
    with pytest.raises(ValueError, match="'x' is both a tenant and a group"):
        simulate(tasks(("x", 0.0, 1.0), ("x/a", 0.0, 1.0)), tree(), 1)
