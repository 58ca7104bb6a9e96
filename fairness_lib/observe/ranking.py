"""Which tenants keep a label of their own: a ranking that does not flap.

A series that comes and goes is useless on a dashboard. So whoever holds a place keeps it until
somebody is ahead by more than chance and more than a margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

SMOOTHING = 0.3
SIGMAS = 4.0


class StickyRanking:
    """The first `k` by some value, period after period, with hysteresis.

    A holder's standing is an exponential average of its values (weight 0.3 for the newest). A
    challenger takes the weakest holder's place if its value exceeds that standing by the share
    `hysteresis` and by four standard deviations of a count (or ratio) of that size. A free
    place goes to the strongest challenger at once.

    Parameters
    ----------
    k : int
        Number of places.
    hysteresis : float
        Margin, 0 or more: 0.25 asks a challenger for 25 % more than the holder.
    """

    def __init__(self, k: int, hysteresis: float) -> None:
        self.k = k
        self.hysteresis = hysteresis
        self.standing: dict[str, float] = {}

    def update(
        self,
        names: Sequence[str],
        place: Mapping[str, int],
        values: NDArray[np.float64],
        trials: NDArray[np.float64] | None = None,
        taken: Iterable[str] = (),
    ) -> list[str]:
        """Take in the values of a period; return who holds a place, strongest first.

        Parameters
        ----------
        names, place
            Distinct tenants, and the index of each among them.
        values
            What they are ranked by; a tenant that is not among them has 0.
        trials
            What a ratio is a ratio of; None if the values are counts.
        taken
            Tenants that need no place here, since they have one elsewhere.
        """
        blocked = set(taken)
        for name in blocked & self.standing.keys():
            del self.standing[name]
        spare: list[tuple[str, float, float]] = []
        for i in largest(values, names, 2 * self.k + len(blocked)):
            name, value = names[i], float(values[i])
            if value > 0 and name not in self.standing and name not in blocked:
                spare.append((name, value, 1.0 if trials is None else float(trials[i])))
        for name, was in self.standing.items():
            value = float(values[place[name]]) if name in place else 0.0
            self.standing[name] = was + SMOOTHING * (value - was)
        for name, value, n in spare:
            if len(self.standing) >= self.k:
                if self.k == 0:
                    break
                weakest = min(self.standing, key=lambda held: (self.standing[held], held))
                was = self.standing[weakest]
                variance = was if trials is None else was * (1 - was) / max(n, 1.0)
                if value <= was * (1 + self.hysteresis) + SIGMAS * sqrt(max(variance, 0.0)):
                    break
                del self.standing[weakest]
            self.standing[name] = value
        return sorted(self.standing, key=lambda held: (-self.standing[held], held))


def largest(values: NDArray[Any], names: Sequence[str], k: int) -> list[int]:
    """Return the indices of the k largest values, largest first; ties go by name."""
    k = min(k, len(values))
    if k <= 0:
        return []
    cut = np.partition(values, len(values) - k)[len(values) - k]
    among = np.flatnonzero(values >= cut).tolist()
    return nsmallest(k, among, key=lambda i: (-values[i], names[i]))
