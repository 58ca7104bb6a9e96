"""Service-time distributions: how many worker-seconds one task costs.

Each distribution is a frozen record with a ``mean_s`` and a ``sample(stream, n)``. Exponential,
deterministic and bimodal costs are the same bits on every machine; lognormal and Pareto costs
use numpy's own functions, whose last bit may differ between machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .streams import Stream


class ServiceTime(Protocol):
    """What a distribution has to offer: its mean, and `n` costs drawn from a stream."""

    @property
    def mean_s(self) -> float:
        """Mean cost in worker-seconds."""
        ...

    def sample(self, stream: Stream, n: int) -> NDArray[np.float64]:
        """Draw `n` costs in worker-seconds."""
        ...


@dataclass(frozen=True)
class Exponential:
    """Memoryless costs: many short, some two or three times the mean.

    Parameters
    ----------
    mean_s : float
        Mean cost in worker-seconds, above 0.
    """

    mean_s: float = 0.010

    def __post_init__(self) -> None:
        _check.number("mean_s", self.mean_s, above=0)

    def sample(self, stream: Stream, n: int) -> NDArray[np.float64]:
        """Draw `n` costs in worker-seconds."""
        return stream.exponential(n) * self.mean_s


@dataclass(frozen=True)
class Deterministic:
    """Every task costs the same `mean_s` worker-seconds, 0 or more."""

    mean_s: float = 0.010

    def __post_init__(self) -> None:
        _check.number("mean_s", self.mean_s, least=0)

    def sample(self, stream: Stream, n: int) -> NDArray[np.float64]:
        """Draw `n` costs in worker-seconds."""
        return np.full(n, float(self.mean_s))


@dataclass(frozen=True)
class Bimodal:
    """Mostly short tasks and a few long ones.

    Parameters
    ----------
    short_s, long_s : float
        The two costs in worker-seconds, above 0.
    long_share : float
        Share of tasks that are long, between 0 and 1.
    """

    short_s: float = 0.005
    long_s: float = 0.055
    long_share: float = 0.1

    def __post_init__(self) -> None:
        _check.number("short_s", self.short_s, above=0)
        _check.number("long_s", self.long_s, above=0)
        _check.number("long_share", self.long_share, least=0, most=1)

    @property
    def mean_s(self) -> float:
        """Mean cost in worker-seconds."""
        return self.short_s + self.long_share * (self.long_s - self.short_s)

    def sample(self, stream: Stream, n: int) -> NDArray[np.float64]:
        """Draw `n` costs in worker-seconds."""
        is_long = stream.uniform(n) < self.long_share
        return np.where(is_long, float(self.long_s), float(self.short_s))


@dataclass(frozen=True)
class Lognormal:
    """Skewed costs with a given coefficient of variation; uses numpy's own normal variates.

    Parameters
    ----------
    mean_s : float
        Mean cost in worker-seconds, above 0.
    cv : float
        Standard deviation over mean, above 0.
    """

    mean_s: float = 0.010
    cv: float = 1.0

    def __post_init__(self) -> None:
        _check.number("mean_s", self.mean_s, above=0)
        _check.number("cv", self.cv, above=0)

    def sample(self, stream: Stream, n: int) -> NDArray[np.float64]:
        """Draw `n` costs in worker-seconds."""
        variance = float(np.log1p(self.cv**2))
        normal = np.random.Generator(stream.bits).standard_normal(n)
        costs: NDArray[np.float64] = self.mean_s * np.exp(np.sqrt(variance) * normal - variance / 2)
        return costs


@dataclass(frozen=True)
class Pareto:
    """Heavy-tailed costs: ``P(cost > c) = (c_min / c) ** alpha``; uses numpy's own power.

    Parameters
    ----------
    mean_s : float
        Mean cost in worker-seconds, above 0.
    alpha : float
        Tail index, above 1 (below 2 the variance is infinite).
    """

    mean_s: float = 0.010
    alpha: float = 2.5

    def __post_init__(self) -> None:
        _check.number("mean_s", self.mean_s, above=0)
        _check.number("alpha", self.alpha, above=1)

    def sample(self, stream: Stream, n: int) -> NDArray[np.float64]:
        """Draw `n` costs in worker-seconds."""
        least = self.mean_s * (self.alpha - 1) / self.alpha
        costs: NDArray[np.float64] = least * (1.0 - stream.uniform(n)) ** (-1.0 / self.alpha)
        return costs
