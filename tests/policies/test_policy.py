"""Policies: the article's four with its parameters, and anyone's own combination."""

from __future__ import annotations

import pytest
from cases import tasks

from fairness_lib import (
    ARTICLE_POLICIES,
    DeficitRoundRobin,
    Fifo,
    Policy,
    Quota,
    drr,
    drr_quota,
    fifo,
    quota,
    simulate,
)


def test_the_articles_parameters_are_the_defaults() -> None:
    buckets = {"heavy": (450.0, 100.0), "mid*": (120.0, 40.0), "small*": (20.0, 10.0)}
    rounds = DeficitRoundRobin(quantum_s=0.010, cap=200, weights=None)
    assert fifo() == Policy("fifo", Fifo(2000))
    assert quota() == Policy("quota", Fifo(2000), Quota(buckets))
    assert drr() == Policy("drr", rounds)
    assert drr_quota() == Policy("drr_quota", rounds, Quota(buckets))


def test_the_articles_policies_stand_in_its_order_under_their_names() -> None:
    assert list(ARTICLE_POLICIES) == ["fifo", "quota", "drr", "drr_quota"]
    assert all(make().name == name for name, make in ARTICLE_POLICIES.items())


@pytest.mark.parametrize("make", [fifo, quota, drr, drr_quota])
def test_parameters_reach_the_parts(make) -> None:
    assert make(cap=7).discipline.cap == 7
    assert make(cap=None).discipline.cap is None


def test_parameters_of_rounds_and_buckets_reach_the_parts() -> None:
    policy = drr_quota(buckets={"*": (5, 2)}, quantum_s=0.5, weights={"a": 2.0})
    assert policy.discipline == DeficitRoundRobin(0.5, 200, {"a": 2.0})
    assert policy.admission == Quota({"*": (5, 2)})
    assert drr(quantum_s=0.5, weights={"a": 2.0}).discipline == policy.discipline
    assert quota(buckets={"*": (5, 2)}).admission == policy.admission


def test_any_admission_goes_with_any_discipline() -> None:
    policy = Policy("mine", DeficitRoundRobin(1.0, None), Quota({"*": (1, 1)}))
    run = simulate(tasks(("a", 0.0, 1.0), ("a", 0.0, 1.0)), policy, 8)
    assert run.counts()["quota"] == 1
    assert run.policy is policy
