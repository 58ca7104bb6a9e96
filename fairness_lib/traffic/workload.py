"""A workload: the tasks that arrive, as columns.

Times are seconds from the start, costs are worker-seconds, one row per task, in order of arrival.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check
from .clients import MOST_WAIT_S, Clients, Retry, drawn
from .pool import Pool, as_pool
from .streams import Stream

if TYPE_CHECKING:
    import pandas as pd

MOST_COST_S = 1e9
"""The largest cost or estimate a task may have, in worker-seconds."""
LEAST_WEIGHT, MOST_WEIGHT = 1e-9, 1e9
"""Bounds of weights, so that sums of them and costs divided by them are far within floats."""
MOST_TIME_S = 1e10
"""The latest time, 317 years: a float's next time is 2 microseconds on, and costs still count."""

MOST_DISPATCHERS = 1_000_000
MOST_WIDTH = 1_000_000_000


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
    workers : int or Pool, optional
        Size of the pool that the tasks meet where `simulate` is not told another one.
    window_s : (float, float), optional
        Start and end of the time to be measured, in seconds, where `measure` is not told another
        one; all of it by default.
    label : array of int, shape (tasks,), optional
        What kind of task each is, an index into `labels`: for priorities and for reports by label.
    labels : iterable of str, optional
        Distinct names of the labels.
    patience_s : array of float, shape (tasks,), optional
        How long after an attempt at a task its client leaves, in seconds; infinite for never.
    follows : array of int, shape (tasks,), optional
        The task whose answer a task waits for before it is sent, one of those before it; -1 for
        none. Its arrival is then the time of that answer and `think_s`, whatever `arrival_s` says;
        if that is beyond the horizon, it is not sent.
    think_s : array of float, shape (tasks,), optional
        How long after that answer it is sent, in seconds; 0 by default.
    retry : sequence of Retry or None, shape (tenants,), optional
        How each tenant's tasks come again.
    seed : int
        What the jitter of retries is drawn from.
    ingress : array of int, shape (tasks,), optional
        Through which of several dispatchers each task comes, from 0 on.
    width : array of int, shape (tasks,), optional
        How many workers each task needs at once, 1 or more; it keeps them for ``cost_s / width``
        seconds. One that is next in turn and does not fit waits at the head until it does.

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
        workers: int | Pool | None = None,
        window_s: tuple[float, float] | None = None,
        label: ArrayLike | None = None,
        labels: Iterable[str] = (),
        patience_s: ArrayLike | None = None,
        follows: ArrayLike | None = None,
        think_s: ArrayLike | None = None,
        retry: Sequence[Retry | None] | None = None,
        seed: int = 0,
        ingress: ArrayLike | None = None,
        width: ArrayLike | None = None,
    ) -> None:
        self.tenants = _check.names("tenants", tenants, utf8=True)
        self.horizon_s = _check.number("horizon_s", horizon_s, above=0, most=MOST_TIME_S)
        self.workers = None if workers is None else as_pool("workers", workers)
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
        self.labels = _check.names("labels", labels)
        self.label = None
        if label is not None or self.labels:
            given: ArrayLike = [] if label is None else label
            self.label = _check.indices("label", given, length=n, below=len(self.labels))
        self.patience_s = _optional("patience_s", patience_s, n, MOST_WAIT_S, endless=True)
        self.follows = None if follows is None else _follows(follows, n)
        self.think_s = _optional("think_s", think_s, n, MOST_WAIT_S)
        if self.think_s is not None and self.follows is None:
            raise ValueError("think_s must come with follows, which says after what; got none")
        self.retry = None if retry is None else _retries(retry, len(self.tenants))
        self.seed = _check.seed("seed", seed)
        self.ingress = (
            None
            if ingress is None
            else _check.indices("ingress", ingress, length=n, below=MOST_DISPATCHERS)
        )
        self.width = (
            None
            if width is None
            else _check.indices("width", width, length=n, below=MOST_WIDTH + 1, least=1)
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

    @property
    def open_loop(self) -> bool:
        """Whether what comes, and how often, is independent of how it is served."""
        return self.patience_s is None and self.follows is None and self.retry is None

    def with_estimates(self, estimate_s: ArrayLike) -> Workload:
        """Return the same tasks with other cost estimates, in worker-seconds."""
        return self._with(estimate_s=estimate_s)

    def with_labels(self, label: ArrayLike, labels: Iterable[str]) -> Workload:
        """Return the same tasks with labels: an index for each task into the names `labels`."""
        return self._with(label=label, labels=labels)

    @property
    def duration_s(self) -> NDArray[np.float64]:
        """How long each task is served, in seconds: its cost over the workers that it needs."""
        return self.cost_s if self.width is None else self.cost_s / self.width

    def with_ingress(self, ingress: ArrayLike) -> Workload:
        """Return the same tasks, each through a dispatcher, from 0 on."""
        return self._with(ingress=ingress)

    def with_clients(self, clients: Clients | Mapping[str, Clients], seed: int = 0) -> Workload:
        """Return the same tasks, sent by clients that may leave and come again.

        Parameters
        ----------
        clients : Clients or mapping of str to Clients
            For all tenants, or by tenant name or shell pattern (``small*``): a tenant's own name
            comes first, then the first pattern that matches it. Others keep waiting for ever.
        seed : int
            What patience and jitter are drawn from.

        Raises
        ------
        ValueError, TypeError
            If a name matches no tenant, or the clients are a closed loop, which is a scenario's.

        Examples
        --------
        >>> from fairness_lib import Clients, Retry, article_workload
        >>> impatient = Clients(patience=1.0, retry=Retry(attempts=3))
        >>> article_workload(1).with_clients({"heavy": impatient}).open_loop
        False
        """
        behaviour = clients_of(clients, self.tenants)
        for name, one in zip(self.tenants, behaviour, strict=True):
            if one is not None and one.number is not None:
                raise ValueError(
                    f"clients of {name!r} must not be a closed loop here, as these tasks come at "
                    f"times of their own: give them to a Tenant; got number={one.number}"
                )
        patience_s = np.full(len(self), np.inf)
        for t, (name, one) in enumerate(zip(self.tenants, behaviour, strict=True)):
            if one is not None and one.patience is not None:
                own = self.tenant == t
                patience_s[own] = patience_of(one, name, seed, int(own.sum()))
        retry = [None if one is None else one.retry for one in behaviour]
        return self._with(
            patience_s=patience_s if np.isfinite(patience_s).any() else None,
            retry=retry if any(retry) else None,
            seed=seed,
        )

    def _with(self, **changes: Any) -> Workload:
        """Return the same workload with other columns."""
        kept = {name: getattr(self, name) for name in COLUMNS}
        if self.estimate_s is self.cost_s:
            kept["estimate_s"] = None
        return Workload(**(kept | changes))

    def as_it_came(self, order: NDArray[np.int64], arrival_s: NDArray[np.float64]) -> Workload:
        """Return the tasks of `order` with the times at which they came: an open loop's."""
        names = ["tenant", "cost_s", "label", "patience_s", "ingress", "width"]
        if self.estimate_s is not self.cost_s:
            names.append("estimate_s")
        columns = {name: getattr(self, name) for name in names}
        taken = {name: None if c is None else c[order] for name, c in columns.items()}
        return self._with(arrival_s=arrival_s, follows=None, think_s=None, **taken)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per task: arrival_s, tenant (its name), cost_s, estimate_s.

        Then label (its name), patience_s, follows, think_s, ingress and width, where given.
        """
        import pandas as pd

        columns = {
            "arrival_s": self.arrival_s,
            "tenant": pd.Categorical.from_codes(self.tenant, pd.Index(self.tenants)),
            "cost_s": self.cost_s,
            "estimate_s": self.estimate_s,
        }
        if self.label is not None:
            columns["label"] = pd.Categorical.from_codes(self.label, pd.Index(self.labels))
        for name in ("patience_s", "follows", "think_s", "ingress", "width"):
            if getattr(self, name) is not None:
                columns[name] = getattr(self, name)
        return pd.DataFrame(columns)


COLUMNS = (
    *("tenants", "arrival_s", "tenant", "cost_s", "horizon_s", "weight", "estimate_s", "workers"),
    *("window_s", "label", "labels", "patience_s", "follows", "think_s", "retry", "seed"),
    *("ingress", "width"),
)
"""What a workload is made from."""


def _optional(
    field: str, values: ArrayLike | None, n: int, most: float, *, endless: bool = False
) -> NDArray[np.float64] | None:
    if values is None:
        return None
    return _check.column(field, values, length=n, most=most, endless=endless)


def _follows(values: ArrayLike, n: int) -> NDArray[np.int64]:
    """Return the column if each task follows an earlier one, or none: nothing waits for itself."""
    column = _check.indices("follows", values, length=n, below=n, least=-1)
    late = column >= np.arange(n)
    if late.any():
        row = int(np.argmax(late))
        raise ValueError(f"follows must name an earlier task, or -1; row {row} is {column[row]}")
    return column


def _retries(values: Sequence[Retry | None], tenants: int) -> tuple[Retry | None, ...]:
    retry = tuple(_check.several("retry", values, "Retry records"))
    for one in retry:
        if one is not None and not isinstance(one, Retry):
            raise TypeError(f"retry must hold Retry records or None; got {one!r}")
    if len(retry) != tenants:
        raise ValueError(f"retry must have one entry a tenant, {tenants} in all; got {len(retry)}")
    return retry


def clients_of(
    clients: Clients | Mapping[str, Clients], tenants: Sequence[str]
) -> list[Clients | None]:
    """Return each tenant's clients: its own entry, or the first pattern that matches its name."""
    if isinstance(clients, Clients):
        return [clients] * len(tenants)
    given = _check.by_name("clients", clients, "Clients records")
    for name, one in given.items():
        if not isinstance(one, Clients):
            raise TypeError(f"clients[{name!r}] must be a Clients record; got {one!r}")
        if not any(tenant == name or fnmatchcase(tenant, name) for tenant in tenants):
            raise ValueError(f"clients must match tenants; {name!r} matches none")
    return [
        given.get(tenant, next((given[p] for p in given if fnmatchcase(tenant, p)), None))
        for tenant in tenants
    ]


def patience_of(clients: Clients, tenant: str, seed: int, n: int) -> NDArray[np.float64]:
    """Return how long the clients of `n` tasks wait, in seconds."""
    assert clients.patience is not None
    return drawn(clients.patience, Stream(seed, f"{tenant}\0patience", 0), n)


def merge(
    columns: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
    """Merge each tenant's (arrival_s, cost_s) into one time order; ties go by tenant.

    Returns the order, as places in all columns one after the other, and arrival_s, tenant, cost_s.
    """
    arrival = np.concatenate([a for a, _ in columns])
    cost = np.concatenate([c for _, c in columns])
    tenant = np.repeat(np.arange(len(columns)), [len(a) for a, _ in columns])
    order = np.argsort(arrival, kind="stable")
    return order, arrival[order], tenant[order], cost[order]
