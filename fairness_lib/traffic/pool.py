"""A pool whose size changes: workers that leave and come back at given times.

Who leaves finishes its task first, so that for a while more may be at work than the pool has; none
of them starts another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Any

from .. import _check

MOST_TIME_S = 1e10


@dataclass(frozen=True)
class Pool:
    """The size of a pool as a step function of time.

    Parameters
    ----------
    steps : iterable of (float, int)
        From when on the pool has so many workers, in seconds, the first at 0; sizes are 0 or more,
        and one of them at least 1.

    Examples
    --------
    >>> pool = Pool([(0, 8), (30, 4), (40, 8)])
    >>> pool.size_at(35), pool.largest, pool.work_s(20, 40)
    (4, 8, 120.0)
    """

    steps: tuple[tuple[float, int], ...]

    def __post_init__(self) -> None:
        steps = []
        for row, step in enumerate(_check.several("steps", self.steps, "(time, workers)")):
            try:
                from_s, workers = step
            except (TypeError, ValueError):
                raise TypeError(f"steps[{row}] must be (time, workers); got {step!r}") from None
            from_s = _check.number(f"steps[{row}] time", from_s, least=0, most=MOST_TIME_S)
            steps.append((from_s, _check.whole(f"steps[{row}] workers", workers, least=0)))
        if not steps or steps[0][0] != 0:
            raise ValueError(f"steps must begin at time 0; got {steps!r}")
        for (before, _), (after, _) in pairwise(steps):
            if after <= before:
                raise ValueError(f"steps must go up in time; got {after:g} after {before:g}")
        if max(workers for _, workers in steps) == 0:
            raise ValueError("steps must have a worker at some time; got 0 workers always")
        object.__setattr__(self, "steps", tuple(steps))

    @property
    def largest(self) -> int:
        """The most workers there ever are."""
        return max(workers for _, workers in self.steps)

    def size_at(self, time_s: float) -> int:
        """Return how many workers the pool has at a time, in seconds from 0 on."""
        return next(workers for from_s, workers in reversed(self.steps) if from_s <= time_s)

    def work_s(self, start: float, end: float) -> float:
        """Return the worker-seconds that the pool has between two times in seconds."""
        if len(self.steps) == 1:
            return self.steps[0][1] * (end - start)
        total_s = 0.0
        ends = [*(from_s for from_s, _ in self.steps[1:]), inf]
        for (from_s, workers), to_s in zip(self.steps, ends, strict=True):
            total_s += workers * max(min(to_s, end) - max(from_s, start), 0.0)
        return total_s


def as_pool(field: str, given: int | Pool | Iterable[tuple[float, int]]) -> int | Pool:
    """Return a size of at least 1, or a pool whose size changes; of one step, just its size."""
    if not isinstance(given, str | Pool) and isinstance(given, Iterable):
        given = Pool(tuple(given))
    if isinstance(given, Pool):
        return given if len(given.steps) > 1 else given.steps[0][1]
    return _check.whole(field, given)


def shown(pool: int | Pool) -> Any:
    """Return what stands for a pool in words: its size, or its sizes in turn."""
    return " to ".join(str(size) for _, size in pool.steps) if isinstance(pool, Pool) else pool
