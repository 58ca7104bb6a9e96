"""Service times: each distribution has the mean, spread and shape that it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairness_lib import Bimodal, Deterministic, Exponential, Lognormal, Pareto
from fairness_lib.traffic.streams import COSTS, Stream

N = 40_000
ALL = [Exponential(0.02), Deterministic(0.02), Bimodal(0.01, 0.1, 0.2), Lognormal(0.02, 0.8)]
ALL += [Pareto(0.02, 3.5)]


def sample(distribution, n: int = N, seed: int = 1) -> np.ndarray:
    return distribution.sample(Stream(seed, "a", COSTS), n)


@pytest.mark.parametrize("distribution", ALL, ids=lambda d: type(d).__name__)
def test_the_sample_mean_is_the_mean(distribution) -> None:
    """Within 4 standard errors, and the error is small."""
    costs = sample(distribution)
    error = costs.std() / np.sqrt(N)
    assert error < 0.02 * distribution.mean_s
    assert costs.mean() == pytest.approx(distribution.mean_s, abs=4 * error + 1e-15)


@pytest.mark.parametrize(
    ("distribution", "cdf"),
    [
        (Exponential(0.02), stats.expon(scale=0.02).cdf),
        (Lognormal(0.02, 0.8), None),
        (Pareto(0.02, 3.5), stats.pareto(3.5, scale=0.02 * 2.5 / 3.5).cdf),
    ],
    ids=lambda d: type(d).__name__,
)
def test_the_sample_has_the_shape(distribution, cdf) -> None:
    if cdf is None:
        sigma = np.sqrt(np.log(1 + 0.8**2))
        cdf = stats.lognorm(sigma, scale=0.02 * np.exp(-(sigma**2) / 2)).cdf
    costs = sample(distribution)
    assert stats.kstest(costs, cdf).pvalue > 0.001
    assert stats.kstest(costs * 1.03, cdf).pvalue < 0.001  # the test can tell 3 %


def test_deterministic_costs_are_all_the_same() -> None:
    assert sample(Deterministic(0.02), 5).tolist() == [0.02] * 5


def test_bimodal_costs_have_the_share_of_long_ones() -> None:
    costs = sample(Bimodal(0.01, 0.1, 0.2))
    assert set(costs.tolist()) == {0.01, 0.1}
    assert (costs == 0.1).mean() == pytest.approx(0.2, abs=4 * np.sqrt(0.16 / N))


@pytest.mark.parametrize(("share", "cost"), [(0.0, 0.01), (1.0, 0.1)])
def test_bimodal_costs_may_be_all_short_or_all_long(share, cost) -> None:
    assert set(sample(Bimodal(0.01, 0.1, share), 1000).tolist()) == {cost}


def test_lognormal_costs_have_the_coefficient_of_variation() -> None:
    costs = sample(Lognormal(0.02, 0.8))
    assert costs.std() / costs.mean() == pytest.approx(0.8, rel=0.05)


def test_pareto_costs_have_a_least() -> None:
    assert sample(Pareto(0.02, 2.5)).min() >= 0.02 * 1.5 / 2.5


@given(st.sampled_from(ALL), st.integers(1, 60), st.integers(0, 2**40))
def test_a_shorter_sample_is_the_beginning_of_a_longer_one(distribution, n, seed) -> None:
    assert sample(distribution, n, seed).tobytes() == sample(distribution, 60, seed)[:n].tobytes()


@given(st.sampled_from(ALL), st.integers(0, 2**40))
def test_costs_are_positive_and_finite(distribution, seed) -> None:
    costs = sample(distribution, 200, seed)
    assert (costs >= 0).all()
    assert np.isfinite(costs).all()
