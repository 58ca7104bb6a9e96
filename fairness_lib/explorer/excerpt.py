"""An excerpt of runs of one workload: who stands where at any moment, and a record of it.

Times are ticks of a tenth of a millisecond since the excerpt's start, from the columns of
`simulate`. An event that fell into tick ``k`` has happened from tick ``k + 1`` on; tick -1 is all
that was before. The engine's workers are equal and have no names: a starting task is given the
worker that was freed last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.simulate import Run
from ..plots.style import by_group
from ..policies.fifo import Fifo

TICK_S = 1e-4


@dataclass(frozen=True)
class Excerpt:
    """What happened to some tasks of a run, from one time to another.

    Attributes
    ----------
    run : Run
        The run.
    lines : int
        How many lines tasks stand in: one, or one for each tenant.
    task : array of int
        The excerpt's tasks: those that were there at its start under any policy, and those that
        came.
    arrival, start, finish : array of int
        Ticks at which each of them came, was taken and left; `never` if not in the excerpt.
    worker : array of int
        Who took it; -1 for nobody.
    rejected, gone : array of bool
        Turned away in the excerpt; served or turned away before it.
    never : int
        The tick after the last.
    """

    run: Run
    lines: int
    task: NDArray[np.int64]
    arrival: NDArray[np.int64]
    start: NDArray[np.int64]
    finish: NDArray[np.int64]
    worker: NDArray[np.int64]
    rejected: NDArray[np.bool_]
    gone: NDArray[np.bool_]
    never: int

    @property
    def tenant(self) -> NDArray[np.int64]:
        """Whose each task is."""
        return np.asarray(self.run.workload.tenant[self.task], dtype=np.int64)

    def waiting(self, tick: int) -> list[list[int]]:
        """Return the tasks in each line at a tick, by their place in `task`, head first."""
        here = (self.arrival < tick) & (self.start >= tick) & ~self.rejected & ~self.gone
        places = np.flatnonzero(here)
        if self.lines == 1:
            return [places.tolist()]
        tenant = self.tenant
        return [places[tenant[places] == line].tolist() for line in range(self.lines)]

    def longest(self) -> list[int]:
        """Return how many tasks stand in each line at most."""
        in_line = ~self.rejected & ~self.gone
        tenant = self.tenant if self.lines > 1 else np.zeros(len(self.task))
        lengths = []
        for line in range(self.lines):
            own = in_line & (tenant == line)
            came, begun = self.arrival[own], self.start[own]
            taken = np.searchsorted(begun, came, side="left")
            lengths.append(int((np.arange(1, len(came) + 1) - taken).max(initial=0)))
        return lengths

    def serving(self, tick: int) -> dict[int, int]:
        """Return the task that each busy worker serves at a tick, by its place in `task`."""
        here = np.flatnonzero((self.start < tick) & (self.finish >= tick))
        return {int(self.worker[place]): int(place) for place in here if not self.gone[place]}


def excerpts(runs: Sequence[Run], from_s: float, to_s: float) -> list[Excerpt]:
    """Cut the same time out of several runs of one workload."""
    workload = runs[0].workload
    never = ticks_at(to_s, from_s)
    arrival = ticks_at(workload.arrival_s, from_s)
    start = [np.where(run.served, ticks_at(run.start_s, from_s), never) for run in runs]
    finish = [np.where(run.served, ticks_at(run.finish_s, from_s), never) for run in runs]
    there = np.any([run.served & (end >= 0) for run, end in zip(runs, finish, strict=True)], axis=0)
    task = np.flatnonzero((arrival < never) & ((arrival >= 0) | there))
    came = arrival[task]
    found = []
    for run, starts, ends in zip(runs, start, finish, strict=True):
        begun, left = starts[task], ends[task]
        rejected = ~run.served[task] & (came >= 0)
        gone = (came < 0) & (~run.served[task] | (left < 0))
        begun, left = np.where(begun < never, begun, never), np.where(begun < never, left, never)
        worker = np.full(len(task), -1)
        taken = np.flatnonzero((begun < never) & ~rejected & ~gone)
        order = taken[np.argsort(run.start_s[task[taken]], kind="stable")]
        times = run.start_s[task[order]], run.finish_s[task[order]]
        worker[order] = _workers(*times, run.workers)
        lines = 1 if isinstance(run.policy.discipline, Fifo) else len(workload.tenants)
        begun, came = np.maximum(begun, -1), np.maximum(came, -1)
        found.append(
            Excerpt(run, lines, task, came, begun, left, worker, rejected, gone, int(never))
        )
    return found


def ticks_at(time_s: Any, from_s: float) -> NDArray[np.int64]:
    """Return in which tick since a time something happened; -1 for what never did."""
    ticks = np.floor((np.asarray(time_s) - from_s) / TICK_S)
    return np.nan_to_num(ticks, nan=-1).astype(np.int64)


def _workers(start_s: NDArray[np.float64], finish_s: NDArray[np.float64], pool: int) -> list[int]:
    """Give tasks, in order of their start, to workers: to the one that was freed last."""
    free_s = [-np.inf] * pool
    chosen = []
    for start, finish in zip(start_s.tolist(), finish_s.tolist(), strict=True):
        worker = max((w for w in range(pool) if free_s[w] <= start), key=free_s.__getitem__)
        free_s[worker] = finish
        chosen.append(worker)
    return chosen


def packed(excerpts: Sequence[Excerpt]) -> bytes:
    """Write excerpts of one workload as the page reads them: numbers of 7 bits a byte, low first.

    First how many tasks, and of each how long after the one before it came, and whose it is. Then
    for each policy: how many were gone before or turned away, each as its distance from the one
    before; how many were taken, and of each, in order, how long after the one before, from which
    line (if there are several; its next task it is), and ``length * workers + worker``.
    """
    first = excerpts[0]
    return bytes(_bytes([len(first.task), *_arrivals(first), *_fates(excerpts)]))


def _arrivals(excerpt: Excerpt) -> Iterator[int]:
    came = np.diff(excerpt.arrival, prepend=-1)
    for apart, tenant in zip(came.tolist(), excerpt.tenant.tolist(), strict=True):
        yield apart
        yield tenant


def _fates(excerpts: Sequence[Excerpt]) -> Iterator[int]:
    for excerpt in excerpts:
        out = np.flatnonzero(excerpt.gone | excerpt.rejected)
        yield len(out)
        yield from np.diff(out, prepend=0).tolist()
        taken = np.flatnonzero(excerpt.worker >= 0)
        order = taken[np.argsort(excerpt.start[taken], kind="stable")]
        yield len(order)
        before = -1
        tenant, workers = excerpt.tenant, excerpt.run.workers
        for place in order.tolist():
            start = int(excerpt.start[place])
            yield start - before
            if excerpt.lines > 1:
                yield int(tenant[place])
            yield (int(excerpt.finish[place]) - start) * workers + int(excerpt.worker[place])
            before = start


def _bytes(numbers: Iterable[int]) -> Iterator[int]:
    for number in numbers:
        while number > 127:
            yield number & 127 | 128
            number >>= 7
        yield number


def to_follow(excerpt: Excerpt, from_tick: int) -> list[int]:
    """Return tasks of the last group, one after another: each came when the last one was taken."""
    tenants = excerpt.run.workload.tenants
    small = np.isin(excerpt.tenant, list(by_group(tenants).values())[-1])
    found: list[int] = []
    while len(places := np.flatnonzero(small & (excerpt.arrival >= from_tick))):
        found.append(place := int(places[0]))
        ended = excerpt.arrival if excerpt.rejected[place] else excerpt.start
        from_tick = int(ended[place]) + 1
    return found
