"""Fewest workers: enough, one less is not, and what is owed is fixed once."""

from __future__ import annotations

import numpy as np
import pytest
from traces import crowded

from fairness_lib import capacity, drr, fifo, read_trace, simulate
from fairness_lib.decide.pools import fewest
from fairness_lib.decide.situation import Situation


def test_one_worker_less_is_not_enough() -> None:
    trace = crowded()
    found = capacity(trace, objective_s=1.0, workers=4)
    owed = Situation(trace.workload, 4, 1.0).in_time
    assert found.owed == owed.sum()
    quantum_s = float(trace.workload.cost_s.mean())
    for policy in (fifo(cap=None), drr(cap=None, quantum_s=quantum_s)):
        workers = found.workers[policy.name]
        assert workers is not None
        kept = [
            np.mean(simulate(trace.workload, policy, number).wait_s[owed] <= 1.0)
            for number in (workers - 1, workers)
            if number
        ]
        assert kept[-1] >= 0.99
        assert kept[:-1] == [] or kept[0] < 0.99
    assert found.saved["drr"] == found.workers["fifo"] - found.workers["drr"] > 0


def test_a_small_pool_does_not_look_good_because_it_owes_little() -> None:
    """On one worker hardly anything is owed; but what is owed is today's pool's."""
    found = capacity(crowded(), objective_s=1.0, workers=4)
    assert found.workers["drr"] > 1


def test_todays_pool_is_given_fitted_or_said_to_be_unknown() -> None:
    log = read_trace("example")
    assert capacity(log, objective_s=2.0).today == 4
    assert "fitted" in capacity(log, objective_s=2.0).how
    assert "80%" in capacity(crowded(), objective_s=1.0).how


def test_no_pool_is_enough_for_a_quota_that_rejects() -> None:
    found = capacity(crowded(), objective_s=1.0, workers=4, quota={"*": (0.1, 1)})
    assert found.workers["quota"] is None
    assert "quota" not in found.saved


def test_the_fewest_by_bisection_is_the_fewest() -> None:
    for border in range(1, 40):
        assert fewest(lambda n, border=border: n >= border, 40) == border
    assert fewest(lambda n: False, 40) is None


@pytest.mark.parametrize("how", [{"objective_s": -1}, {"objective_s": 1, "kept": 2}])
def test_bad_arguments_are_named(how) -> None:
    with pytest.raises(ValueError, match=next(reversed(how))):
        capacity(crowded(), **how)
