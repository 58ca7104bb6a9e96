"""Start-time fair queueing: a schedule by hand, and the bound that it is known for."""

from __future__ import annotations

import pytest
from cases import ahead_at_most, start_times, tasks, workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import Policy, StartTimeFairQueueing, drr, fifo, simulate


def sfq(**settings) -> Policy:
    return Policy("sfq", StartTimeFairQueueing(**settings))


def test_schedule_by_hand() -> None:
    """At 0.5 the virtual time is still 0, so b's task goes before a's second, which starts at 1."""
    work = tasks(("a", 0.0, 1.0), ("a", 0.0, 1.0), ("a", 0.0, 1.0), ("b", 0.5, 1.0))
    assert start_times(work, sfq()) == [0.0, 2.0, 3.0, 1.0]


def test_a_task_waits_as_long_as_its_tenants_last_one_was() -> None:
    """The start counts, not the end: b's long task goes first, and b then waits for three of a."""
    work = tasks(("z", 0.0, 1.0), ("b", 0.0, 3.0), *[("a", 0.0, 1.0)] * 4, ("b", 0.0, 1.0))
    assert start_times(work, sfq()) == [0.0, 1.0, 4.0, 5.0, 6.0, 7.0, 8.0]


def test_weights_stretch_virtual_time() -> None:
    """A tenant of weight 2 has two tasks served for the other's one."""
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 1.0)] * 4, *[("b", 0.0, 1.0)] * 2)
    expected = [0.0, 1.0, 3.0, 4.0, 6.0, 2.0, 5.0]
    assert start_times(work, sfq(weights={"a": 2.0})) == expected


def test_who_was_away_does_not_come_back_rich() -> None:
    """b's first task comes when a has had 3 s: they share from then on."""
    work = tasks(*[("a", 0.0, 1.0)] * 6, *[("b", 2.5, 1.0)] * 3)
    assert start_times(work, sfq()) == [0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 3.0, 5.0, 7.0]


@given(workloads(max_tasks=60), st.integers(1, 3))
def test_backlogged_tenants_differ_by_at_most_a_task_each(work, workers) -> None:
    """|S_i/w_i - S_j/w_j| <= c_i/w_i + c_j/w_j (Goyal, Vin and Cheng 1996, theorem 1)."""
    assert ahead_at_most(simulate(work, sfq(cap=None), workers), work.cost_s) <= 1 + 1e-9


def test_first_come_first_served_is_not_within_the_bound() -> None:
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 1.0)] * 9, *[("b", 0.0, 1.0)] * 9)
    assert ahead_at_most(simulate(work, fifo(), 1), work.cost_s) >= 4
    assert ahead_at_most(simulate(work, sfq(), 1), work.cost_s) <= 1


def test_a_long_round_is_not_within_the_bound_either() -> None:
    """Deficit round robin serves a whole quantum at once."""
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 1.0)] * 30, *[("b", 0.0, 1.0)] * 30)
    assert ahead_at_most(simulate(work, drr(quantum_s=10.0), 1), work.cost_s) >= 4


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"cap": 0}, "cap must be a whole number of at least 1; got 0"),
        ({"weights": {"a": 0}}, r"weights\['a'\] must be .* above 0; got 0"),
        ({"weights": [1]}, "weights must be a mapping"),
    ],
)
def test_what_is_not_allowed_is_named(settings, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        StartTimeFairQueueing(**settings)
