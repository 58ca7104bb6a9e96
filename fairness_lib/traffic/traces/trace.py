"""A trace that has been read, and how its columns become a workload.

Tasks are put in order of arrival; the first one arrives at second 0. The observed time ends when
the last task would have been done. A task that needed several workers becomes as many tasks of one
worker each, which is right in work and lets its parts start one by one; `Trace.whole` has it in
one piece, with its width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _check
from ..._count import count
from ..workload import LEAST_WEIGHT, MOST_TIME_S, MOST_WEIGHT, Workload
from .source import TraceError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trace:
    """A trace that has been read; made by `read_trace`.

    Attributes
    ----------
    workload : Workload
        The tasks, in order of arrival.
    source : str
        Where they come from.
    recognised : tuple of str
        What was taken for what, a line each.
    dropped : dict of str to int
        Rows left out, by what was wrong with them.
    wait_s : array of float or None
        The wait that the trace measured for each task, in seconds; None if it has none.
    job : array of int or None
        For each task, the row it is a part of, in order of arrival; None where each row is a task.
    rows : int
        Rows that were read.
    unsorted : bool
        Whether they were out of order.
    began : str or None
        The calendar time of second 0, in UTC, where the trace has one.
    """

    workload: Workload
    source: str
    recognised: tuple[str, ...]
    dropped: dict[str, int] = field(default_factory=dict)
    wait_s: Floats | None = None
    job: NDArray[np.int64] | None = None
    rows: int = 0
    unsorted: bool = False
    began: str | None = None

    def __repr__(self) -> str:
        """Return what was recognised, a line each."""
        return "\n  ".join([f"Trace({self.workload!r}", *self.said]) + ")"

    @cached_property
    def first_parts(self) -> NDArray[np.int64]:
        """The first of its parts for each task of the log; all tasks where none is wide."""
        if self.job is None:
            return np.arange(len(self.workload))
        return np.flatnonzero(np.diff(self.job, prepend=-1))

    @cached_property
    def whole(self) -> Workload | None:
        r"""The tasks in one piece, with their width; None where each takes one worker.

        They start when that many workers are idle, and none overtakes them meanwhile.

        Examples
        --------
        >>> import io
        >>> from fairness_lib import fifo, read_trace, simulate
        >>> rows = ["user,submit,runtime,nodes", "a,0,2,1", "b,0,3,2", "a,1,1,1"]
        >>> trace = read_trace(io.BytesIO("\n".join(rows).encode()))
        >>> simulate(trace.workload, fifo(cap=None), 2).start_s.tolist()  # b in two parts
        [0.0, 0.0, 2.0, 3.0]
        >>> simulate(trace.whole, fifo(cap=None), 2).start_s.tolist()  # b waits for both workers
        [0.0, 2.0, 5.0]
        """
        if self.job is None:
            return None
        first, parts = self.first_parts, self.workload
        width = np.diff(first, append=len(parts))
        return Workload(
            parts.tenants,
            parts.arrival_s[first],
            parts.tenant[first],
            parts.cost_s[first] * width,
            parts.horizon_s,
            parts.weight,
            width=width,
        )

    @property
    def said(self) -> tuple[str, ...]:
        """What was recognised, and what was left out, a line each."""
        left_out = [f"left out: {n:,} rows where {what}" for what, n in self.dropped.items()]
        return (*self.recognised, *left_out)


@dataclass(frozen=True, eq=False)
class Tasks:
    """A workload and what a trace knows beside it."""

    workload: Workload
    wait_s: Floats | None
    job: NDArray[np.int64] | None
    unsorted: bool
    first: Any


def in_order(
    parts: list[tuple[Any, ...]], places: Mapping[str, int], weights: Mapping[str, float]
) -> Tasks:
    """Put parts of columns together, in order of arrival, from second 0.

    Parameters
    ----------
    parts : list of (tenant, arrival, cost_s, wait_s, width)
        Arrivals in seconds, or in whole nanoseconds since 1970; the list is emptied.
    places : mapping of str to int
        Tenants by name, as they are numbered.
    weights : mapping of str to float
        Entitlements by tenant.
    """
    whole: Any = (
        None if column[0] is None else np.concatenate(column) for column in zip(*parts, strict=True)
    )
    tenant, arrival, cost_s, wait_s, width = whole
    del whole
    parts.clear()
    unsorted = bool((arrival[1:] < arrival[:-1]).any())
    if unsorted:
        order = np.argsort(arrival, kind="stable")
        tenant, arrival, cost_s = tenant[order], arrival[order], cost_s[order]
        wait_s = None if wait_s is None else wait_s[order]
        width = None if width is None else width[order]
    first = arrival[0]
    arrival_s = (arrival - first) / (1e9 if arrival.dtype.kind == "i" else 1.0)
    ends_s = float((arrival_s + cost_s + (0.0 if wait_s is None else wait_s)).max())
    if not 0 < ends_s <= MOST_TIME_S:
        raise TraceError(
            f"the trace must span more than 0 and at most {MOST_TIME_S:g} s; it spans "
            f"{ends_s:g}: is the unit of a time stamp right?"
        )
    job = None
    if width is not None and width.max() > 1:
        job = np.repeat(np.arange(len(width)), width)
        arrival_s, tenant, cost_s = arrival_s[job], tenant[job], cost_s[job]
        wait_s = None if wait_s is None else wait_s[job]
    names = list(places)
    busy = count(tenant, len(names)) > 0
    if not busy.all():  # all of its rows were bad
        tenant = (np.cumsum(busy) - 1)[tenant]
        names = [name for name, has in zip(names, busy, strict=True) if has]
    order = np.argsort(np.array(names, dtype=object)) if len(names) > 1 else np.array([0])
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    names = [names[place] for place in order]
    weight = weights_of(weights, names)
    workload = Workload(names, arrival_s, rank[tenant], cost_s, ends_s, weight)
    return Tasks(workload, wait_s, job, unsorted, first)


def weights_of(weights: Mapping[str, float], names: list[str]) -> Floats | None:
    """Return the weights by tenant."""
    if not weights:
        return None
    for name in weights:
        if name not in names:
            raise TraceError(f"weights names {name!r}, which is no tenant of the trace")
    bounds = {"least": LEAST_WEIGHT, "most": MOST_WEIGHT}
    return np.array(
        [_check.number(f"weights[{n!r}]", weights.get(n, 1.0), **bounds) for n in names]
    )
