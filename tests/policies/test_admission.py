"""Admission: the token bucket to the token, and quotas by name and pattern."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cases import at_its_rate, clocks, outcomes, rates, start_times, starts, tasks
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import Outcome, Policy, Quota, Tenant, TokenBucket, fifo, quota, simulate
from fairness_lib.policies.admission import CLOCK_TOLERANCE, RATE_TOLERANCE
from fairness_lib.policies.fifo import Fifo
from fairness_lib.traffic.scenario import Scenario


def test_token_bucket_by_hand() -> None:
    """Two tokens a second, at most three: taken together, refilled, never overfull."""
    bucket = TokenBucket(rate_per_s=2, burst=3)
    answers = [bucket.take(now) for now in (0, 0, 0, 0, 0.25, 0.5, 0.75, 1.0, 10, 10, 10, 10)]
    assert answers == [
        *(True, True, True, False),  # it starts full with three
        *(False, True, False, True),  # half a second makes one token
        *(True, True, True, False),  # nine seconds make no more than three
    ]
    assert bucket.tokens == 0


def test_a_rejected_task_takes_no_token() -> None:
    bucket = TokenBucket(rate_per_s=1, burst=1)
    assert [bucket.take(now) for now in (0, 0.5, 0.75, 1.0)] == [True, False, False, True]


# --- rounding: a client at its rate is let in, and nobody gets more than the bound -------------


bursts = st.just(1.0) | st.integers(1, 50).map(float) | st.floats(1, 50)


@given(rates, bursts, st.integers(1, 1500), starts, clocks)
def test_a_client_at_exactly_its_rate_is_never_refused(rate, burst, n, start_s, clock) -> None:
    bucket = TokenBucket(rate, burst)
    assert all(bucket.take(now) for now in at_its_rate(rate, n, start_s, clock))


@given(rates, st.integers(1, 20), st.integers(1, 60), starts)
def test_nor_is_one_that_sends_its_whole_burst_as_often_as_it_fills(rate, burst, n, start) -> None:
    bucket = TokenBucket(rate, burst)
    assert all(bucket.take(start + k * burst / rate) for k in range(n) for _ in range(burst))


@pytest.mark.parametrize("clock", ["divides", "multiplies", "adds up"])
def test_not_even_after_half_a_million_tasks(clock) -> None:
    bucket = TokenBucket(10, 1)
    assert all(bucket.take(now) for now in at_its_rate(10, 500_000, 0.0, clock))


@pytest.mark.parametrize("start_s", [0.0, 1.7e9])
def test_a_client_a_thousandth_above_its_rate_is_refused_the_negative_control(start_s) -> None:
    bucket = TokenBucket(10, 1)
    assert [bucket.take(start_s), bucket.take(start_s + 0.999 / 10)] == [True, False]


@given(
    rates,
    bursts,
    starts,
    st.lists(st.tuples(st.integers(0, 3), st.floats(0, 2) | st.just(1.0)), max_size=80),
)
def test_token_bucket_admits_at_most_rate_times_t_plus_burst_in_any_interval(
    rate, burst, start_s, gaps
) -> None:
    """In exact arithmetic, but for a billionth of the rate and the last bits of the clock."""
    bucket, times = TokenBucket(rate, burst), [start_s]
    for tasks_before, gap in gaps:
        times += [times[-1]] * tasks_before + [times[-1] + gap / rate]
    taken = [Fraction(now) for now in times if bucket.take(now)]
    per_s = Fraction(rate) * Fraction(RATE_TOLERANCE)
    for i, start in enumerate(taken):
        for n, end in enumerate(taken[i:], 1):
            last_bits = Fraction(CLOCK_TOLERANCE) * (Fraction(rate) * end + Fraction(burst))
            assert n <= per_s * (end - start) + Fraction(burst) + 2 * last_bits


def test_a_counter_reset_every_second_breaks_that_bound_the_negative_control() -> None:
    """The check above can fail: a window counter lets 2 * burst pass around its edge."""
    rate, burst, count = 5.0, 5.0, {}
    taken = []
    for t in [0.99] * 5 + [1.0] * 5:
        count[int(t)] = count.get(int(t), 0) + 1
        if count[int(t)] <= burst:
            taken.append(t)
    assert len(taken) > rate * (taken[-1] - taken[0]) + burst


@given(
    rate=st.integers(1, 64).map(lambda n: Fraction(n, 8)),
    burst=st.integers(8, 64).map(lambda n: Fraction(n, 8)),
    gaps=st.lists(st.integers(0, 16).map(lambda n: Fraction(n, 16)), max_size=80),
)
def test_token_bucket_equals_exact_arithmetic(rate, burst, gaps) -> None:
    """With eighths and sixteenths nothing is rounded, so every answer must be the exact one."""
    bucket = TokenBucket(float(rate), float(burst))
    now, tokens = Fraction(0), burst
    for gap in gaps:
        now, tokens = now + gap, min(burst, tokens + rate * gap)
        admitted = tokens >= 1
        tokens -= admitted
        assert bucket.take(float(now)) == admitted
        assert bucket.tokens == tokens


def test_time_may_not_go_back() -> None:
    bucket = TokenBucket(1, 1)
    bucket.take(5.0)
    with pytest.raises(ValueError, match=r"now.*4\.0"):
        bucket.take(4.0)


# --- quotas ---------------------------------------------------------------------------


def test_quota_schedule_by_hand() -> None:
    """a has one token and one more each second; b has plenty; both share one queue."""
    work = tasks(
        ("a", 0.0, 1.0),  # takes a's only token
        ("a", 0.5, 1.0),  # half a token: rejected
        ("b", 0.5, 2.0),
        ("b", 0.5, 1.0),
        ("a", 1.0, 1.0),  # one token again
        ("a", 1.5, 1.0),  # half: rejected
    )
    policy = quota(buckets={"a": (1, 1), "b": (10, 5)})
    assert start_times(work, policy) == [0.0, None, 1.0, 3.0, 4.0, None]
    admitted = outcomes(simulate(work, policy, 1))
    assert [i for i, o in enumerate(admitted) if o == Outcome.QUOTA] == [1, 5]


def test_the_quota_is_asked_before_the_queue() -> None:
    """A task that a full queue turns away has cost its tenant a token."""
    work = tasks(("a", 0.0, 9.0), ("a", 0.0, 1.0), ("a", 0.0, 1.0), ("a", 0.0, 1.0))
    run = simulate(work, quota(buckets={"a": (1, 3)}, cap=1), 1)
    full, empty = Outcome.QUEUE_FULL, Outcome.QUOTA
    assert outcomes(run) == [Outcome.SERVED, Outcome.SERVED, full, empty]


def test_each_tenant_has_a_bucket_of_its_own_even_under_one_pattern() -> None:
    work = tasks(("t1", 0.0, 1.0), ("t2", 0.0, 1.0), ("t1", 0.0, 1.0), ("t2", 0.0, 1.0))
    run = simulate(work, quota(buckets={"t*": (1, 1)}), 4)
    served, rejected = Outcome.SERVED, Outcome.QUOTA
    assert outcomes(run) == [served, served, rejected, rejected]


def test_a_tenants_own_name_comes_before_any_pattern() -> None:
    buckets = Quota({"*": (1, 2), "vip": (1, 9), "[a]": (1, 5)})
    assert [buckets.bucket_for(name).burst for name in ("vip", "[a]", "a")] == [9, 5, 2]


def test_the_first_matching_pattern_counts() -> None:
    buckets = Quota({"vip1": (1, 9), "vip*": (1, 5), "*": (1, 2)})
    assert [buckets.bucket_for(name).burst for name in ("vip1", "vip2", "b")] == [9, 5, 2]


def test_a_tenant_without_a_bucket_is_an_error_not_a_free_pass() -> None:
    with pytest.raises(ValueError, match=r"buckets.*'b'.*names a\*"):
        simulate(tasks(("b", 0.0, 1.0)), quota(buckets={"a*": (1, 1)}), 8)


@given(seed=st.integers(0, 2**32), rate=st.floats(1, 40), burst=st.floats(1, 10))
def test_a_quota_run_keeps_every_tenant_within_its_bucket(seed, rate, burst) -> None:
    work = Scenario([Tenant("a", 30), Tenant("b", 5)], horizon_s=5).workload(seed)
    run = simulate(work, Policy("capped", Fifo(None), Quota({"*": (rate, burst)})), 8)
    for tenant in range(2):
        let_in = work.arrival_s[(work.tenant == tenant) & run.served]
        waits = let_in - let_in[:, None]
        n = np.arange(len(let_in)) - np.arange(len(let_in))[:, None] + 1
        assert (n <= rate * waits + burst + 1e-9)[n > 0].all()


def test_a_run_starts_with_full_buckets_every_time() -> None:
    policy = quota(buckets={"a": (0.001, 1)})
    work = tasks(("a", 0.0, 1.0), ("a", 1.0, 1.0))
    assert [start_times(work, policy) for _ in range(2)] == [[0.0, None]] * 2


def test_without_a_quota_nobody_is_turned_away_for_it() -> None:
    work = tasks(*[("a", 0.0, 1.0)] * 50)
    assert simulate(work, fifo(), 8).counts()["quota"] == 0
