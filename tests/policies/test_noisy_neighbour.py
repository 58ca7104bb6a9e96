"""Noisy neighbours last: the rule by hand, and where its threshold cannot work."""

from __future__ import annotations

import numpy as np
import pytest
from cases import start_times, tasks

from fairness_lib import NoisyNeighboursLast, Policy, article_scenario, fifo, simulate


def deprioritised(**settings) -> Policy:
    return Policy("noisy last", NoisyNeighboursLast(**settings))


def test_schedule_by_hand() -> None:
    """Two workers; a is noisy from its second task on, so b's goes before a's third."""
    work = tasks(*[("a", 0.0, 1.0)] * 4, ("b", 0.5, 1.0))
    noisy = deprioritised(share=0.5, least=2)
    assert start_times(work, noisy, 2) == [0.0, 0.0, 1.0, 2.0, 1.0]
    assert start_times(work, fifo(), 2) == [0.0, 0.0, 1.0, 1.0, 2.0]


def test_a_tenant_is_noisy_until_its_queue_has_drained() -> None:
    """At 2 a has nothing in flight but b's is older, at 4 a has drained and is quiet again."""
    work = tasks(*[("a", 0.0, 1.0)] * 5, ("b", 1.5, 1.0), ("b", 1.5, 1.0), ("a", 9.0, 1.0))
    noisy = deprioritised(share=0.5, least=2)
    assert start_times(work, noisy, 2)[5:7] == [2.0, 2.0]
    late = tasks(*[("a", 0.0, 1.0)] * 2, *[("b", 5.0, 1.0)] * 2, ("a", 5.0, 1.0), ("b", 5.5, 1.0))
    assert start_times(late, noisy, 2)[4:] == [6.0, 6.0]  # a is quiet, and came first


def test_a_threshold_above_the_pool_is_no_threshold() -> None:
    """Thirty in flight never happen with eight workers: it is first come first served."""
    work = article_scenario().workload(1)
    never, always = (
        simulate(work, deprioritised(least=least, cap=None), engine="readable") for least in (30, 4)
    )
    plain = simulate(work, fifo(cap=None), engine="readable")
    assert never.start_s.tobytes() == plain.start_s.tobytes()
    others = work.tenant != work.tenants.index("heavy")
    medians = [np.median(run.wait_s[others & run.served]) for run in (plain, always)]
    assert medians[1] < 0.01 < 1 < medians[0]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"share": 0}, "share must be above 0 and at most 1; got 0"),
        ({"share": 1.5}, "share must be"),
        ({"least": 0}, "least must be a whole number"),
    ],
)
def test_what_is_not_allowed_is_named(settings, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        NoisyNeighboursLast(**settings)
