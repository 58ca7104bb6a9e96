"""The tasks of the last window and those still open, as growable columns."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable
from copy import copy
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._count import count

WAITING, STARTED, FINISHED, GONE = range(4)
TYPES: dict[str, type[np.generic]] = {"d": np.float64, "q": np.int64, "b": np.int8}


class Columns(NamedTuple):
    """One row per task, in order of arrival; times in seconds, costs in worker-seconds."""

    arrival_s: NDArray[np.float64]
    start_s: NDArray[np.float64]
    finish_s: NDArray[np.float64]
    cost_s: NDArray[np.float64]
    tenant: NDArray[np.int64]
    is_demand: NDArray[np.int8]
    state: NDArray[np.int8]


class TaskLog:
    """Appends in constant time; forgets what is done and old.

    Parameters
    ----------
    tenants : iterable of str
        Tenants that are never forgotten, in this order.
    """

    def __init__(self, tenants: Iterable[str] = ()) -> None:
        self.code = {name: i for i, name in enumerate(tenants)}
        self.fixed = len(self.code)
        self.open: dict[Hashable, int] = {}  # the row of each task that waits or runs
        self.request: dict[int, Hashable] = {}  # the request of a row, where there is one
        self._start()

    def _start(self) -> None:
        self.arrival_s, self.start_s = array("d"), array("d")
        self.finish_s, self.cost_s = array("d"), array("d")
        self.tenant, self.is_demand, self.state = array("q"), array("b"), array("b")

    def __len__(self) -> int:
        """Return the number of tasks remembered."""
        return len(self.arrival_s)

    def copy(self) -> TaskLog:
        """Return a log that goes on by itself."""
        twin = copy(self)
        twin.__dict__.update({name: copy(value) for name, value in vars(self).items()})
        return twin

    @property
    def _arrays(self) -> list[array[Any]]:
        return [
            self.arrival_s,
            self.start_s,
            self.finish_s,
            self.cost_s,
            self.tenant,
            self.is_demand,
            self.state,
        ]

    def append(
        self, task: Hashable, tenant: str, now: float, is_demand: bool, request: Hashable | None
    ) -> bool:
        """Add a task that waits; return False, and do nothing, if it waits or runs already."""
        row = len(self.arrival_s)
        if request is not None:
            hash(request)  # what has no hash is refused before anything has changed
        if self.open.setdefault(task, row) != row:
            return False
        if request is not None:
            self.request[row] = request
        self.arrival_s.append(now)
        self.start_s.append(nan)
        self.finish_s.append(nan)
        self.cost_s.append(0.0)
        try:
            code = self.code[tenant]
        except KeyError:
            code = self.code[tenant] = len(self.code)
        self.tenant.append(code)
        self.is_demand.append(is_demand)
        self.state.append(WAITING)
        return True

    def columns(self) -> Columns:
        """Return copies of the columns, which the log may outgrow."""
        copies: list[NDArray[Any]] = [
            np.array(np.frombuffer(values, TYPES[values.typecode])) for values in self._arrays
        ]
        return Columns(*copies)

    def forget(self, before_s: float) -> bool:
        """Drop what arrived and ended before a time, and tenants left without tasks.

        Returns whether anything was dropped.
        """
        columns = self.columns()
        with np.errstate(invalid="ignore"):
            keep = (columns.arrival_s >= before_s) | (columns.finish_s >= before_s)
        keep |= columns.state <= STARTED
        if keep.all():
            return False
        place = np.cumsum(keep) - 1
        self.open = {task: int(place[row]) for task, row in self.open.items()}
        self.request = {int(place[row]): r for row, r in self.request.items() if keep[row]}
        kept: list[NDArray[Any]] = [column[keep] for column in columns]
        columns = Columns(*kept)
        used = count(columns.tenant, len(self.code)) > 0
        used[: self.fixed] = True
        names = [name for name, still in zip(self.code, used, strict=True) if still]
        self.code = {name: i for i, name in enumerate(names)}
        columns = columns._replace(tenant=(np.cumsum(used) - 1)[columns.tenant])
        self._start()
        rows: list[NDArray[Any]] = list(columns)
        for values, row in zip(self._arrays, rows, strict=True):
            values.frombytes(row.astype(TYPES[values.typecode]).tobytes())
        return True
