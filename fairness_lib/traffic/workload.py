"""A workload: the tasks that arrive, as columns.

Times are seconds from the start, costs are worker-seconds, one row per task, in order of arrival.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check

if TYPE_CHECKING:
    import pandas as pd

MOST_COST_S = 1e9
"""The largest cost or estimate a task may have, in worker-seconds."""
LEAST_WEIGHT, MOST_WEIGHT = 1e-9, 1e9
"""Bounds of weights, so that sums of them and costs divided by them are far within floats."""
MOST_TIME_S = 1e10
"""The latest time, 317 years: a float's next time is 2 microseconds on, and costs still count."""


class Workload:
    """Tasks of several tenants in order of arrival; read-only.

    Parameters
    ----------
    tenants : iterable of str
        Distinct tenant names; `tenant` indexes into them.
    arrival_s : array of float, shape (tasks,)
        Arrival times in seconds, non-decreasing, within [0, horizon_s].
    tenant : array of int, shape (tasks,)
        Index of each task's tenant.
    cost_s : array of float, shape (tasks,)
        True cost in worker-seconds, 0 or more and at most 1e9.
    horizon_s : float
        Length of the observed time in seconds, at most 1e10; what is queued then is still served
        afterwards.
    weight : array of float, shape (tenants,), optional
        Entitlement of each tenant, 1e-9 to 1e9; 1 for all by default.
    estimate_s : array of float, shape (tasks,), optional
        What the scheduler believes a task will cost, in worker-seconds; the true cost by default.
    workers : int, optional
        Size of the pool that the tasks meet where `simulate` is not told another one.
    window_s : (float, float), optional
        Start and end of the time to be measured, in seconds, where `measure` is not told another
        one; all of it by default.

    Raises
    ------
    ValueError, TypeError
        If a column is empty, has the wrong length, or holds a value that is not allowed.

    Examples
    --------
    >>> Workload(["a", "b"], [0.0, 0.5], [0, 1], [0.01, 0.02], horizon_s=1.0)
    Workload(2 tasks, 2 tenants, 1 s)
    """

    def __init__(
        self,
        tenants: Iterable[str],
        arrival_s: ArrayLike,
        tenant: ArrayLike,
        cost_s: ArrayLike,
        horizon_s: float,
        weight: ArrayLike | None = None,
        estimate_s: ArrayLike | None = None,
        *,
        workers: int | None = None,
        window_s: tuple[float, float] | None = None,
    ) -> None:
        self.tenants = _check.names("tenants", tenants, utf8=True)
        self.horizon_s = _check.number("horizon_s", horizon_s, above=0, most=MOST_TIME_S)
        self.workers = None if workers is None else _check.whole("workers", workers)
        self.window_s = (
            None if window_s is None else _check.window("window_s", window_s, self.horizon_s)
        )
        self.arrival_s = _check.column("arrival_s", arrival_s, most=self.horizon_s)
        n = len(self.arrival_s)
        if n == 0:
            raise ValueError("arrival_s must hold at least one task; got an empty workload")
        step = np.diff(self.arrival_s)
        if n > 1 and step.min() < 0:
            row = int(np.argmax(step < 0)) + 1
            raise ValueError(
                f"arrival_s must not decrease; row {row} is {self.arrival_s[row]:g} "
                f"after {self.arrival_s[row - 1]:g}"
            )
        self.cost_s = _check.column("cost_s", cost_s, length=n, most=MOST_COST_S)
        self.tenant = _check.indices("tenant", tenant, length=n, below=len(self.tenants))
        self.weight = (
            _check.frozen(np.ones(len(self.tenants)))
            if weight is None
            else _check.column(
                "weight", weight, length=len(self.tenants), least=LEAST_WEIGHT, most=MOST_WEIGHT
            )
        )
        self.estimate_s = (
            self.cost_s
            if estimate_s is None
            else _check.column("estimate_s", estimate_s, length=n, most=MOST_COST_S)
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, **how: Any) -> Workload:
        """Make a workload of a table with one row a task.

        Parameters
        ----------
        frame : DataFrame
            With columns for the tenant, the arrival and the cost, found by the usual words.
        **how
            As for `read_trace`: tenant, arrival, start, end, cost, wait, width, units, cost_per_s,
            weights, skip_bad_rows.

        Raises
        ------
        TraceError
            If a column is missing or a row is bad; it is a `ValueError`.

        Examples
        --------
        >>> import pandas as pd
        >>> log = pd.DataFrame({"user": ["b", "a"], "submitted": [7.5, 7.0], "took_ms": [20, 10]})
        >>> Workload.from_frame(log).to_frame()["cost_s"].tolist()
        [0.01, 0.02]
        """
        from .traces.reading import read_frame

        return read_frame(frame, **how).workload

    def __len__(self) -> int:
        """Return the number of tasks."""
        return len(self.arrival_s)

    def __repr__(self) -> str:
        """Return a one-line summary."""
        return f"Workload({len(self)} tasks, {len(self.tenants)} tenants, {self.horizon_s:g} s)"

    def with_estimates(self, estimate_s: ArrayLike) -> Workload:
        """Return the same tasks with other cost estimates, in worker-seconds."""
        return Workload(
            self.tenants,
            self.arrival_s,
            self.tenant,
            self.cost_s,
            self.horizon_s,
            self.weight,
            estimate_s,
            workers=self.workers,
            window_s=self.window_s,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per task: arrival_s, tenant (its name), cost_s, estimate_s."""
        import pandas as pd

        return pd.DataFrame(
            {
                "arrival_s": self.arrival_s,
                "tenant": pd.Categorical.from_codes(self.tenant, pd.Index(self.tenants)),
                "cost_s": self.cost_s,
                "estimate_s": self.estimate_s,
            }
        )


def merge(
    columns: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Merge each tenant's (arrival_s, cost_s) into one time order; ties go by tenant."""
    arrival = np.concatenate([a for a, _ in columns])
    cost = np.concatenate([c for _, c in columns])
    tenant = np.repeat(np.arange(len(columns)), [len(a) for a, _ in columns])
    order = np.argsort(arrival, kind="stable")
    return arrival[order], tenant[order], cost[order]
