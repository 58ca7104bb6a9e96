"""The fair reference: when a perfectly fair pool would have started each task.

*Generalised processor sharing* (Parekh and Gallager 1993) is an ideal pool of the same size,
infinitely divisible, that shares itself at every instant among the tenants that have work in it,
in proportion to their weights. In its virtual time V every tenant with work is served at the rate
of its weight, ``dV/dt = workers / sum of the weights with work``; so a task starts at
``S = max(V(arrival), its tenant's last F)`` and ends at ``F = S + cost / weight``. All that
arrives counts, also what a policy rejected: the reference does not depend on the policy.

Times are in seconds, work in worker-seconds, virtual time in worker-seconds by unit of weight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush, heapreplace
from math import inf
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .._count import count
from ..engine.simulate import largest, pool_of, tier_for
from ..traffic.pool import Pool
from ..traffic.workload import Workload

Floats = NDArray[np.float64]
Cuts = tuple[float, float]


class Fluid(NamedTuple):
    """What the ideal pool did, task by task, and its virtual time at two moments."""

    start_s: Floats
    virtual_s: Floats
    cut_s: Floats
    cut_virtual_s: Floats

    def served_s(self, workload: Workload, cut: int) -> Floats:
        """Return how much of each task was done by a cut, in worker-seconds."""
        virtual_s, cost_s = self.cut_virtual_s[cut], workload.cost_s
        weight = workload.weight[workload.tenant]
        partly_s = np.minimum(np.maximum((virtual_s - self.virtual_s) * weight, 0.0), cost_s)
        done_s = np.where(virtual_s >= self.virtual_s + cost_s / weight, cost_s, partly_s)
        return np.where(workload.arrival_s < self.cut_s[cut], done_s, 0.0)


@dataclass(frozen=True, eq=False)
class FairReference:
    """What fair sharing would have done with a workload; made by `fair_reference`.

    Attributes
    ----------
    workload : Workload
        The tasks.
    workers : int
        Size of the pool, the largest one if it changes.
    fair_start_s : array of float, shape (tasks,)
        When fair sharing would have started each task, in seconds; infinite for never, where all
        workers leave for good.
    pool : Pool, optional
        The pool, if its size changes.
    """

    workload: Workload
    workers: int
    fair_start_s: Floats
    pool: Pool | None = None
    _engine: str = field(default="readable", repr=False)

    def work_s(self, start: float, end: float) -> dict[str, float]:
        """Return what each tenant would have been served in a window, in worker-seconds.

        Parameters
        ----------
        start, end : float
            The window in seconds, within the horizon.
        """
        cuts = _check.window("window", (start, end), self.workload.horizon_s)
        fluid = fluid_of(self.workload, self.pool or self.workers, cuts, self._engine)
        work_s = fair_work_s(self.workload, fluid)
        return dict(zip(self.workload.tenants, work_s.tolist(), strict=True))


def fair_reference(
    workload: Workload,
    workers: int | Pool | Iterable[tuple[float, int]] | None = None,
    *,
    engine: str = "auto",
) -> FairReference:
    """Compute when an ideal, perfectly fair pool would have started each task.

    The pool has the same size, is infinitely divisible, and shares itself at every instant among
    the tenants that have work in it, in proportion to their weights (generalised processor
    sharing, Parekh and Gallager 1993). It rejects nothing. Takes O(log n) a task for n tenants.

    What it does not see: in the ideal pool a lone task is worked on by all workers at once, so
    that starts can be compared with real ones and finishes cannot. It knows the true costs, which
    a scheduler may not. And its clients send what they send, however they are served: those that
    would have reacted to better service are not in it. Where clients do react, as many tasks are in
    it as came, each once, at the time of its first attempt, and nobody leaves.

    Parameters
    ----------
    workload : Workload
        The tasks; true costs count, not estimates.
    workers : int, Pool or iterable of (float, int), optional
        The pool, as for `simulate`; the workload's own by default. Where its size changes, the
        ideal pool works at the size of the moment.
    engine : {"auto", "readable", "compiled"}
        As for `simulate`; the result is the same, bit for bit.

    Returns
    -------
    FairReference

    Examples
    --------
    Two tenants share one worker. While both have work, each is served at half its speed: the
    first task of `a` takes until 2, and `b` has its share at once.

    >>> from fairness_lib import Workload
    >>> w = Workload(["a", "b"], [0, 0, 0], [0, 0, 1], [1, 1, 1], horizon_s=3)
    >>> fair_reference(w, workers=1).fair_start_s.tolist()
    [0.0, 2.0, 0.0]
    """
    if not isinstance(workload, Workload):
        raise TypeError(f"workload must be a Workload; got {workload!r}")
    pool = pool_of(workload, workers)
    tier = tier_for(engine, len(workload))
    fluid = fluid_of(workload, pool, (0.0, workload.horizon_s), tier)
    changing = pool if isinstance(pool, Pool) else None
    return FairReference(workload, largest(pool), fluid.start_s, changing, tier)


def fair_work_s(workload: Workload, fluid: Fluid) -> Floats:
    """Return what each tenant was served between the cuts, in worker-seconds."""
    between_s = fluid.served_s(workload, 1) - fluid.served_s(workload, 0)
    n = len(workload.tenants)
    return count(workload.tenant, n, between_s)


_kept: WeakKeyDictionary[Workload, tuple[tuple[int | Pool, Cuts, str], Fluid]] = WeakKeyDictionary()


def fluid_of(workload: Workload, pool: int | Pool, cuts: Cuts, engine: str) -> Fluid:
    """Return what the ideal pool does; kept for the next policy on the same traffic."""
    asked = (pool, cuts, engine)
    known = _kept.get(workload)
    if known is None or known[0] != asked:
        if engine == "compiled":
            from ..engine import compiled

            fluid = Fluid(*compiled.share_fairly(workload, pool, cuts))
        else:
            fluid = _share_fairly(workload, pool, cuts)
        for column in fluid:
            _check.frozen(column)
        _kept[workload] = known = asked, fluid
    return known[1]


def _share_fairly(workload: Workload, pool: int | Pool, cuts: Cuts) -> Fluid:
    """Run the ideal pool: a tenant's tasks one after the other, all tenants at once."""
    cost_s, weight = workload.cost_s.tolist(), workload.weight.tolist()
    tenant, tenants = workload.tenant.tolist(), len(weight)
    start_s, virtual_start_s, cut_virtual_s = [inf] * len(cost_s), [inf] * len(cost_s), [0.0] * 2
    (_, workers), *changes = pool.steps if isinstance(pool, Pool) else ((0.0, pool),)
    queues: list[deque[int]] = [deque() for _ in range(tenants)]  # the first is in service
    busy: list[tuple[float, int]] = []  # (virtual time at which that one ends, tenant)
    sums = [0.0] * (2 * tenants)  # a tree: its leaves are the weights of those with work
    now = virtual_s = 0.0
    ahead = list(enumerate(cuts))

    def weigh(tenant: int, weight: float) -> None:  # a running sum would drift
        node = tenants + tenant
        sums[node] = weight
        while node > 1:
            node //= 2
            sums[node] = sums[2 * node] + sums[2 * node + 1]

    def cut_before(then: float, pace: float) -> None:
        while ahead and ahead[0][1] < then:
            number, cut_s = ahead.pop(0)
            cut_virtual_s[number] = virtual_s + max(cut_s - now, 0.0) * pace

    for arriving, until in enumerate([*workload.arrival_s.tolist(), inf]):
        while busy or changes:
            then = inf
            if busy and workers:
                ends, t = busy[0]
                then = max(now, now + (ends - virtual_s) * sums[1] / workers)
            if changes and changes[0][0] <= min(then, until):
                change_s, size = changes.pop(0)
                pace = workers / sums[1] if busy else 0.0
                cut_before(change_s, pace)
                virtual_s += (change_s - now) * pace
                now, workers = change_s, size
                continue
            if then > until or then == inf:
                break
            cut_before(then, workers / sums[1])
            now, virtual_s = then, max(virtual_s, ends)
            queue = queues[t]
            queue.popleft()
            if queue:
                task = queue[0]
                start_s[task], virtual_start_s[task] = now, ends
                heapreplace(busy, (ends + cost_s[task] / weight[t], t))
            else:
                heappop(busy)
                weigh(t, 0.0)
        pace = workers / sums[1] if busy else 0.0
        cut_before(until, pace)
        if until == inf:
            break
        virtual_s += (until - now) * pace
        now, t = until, tenant[arriving]
        queues[t].append(arriving)
        if len(queues[t]) == 1:
            start_s[arriving], virtual_start_s[arriving] = now, virtual_s
            heappush(busy, (virtual_s + cost_s[arriving] / weight[t], t))
            weigh(t, weight[t])
    return Fluid(*map(np.array, (start_s, virtual_start_s, cuts, cut_virtual_s)))
