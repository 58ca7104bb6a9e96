"""Outcomes and what a scheduler is told: numbers that stored runs and other tiers rest on."""

from __future__ import annotations

import pytest

from fairness_lib import Outcome, Tasks
from fairness_lib.policies.tasks import REJECTED


def test_the_numbers_of_outcomes_are_fixed() -> None:
    """Runs are stored, and the compiled tier writes, as these numbers."""
    assert {o.label: int(o) for o in Outcome} == {
        "served": 0,
        "waiting": 1,
        "queue_full": 2,
        "quota": 3,
        "abandoned": 4,
    }


def test_what_the_policy_turns_away_is_a_rejection_and_what_a_client_gives_up_is_none() -> None:
    others = {Outcome.SERVED, Outcome.WAITING, Outcome.ABANDONED}
    assert set(REJECTED) == set(Outcome) - others


def test_weights_by_name_replace_the_tenants_own() -> None:
    tasks = Tasks(["a", "b"], [1.0, 2.0], [0, 1], [1.0, 1.0])
    assert tasks.by_tenant("weights", {"b": 5}) == [1.0, 5.0]
    assert tasks.by_tenant("weights", None) == [1.0, 2.0]


def test_weights_of_an_unknown_tenant_are_an_error_that_lists_the_known() -> None:
    tasks = Tasks([f"t{i}" for i in range(9)], [1.0] * 9, [], [])
    with pytest.raises(ValueError, match=r"weights names 'x'.*t0, t1, t2, t3, t4, \.\.\."):
        tasks.by_tenant("weights", {"x": 5})
