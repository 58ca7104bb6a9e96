"""Shuffle-sharded fair queueing: hands, odds, schedules, and the price of a large hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import start_times, tasks, workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import (
    Policy,
    ShuffleShardedFairQueueing,
    StartTimeFairQueueing,
    article_scenario,
    crowded_out,
    measure,
    simulate,
)


def sharded(**settings) -> Policy:
    return Policy("sharded", ShuffleShardedFairQueueing(**settings))


@given(st.text(min_size=1), st.integers(1, 12), st.integers(12, 30), st.integers(0, 99))
def test_a_hand_is_so_many_different_queues(name, hand, queues, seed) -> None:
    dealt = ShuffleShardedFairQueueing(queues=queues, hand=hand, seed=seed).deal(name)
    assert len(set(dealt)) == hand
    assert set(dealt) <= set(range(queues))


def test_every_hand_is_equally_likely() -> None:
    """All 12 hands of 2 of 4, in order, over 12,000 names: chi-square with 11 degrees."""
    discipline = ShuffleShardedFairQueueing(queues=4, hand=2)
    hands = [tuple(discipline.deal(f"tenant{i}")) for i in range(12_000)]
    counts = np.unique(np.array([4 * a + b for a, b in hands]), return_counts=True)[1]
    assert len(counts) == 12
    assert ((counts - 1000) ** 2 / 1000).sum() < 31.3  # the 99.9th percentile


def test_mice_are_crowded_out_as_often_as_the_formula_says() -> None:
    """Hands of 2 of 8, two elephants: 400 draws of a mouse and them."""
    crowded = 0
    for seed in range(400):
        discipline = ShuffleShardedFairQueueing(queues=8, hand=2, seed=seed)
        elephants = {q for name in ("e0", "e1") for q in discipline.deal(name)}
        crowded += sum(set(discipline.deal(f"m{i}")) <= elephants for i in range(50))
    expected = crowded_out(2, 8, 2)
    spread = math.sqrt(expected * (1 - expected) / 400)  # mice of a draw share their elephants
    assert abs(crowded / 20_000 - expected) < 4 * spread


def test_schedule_by_hand() -> None:
    """Hands of one: a and b in queues of their own share by start tags, guesses put right."""
    work = tasks(("a", 0.0, 1.0), *[("a", 0.0, 1.0)] * 2, *[("b", 0.0, 1.0)] * 2)
    policy = sharded(queues=8, hand=1, seed=apart("a", "b"))
    assert start_times(work, policy) == [0.0, 2.0, 4.0, 1.0, 3.0]


def apart(*names: str, queues: int = 8) -> int:
    """Find a seed that deals each of these tenants another queue."""
    return seed_for(names, queues, len(names))


def seed_for(names, queues: int, different: int) -> int:
    for seed in range(1000):
        discipline = ShuffleShardedFairQueueing(queues=queues, hand=1, seed=seed)
        if len({discipline.deal(name)[0] for name in names}) == different:
            return seed
    raise AssertionError("no such seed")


def test_tenants_of_one_queue_share_its_turns() -> None:
    work = tasks(("a", 0.0, 1.0), *[("a", 0.0, 1.0)] * 2, *[("b", 0.0, 1.0)] * 2)
    policy = sharded(queues=8, hand=1, seed=seed_for("ab", 8, 1))
    assert start_times(work, policy) == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_guess_is_put_right_at_the_finish() -> None:
    """a's first task was guessed at 0.5 and cost 3: b has the next three turns."""
    work = tasks(("a", 0.0, 3.0), ("a", 0.0, 1.0), *[("b", 0.0, 1.0)] * 4)
    policy = sharded(queues=8, hand=1, seed=apart("a", "b"), guess_s=0.5)
    assert start_times(work, policy)[2:5] == [3.0, 4.0, 5.0]


@given(workloads(max_tasks=50, costs=st.sampled_from([0.125, 0.25, 0.5])), st.integers(1, 3))
def test_with_a_queue_for_each_it_is_start_time_fair_queueing(work, workers) -> None:
    """But for who goes first among equals, so that all is served within the same time."""
    even = dict.fromkeys(work.tenants, 1.0)
    fair = Policy("sfq", StartTimeFairQueueing(cap=None, weights=even))
    seed = apart(*work.tenants, queues=64)
    mine = simulate(work, sharded(hand=1, cap=None, seed=seed), workers)
    assert mine.counts() == simulate(work, fair, workers).counts()
    if workers == 1:
        assert mine.finish_s.max() == simulate(work, fair, workers).finish_s.max()


def test_a_large_hand_gives_an_elephant_more_turns() -> None:
    """The p99 of those within their share grows with the hand."""
    work = article_scenario().workload(1)
    runs = [simulate(work, sharded(hand=hand, cap=200)) for hand in (2, 4, 8)]
    waits = [measure(run).under_share_p99_wait_s for run in runs]
    assert waits[0] < 0.04 < waits[1] < 0.06 < waits[2]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"queues": 4, "hand": 5}, "hand must be at most queues, 4; got 5"),
        ({"queues": 1024, "hand": 12}, "hand must be so small"),
        ({"guess_s": -1}, "guess_s must be"),
    ],
)
def test_what_is_not_allowed_is_named(settings, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        ShuffleShardedFairQueueing(**settings)
