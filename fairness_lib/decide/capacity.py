"""How many workers each policy needs to keep what fair sharing owes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from .. import _check
from ..policies.policy import Policy
from ..traffic.traces import Trace
from .candidates import Buckets, Terms, candidates
from .parameters import quantum_of
from .pools import fewest, fit, mean_busy
from .situation import Situation, loaded, run
from .suspicion import most_at_once

Track = Callable[[Sequence[Any]], Iterable[Any]]
KEPT = 0.99
LOAD = 0.8
"""The part of a pool that is busy on average, where nothing else says how large it is today."""


@dataclass(frozen=True)
class Capacity:
    """Fewest workers by policy; made by `capacity`.

    Attributes
    ----------
    today : int
        The pool that says what is owed.
    how : str
        Where that comes from.
    objective_s : float
        How soon a start is owed, in seconds.
    owed : int
        Tasks that fair sharing would start by the objective on today's pool.
    kept : float
        The part of them that must start in time.
    workers : dict of str to int or None
        By policy; None where no pool is enough, such as under a quota that rejects them.
    """

    today: int
    how: str
    objective_s: float
    owed: int
    kept: float
    workers: dict[str, int | None]

    @property
    def saved(self) -> dict[str, int]:
        """How many workers each policy saves against the first one."""
        first = next(iter(self.workers.values()))
        return {
            name: first - number
            for name, number in self.workers.items()
            if first is not None and number is not None
        }


def capacity(
    trace: Trace,
    *,
    objective_s: float,
    workers: int | None = None,
    policies: Sequence[str] | None = None,
    as_is: str = "fifo",
    load: float = 1.0,
    kept: float = KEPT,
    cap: int | None = None,
    quantum_s: float | None = None,
    quota: Buckets | None = None,
    track: Track | None = None,
) -> Capacity:
    """Find the fewest workers with which each policy keeps what is owed today.

    What is owed is fixed once: the tasks that fair sharing would start within the objective on
    today's pool. Else a small pool would look good because it owes little.

    Parameters
    ----------
    trace : Trace
        From `read_trace`.
    objective_s : float
        How soon a start is owed, in seconds.
    workers : int, optional
        Today's pool; fitted to measured waits if the trace has them, else one that is busy for
        80 % of the time.
    policies : sequence of str, optional
        Names in `POLICIES`; by default the article's that need no contract.
    as_is : str
        Today's policy.
    load : float
        How many times as fast the tasks come.
    kept : float
        The part of what is owed that has to be kept.
    cap, quantum_s, quota
        As for `compare`.

    Returns
    -------
    Capacity

    Raises
    ------
    ValueError, TypeError
        If an argument is not allowed.
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"trace must be a Trace from read_trace(); got {trace!r}")
    _check.number("objective_s", objective_s, least=0)
    _check.number("kept", kept, above=0, most=1)
    _check.number("load", load, above=0)
    workload = loaded(trace.workload, load) if load != 1 else trace.workload
    terms = Terms(quantum_of(workload) if quantum_s is None else quantum_s, cap, quota)
    several = candidates(policies, as_is, terms)
    several.sort(key=lambda policy: policy.name != as_is)
    if workers is not None:
        today, how = _check.whole("workers", workers), "as given"
    elif trace.wait_s is not None:
        today, how = fit(trace, several[0]).workers, "fitted to the measured waits"
    else:
        today = max(1, ceil(mean_busy(workload) / LOAD))
        how = f"not said; one that is busy for {LOAD:.0%} of the time"
    owed = Situation(workload, today, objective_s).in_time
    if not owed.any():
        raise ValueError("objective_s must be one that fair sharing can keep; nothing is owed")
    most = max(most_at_once(workload), today)
    found: dict[str, int | None] = {}
    for policy in (track or list)(several):

        def enough(number: int, policy: Policy = policy) -> bool:
            wait_s = run(workload, policy, number).wait_s[owed]
            return bool(np.mean(np.nan_to_num(wait_s, nan=np.inf) <= objective_s) >= kept)

        found[policy.name] = fewest(enough, most)
    return Capacity(today, how, objective_s, int(owed.sum()), kept, found)
