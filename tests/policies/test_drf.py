"""Dominant resource fairness as a schedule: the paper's example, and one resource alone."""

from __future__ import annotations

import pytest
from cases import VECTORS, start_times, tasks

from fairness_lib import DominantResourceFair, Policy, simulate

USES = {"a": {"cpus": 1, "memory": 4}, "b": {"cpus": 3, "memory": 1}}
MACHINE = {"cpus": 9, "memory": 18}


def drf(**settings) -> Policy:
    return Policy("drf", DominantResourceFair(uses=USES, capacity=MACHINE, **settings))


def backlogged(tasks_each: int = 40):
    return tasks(*[("a", 0.0, 1.0), ("b", 0.0, 1.0)] * tasks_each)


def running_at(policy: Policy, second: float) -> list[int]:
    run = simulate(backlogged(), policy, workers=99)
    here = (run.start_s <= second) & (run.finish_s > second)
    return [int((here & (run.workload.tenant == t)).sum()) for t in range(2)]


def test_the_papers_example_comes_out() -> None:
    """Three tasks of A and two of B run at once, in every round (Ghodsi et al. 2011)."""
    published = VECTORS["drf"]
    assert list(MACHINE.values()) == published["capacity"]
    assert [list(uses.values()) for uses in USES.values()] == published["demand_per_task"]
    for second in (0.5, 1.5, 5.5):
        assert running_at(drf(), second) == published["tasks"]


def test_one_resource_alone_is_unfair_in_the_other() -> None:
    """Shared by memory, B's tasks take two thirds of the CPUs, and A's run one at a time."""
    assert running_at(drf(by=["memory"]), 5.5) == [1, 2]
    mirrored = {"a": {"cpus": 1, "memory": 3}, "b": {"cpus": 4, "memory": 1}}
    machine = {"cpus": 18, "memory": 9}
    by_cpus = DominantResourceFair(uses=mirrored, capacity=machine, by=["cpus"])
    assert running_at(Policy("by CPUs", by_cpus), 5.5) == [2, 1]


def test_nothing_is_used_beyond_what_there_is() -> None:
    run = simulate(backlogged(), drf(), workers=99)
    assert run.counts()["served"] == 80
    for at in run.start_s:
        here = (run.start_s <= at) & (run.finish_s > at)
        counts = [(here & (run.workload.tenant == t)).sum() for t in range(2)]
        for name, most in MACHINE.items():
            assert counts[0] * USES["a"][name] + counts[1] * USES["b"][name] <= most


def test_a_head_that_does_not_fit_is_waited_for() -> None:
    """No overtaking: b's share is least and it needs 3 CPUs, so a's next waits too."""
    work = tasks(*[("a", 0.0, 2.0)] * 4, ("b", 0.5, 1.0), ("b", 0.5, 1.0), ("a", 0.5, 1.0))
    policy = Policy("drf", DominantResourceFair(uses=USES, capacity={"cpus": 5, "memory": 18}))
    assert start_times(work, policy, 99) == [0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 2.0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"uses": {"a": {"disk": 1}}, "capacity": MACHINE}, r"uses\['a'\] must be one of"),
        ({"uses": {"a": {"cpus": 10}}, "capacity": MACHINE}, r"uses\['a'\]\['cpus'\] must be"),
        ({"uses": USES, "capacity": {}}, "capacity must name at least one resource"),
        ({"uses": USES, "capacity": MACHINE, "by": ["disk"]}, "by must be one of"),
    ],
)
def test_what_is_not_allowed_is_named(settings, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        DominantResourceFair(**settings)
