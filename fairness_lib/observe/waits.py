"""Queue waits in fixed buckets: bounded, mergeable, with a known error.

A histogram of one tenant or of many takes the same few numbers, and two of them add up. What it
costs is precision: a quantile is known to lie in one bucket, and no better. Waits are in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log10, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .._count import count

STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)


def buckets(least_s: float = 0.001, most_s: float = 100.0) -> tuple[float, ...]:
    """Return upper bounds of buckets, six to a decade (1, 1.5, 2, 3, 5, 7, 10, ...).

    Parameters
    ----------
    least_s, most_s : float
        The smallest bound and what the largest must reach, in seconds; `least_s` is rounded
        down to a power of ten.

    Examples
    --------
    >>> buckets(0.01, 0.1)
    (0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1)
    """
    _check.number("least_s", least_s, above=0)
    _check.number("most_s", most_s, above=least_s)
    first = int(np.floor(log10(least_s) + 1e-9))
    last = ceil(log10(most_s) - 1e-9)
    bounds = [round(step * 10.0**k, 12) for k in range(first, last) for step in STEPS]
    bounds.append(10.0**last)
    return tuple(bounds[: sum(bound < most_s for bound in bounds) + 1])


BUCKETS_S = buckets()
"""Default bounds, 1 ms to 100 s: a quantile within them is off by at most 30 %."""


@dataclass(frozen=True, eq=False)
class WaitHistogram:
    """How many tasks waited how long.

    Attributes
    ----------
    counts : array of int, shape (bounds + 1,)
        Tasks in each bucket; the last one holds what exceeds all bounds.
    sum_s : float
        All waits added up, in seconds.
    bounds_s : tuple of float
        Upper bounds of the buckets in seconds; a wait equal to a bound is in its bucket.

    Examples
    --------
    >>> waits = WaitHistogram.of([0.004] * 98 + [0.2, 0.2])
    >>> waits.quantile(0.99), waits.interval(0.99)
    (0.17320508075688773, (0.15, 0.2))
    """

    counts: NDArray[np.int64]
    sum_s: float
    bounds_s: tuple[float, ...] = BUCKETS_S

    @classmethod
    def of(cls, wait_s: object, bounds_s: tuple[float, ...] = BUCKETS_S) -> WaitHistogram:
        """Sort waits, in seconds, into buckets."""
        waits = _check.column("wait_s", wait_s)  # type: ignore[arg-type]
        counts = count(bucket_of(waits, bounds_s), len(bounds_s) + 1)
        return cls(counts, float(waits.sum()), bounds_s)

    def __add__(self, other: WaitHistogram) -> WaitHistogram:
        """Return the histogram of both sets of tasks."""
        if self.bounds_s != other.bounds_s:
            raise ValueError("bounds_s must be the same in both histograms")
        return WaitHistogram(self.counts + other.counts, self.sum_s + other.sum_s, self.bounds_s)

    @property
    def count(self) -> int:
        """Number of tasks."""
        return int(self.counts.sum())

    @property
    def error(self) -> float:
        """How far off, relatively, a quantile within the bounds can be: 0.3 is 30 %."""
        return sqrt(max(high / low for low, high in pairwise(self.bounds_s))) - 1

    def interval(self, q: float) -> tuple[float, float]:
        """Return the bucket (low_s, high_s) that holds element ``int(q * (n - 1))``; NaN if empty.

        It is the same element that `measure` reports, so what `measure` says is in the interval.
        """
        _check.number("q", q, least=0, most=1)
        n = self.count
        if n == 0:
            return nan, nan
        place = int(np.searchsorted(np.cumsum(self.counts), int(q * (n - 1)), side="right"))
        edges = (0.0, *self.bounds_s, np.inf)
        return edges[place], edges[place + 1]

    def quantile(self, q: float) -> float:
        """Return an estimate of a quantile in seconds; NaN without tasks.

        The geometric middle of its bucket, off by at most `error`; half the first bound for a
        wait in the first bucket; the last bound, which is too little, for one beyond it.
        """
        low, high = self.interval(q)
        if low == 0.0:
            return high / 2
        return low if high == np.inf else sqrt(low * high)


def bucket_of(wait_s: NDArray[np.float64], bounds_s: tuple[float, ...]) -> NDArray[np.intp]:
    """Return the index of each wait's bucket."""
    return np.searchsorted(np.asarray(bounds_s), wait_s, side="left")


def checked_bounds(bounds_s: object) -> tuple[float, ...]:
    """Return bounds as a tuple of at least two increasing floats above 0."""
    bounds = _check.column("buckets_s", bounds_s, positive=True)  # type: ignore[arg-type]
    if len(bounds) < 2 or not (np.diff(bounds) > 0).all():
        raise ValueError(f"buckets_s must be two or more increasing bounds; got {bounds_s!r}")
    return tuple(float(bound) for bound in bounds)
