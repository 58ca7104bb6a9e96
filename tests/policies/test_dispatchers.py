"""Several dispatchers in front of one pool."""

from __future__ import annotations

import numpy as np
import pytest
from cases import assert_conserved, idle_while_queued, policies, tasks, workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import (
    Clients,
    DeficitRoundRobin,
    Dispatchers,
    Fifo,
    Policy,
    Retry,
    Workload,
    drr,
    simulate,
)


def behind(policy: Policy, number: int) -> Policy:
    return Policy("several", Dispatchers(policy.discipline, number), policy.admission)


@given(workloads(), policies, st.integers(1, 4))
def test_one_dispatcher_is_none(work, policy, workers) -> None:
    one = simulate(work.with_ingress([0] * len(work)), behind(policy, 1), workers)
    alone = simulate(work, policy, workers)
    assert one.start_s.tobytes() == alone.start_s.tobytes()
    assert one.outcome.tobytes() == alone.outcome.tobytes()
    assert one.fruitless_visits == alone.fruitless_visits


@given(workloads(), policies, st.integers(1, 4), st.data())
def test_nothing_is_lost_and_nobody_idles(work, policy, workers, data) -> None:
    ingress = data.draw(st.lists(st.integers(0, 2), min_size=len(work), max_size=len(work)))
    run = simulate(work.with_ingress(ingress), behind(policy, 3), workers)
    assert_conserved(run)
    assert run.counts()["waiting"] == 0
    assert idle_while_queued(run) == 0


def test_dispatchers_are_asked_in_turn_by_hand() -> None:
    """Three tasks wait at the first, one at the second: 0, then 1 of the second, then the rest."""
    work = tasks(("a", 0.0, 1.0), *[("a", 0.5, 1.0)] * 2, ("a", 0.6, 1.0))
    run = simulate(work.with_ingress([0, 0, 0, 1]), behind(Policy("f", Fifo()), 2), 1)
    assert run.start_s.tolist() == [0.0, 2.0, 3.0, 1.0]


def test_weights_hold_centrally_and_are_lost_behind_skewed_dispatchers() -> None:
    """Weights 4 to 1, both backlogged: 4 to 1 from one dispatcher, 1 to 1 from one each."""
    n = 400
    tenant = np.arange(2 * n) % 2
    work = Workload(["a", "b"], [0.0] * 2 * n, tenant, [1.0] * 2 * n, 1.0, [4.0, 1.0])
    rule = Policy("drr", DeficitRoundRobin(1.0, None))
    central = simulate(work, rule, 1)
    skewed = simulate(work.with_ingress(tenant), behind(rule, 2), 1)
    spread = simulate(work.with_ingress(np.arange(2 * n) // 2 % 2), behind(rule, 2), 1)
    for run, share in ((central, 0.8), (skewed, 0.5), (spread, 0.8)):
        done = run.finish_s <= n
        assert done[tenant == 0].sum() / done.sum() == pytest.approx(share, abs=0.01)


def test_clients_that_leave_are_forgotten_by_their_own_dispatcher() -> None:
    work = tasks(*[("a", 0.0, 1.0)] * 6).with_ingress([0, 1, 0, 1, 0, 1])
    work = work.with_clients(Clients(patience=2.5, retry=Retry(2, backoff_s=1.0)))
    run = simulate(work, behind(drr(), 2), 1)
    assert sum(run.counts().values()) == 6
    assert run.attempts.tolist() == [1, 1, 2, 2, 2, 2]
