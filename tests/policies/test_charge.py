"""Charge as you go: schedules by hand, and no need of estimates."""

from __future__ import annotations

import numpy as np
import pytest
from cases import start_times, tasks, workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import ChargeAsYouGo, Policy, simulate


def as_you_go(**settings) -> Policy:
    return Policy("as you go", ChargeAsYouGo(**settings))


def test_schedule_by_hand() -> None:
    """After a's 2 s it is b's turn until b was charged as much; the tie goes to who came first."""
    work = tasks(("a", 0.0, 2.0), *[("a", 0.0, 1.0)] * 2, *[("b", 0.0, 1.0)] * 3)
    assert start_times(work, as_you_go()) == [0.0, 4.0, 6.0, 2.0, 3.0, 5.0]


def test_a_task_is_charged_while_it_runs() -> None:
    """Two workers: at 1 a's long task has cost 1 so far, b nothing yet; at 2 a 2 and b 1."""
    work = tasks(("a", 0.0, 9.0), ("z", 0.0, 1.0), ("a", 0.5, 1.0), *[("b", 0.5, 1.0)] * 2)
    assert start_times(work, as_you_go(), 2) == [0.0, 0.0, 3.0, 1.0, 2.0]


def test_who_comes_back_is_lifted() -> None:
    """b comes when a was charged 3, and from then on they take turns."""
    work = tasks(*[("a", 0.0, 1.0)] * 6, *[("b", 2.5, 1.0)] * 3)
    run = simulate(work, as_you_go(), 1)
    assert sorted(run.start_s[work.tenant == 1]) == [3.0, 5.0, 7.0]


def test_what_is_known_may_be_charged_at_the_start() -> None:
    """Nothing for the run, one for a prompt's second: a's prompts cost twice b's."""
    work = tasks(("z", 0.0, 1.0), *[("a", 0.0, 1.0)] * 3, *[("b", 0.0, 1.0)] * 4)
    prompts = work.with_estimates([1.0, *[2.0] * 3, *[1.0] * 4])
    policy = as_you_go(at_start=1.0, as_it_runs=0.0)
    assert start_times(prompts, policy) == [0.0, 1.0, 4.0, 7.0, 2.0, 3.0, 5.0, 6.0]


@given(workloads(max_tasks=50), st.integers(1, 3), st.data())
def test_estimates_make_no_difference(work, workers, data) -> None:
    wrong = data.draw(st.lists(st.floats(0, 9), min_size=len(work), max_size=len(work)))
    truth = simulate(work, as_you_go(), workers).start_s
    assert np.array_equal(truth, simulate(work.with_estimates(wrong), as_you_go(), workers).start_s)


@given(workloads(max_tasks=50, costs=st.just(1.0)), st.integers(2, 8))
def test_weights_and_rates_scale_together(work, factor) -> None:
    """Twice the charge and twice the weights is the same schedule, by powers of two to the bit."""
    times = 2.0**factor
    weights = dict(zip(work.tenants, (work.weight * times).tolist(), strict=True))
    scaled = as_you_go(as_it_runs=times, weights=weights)
    assert start_times(work, scaled) == start_times(work, as_you_go())


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"at_start": -1}, "at_start must be finite and at least 0; got -1"),
        ({"as_it_runs": float("nan")}, "as_it_runs must be"),
        ({"as_it_runs": 0}, "must not both be 0"),
    ],
)
def test_what_is_not_allowed_is_named(settings, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        ChargeAsYouGo(**settings)
