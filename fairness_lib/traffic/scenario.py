"""Who sends how much, when: tenants, bursts and the scenario they share.

Rates are tasks per second, times seconds, costs worker-seconds. A tenant's arrivals are a
unit-rate Poisson process mapped through its cumulative rate, so that a changed rate or burst
moves its tasks in time but leaves their costs, and all other tenants, as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .clients import Clients, drawn
from .pool import Pool, as_pool
from .service_times import Exponential, ServiceTime
from .streams import ARRIVALS, COSTS, Stream
from .workload import (
    LEAST_WEIGHT,
    MOST_TIME_S,
    MOST_WEIGHT,
    Workload,
    clients_of,
    merge,
    patience_of,
)


@dataclass(frozen=True)
class Burst:
    """A stretch of time in which a tenant's rate is multiplied.

    Parameters
    ----------
    from_s, to_s : float
        Start and end in seconds, ``0 <= from_s < to_s``.
    factor : float
        What the rate is multiplied by, 0 or more.
    """

    from_s: float
    to_s: float
    factor: float

    def __post_init__(self) -> None:
        _check.number("from_s", self.from_s, least=0)
        _check.number("to_s", self.to_s, above=self.from_s)
        _check.number("factor", self.factor, least=0)


@dataclass(frozen=True)
class Tenant:
    """One tenant and its traffic.

    Parameters
    ----------
    name : str
        Its name, which also keys its random streams.
    rate_per_s : float
        Tasks per second outside bursts, 0 or more.
    weight : float
        Its entitlement relative to others, 1e-9 to 1e9.
    bursts : iterable of Burst
        Stretches with another rate; they may not overlap.
    service_time : ServiceTime
        Distribution of its tasks' costs; exponential with mean 10 ms by default.
    clients : Clients, optional
        How its clients behave: by default they wait for ever, and do not come again.
    """

    name: str
    rate_per_s: float
    weight: float = 1.0
    bursts: tuple[Burst, ...] = ()
    service_time: ServiceTime = field(default_factory=Exponential)
    clients: Clients | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _check.name("name", self.name, utf8=True))
        _check.number("rate_per_s", self.rate_per_s, least=0)
        _check.number("weight", self.weight, least=LEAST_WEIGHT, most=MOST_WEIGHT)
        if not hasattr(self.service_time, "sample"):
            raise TypeError(
                f"service_time must be a distribution such as Exponential(0.010); "
                f"got {self.service_time!r}"
            )
        given = (
            [self.bursts]
            if isinstance(self.bursts, Burst)
            else _check.several("bursts", self.bursts, "Burst records")
        )
        for burst in given:
            if not isinstance(burst, Burst):
                raise TypeError(f"bursts must be Burst records; got {burst!r}")
        bursts = tuple(sorted(given, key=lambda b: b.from_s))
        for before, after in pairwise(bursts):
            if after.from_s < before.to_s:
                raise ValueError(f"bursts of {self.name!r} must not overlap; got {after!r}")
        object.__setattr__(self, "bursts", bursts)
        if self.clients is not None and not isinstance(self.clients, Clients):
            raise TypeError(f"clients must be a Clients record; got {self.clients!r}")
        if self.closed and (self.rate_per_s != 0 or bursts):
            raise ValueError(
                f"rate_per_s of {self.name!r} must be 0, without bursts, as its clients are a "
                f"closed loop; got {self.rate_per_s:g} and {len(bursts)} bursts"
            )

    @property
    def closed(self) -> bool:
        """Whether its clients send the next task only when the last one is answered."""
        return self.clients is not None and self.clients.number is not None

    def rate_pieces(self, horizon_s: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the piecewise constant rate as (edges_s, rate_per_s), one edge more than rates."""
        edges, rates = [0.0], []
        for burst in self.bursts:
            if burst.from_s > edges[-1]:
                rates.append(self.rate_per_s)
                edges.append(burst.from_s)
            rates.append(self.rate_per_s * burst.factor)
            edges.append(burst.to_s)
        if edges[-1] < horizon_s:
            rates.append(self.rate_per_s)
            edges.append(horizon_s)
        return np.array(edges, dtype=np.float64), np.array(rates, dtype=np.float64)


MOST_SHOWN = 5
"""Of how many tenants a scenario's `repr` shows all."""


@dataclass(frozen=True)
class Scenario:
    """Tenants that share a pool of workers for a while.

    Parameters
    ----------
    tenants : iterable of Tenant
        At least one, with distinct names.
    workers : int or Pool, optional
        Size of the pool, 1 or more; without it, `simulate` and others have to be told.
    horizon_s : float
        How long tasks arrive, in seconds; at most 1e10.
    window_s : (float, float), optional
        Start and end of the time to be measured, in seconds; all of it by default.

    Examples
    --------
    >>> small = Scenario([Tenant("a", 30), Tenant("b", 5)], workers=1, horizon_s=10)
    >>> small.workload(seed=1).tenants
    ('a', 'b')
    """

    tenants: tuple[Tenant, ...]
    workers: int | Pool | None = None
    horizon_s: float = 60.0
    window_s: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        tenants = tuple(_check.several("tenants", self.tenants, "Tenant records"))
        for tenant in tenants:
            if not isinstance(tenant, Tenant):
                raise TypeError(f"tenants must be Tenant records; got {tenant!r}")
        if not tenants:
            raise ValueError("tenants must hold at least one Tenant; got none")
        _check.names("tenants", [t.name for t in tenants])
        if self.workers is not None:
            object.__setattr__(self, "workers", as_pool("workers", self.workers))
        _check.number("horizon_s", self.horizon_s, above=0, most=MOST_TIME_S)
        if self.window_s is not None:
            window_s = _check.window("window_s", self.window_s, self.horizon_s)
            object.__setattr__(self, "window_s", window_s)
        for tenant in tenants:
            for burst in tenant.bursts:
                if burst.to_s > self.horizon_s:
                    raise ValueError(
                        f"bursts of {tenant.name!r} must end by horizon_s = {self.horizon_s:g}; "
                        f"got to_s = {burst.to_s:g}"
                    )
        object.__setattr__(self, "tenants", tenants)

    def workload(self, seed: int) -> Workload:
        """Draw the tasks that arrive, a pure function of the scenario and `seed`.

        Raises
        ------
        ValueError
            If `seed` is negative or at least 2**63, or no task arrives within the horizon.
        """
        seed = _check.seed("seed", seed)
        columns = [
            _closed(tenant, self.horizon_s, seed)
            if tenant.closed
            else _tasks(tenant, self.horizon_s, seed)
            for tenant in self.tenants
        ]
        order, arrival_s, tenant, cost_s = merge([(c[0], c[1]) for c in columns])
        return Workload(
            [t.name for t in self.tenants],
            arrival_s,
            tenant,
            cost_s,
            self.horizon_s,
            [t.weight for t in self.tenants],
            workers=self.workers,
            window_s=self.window_s,
            **_behaviour(self.tenants, columns, order, seed),
        )

    def __repr__(self) -> str:
        """Return all fields; of many tenants two, how many more, and a digest of them all."""
        shown = {f.name: repr(getattr(self, f.name)) for f in fields(self)}
        if len(self.tenants) > MOST_SHOWN:
            digest = sha256(shown["tenants"].encode()).hexdigest()[:16]
            some = "".join(f"{tenant!r}, " for tenant in self.tenants[:2])
            shown["tenants"] = f"({some}... {len(self.tenants) - 2:,} more, in all {digest})"
        return f"Scenario({', '.join(f'{name}={value}' for name, value in shown.items())})"

    def with_tenants(self, tenants: Iterable[Tenant]) -> Scenario:
        """Return the same scenario with other tenants."""
        return replace(self, tenants=tuple(_check.several("tenants", tenants, "Tenant records")))

    def with_clients(self, clients: Clients | Mapping[str, Clients]) -> Scenario:
        """Return the same scenario with other clients, for all tenants or by name or pattern.

        A tenant's own name comes first, then the first pattern that matches it; others keep theirs.
        """
        chosen = clients_of(clients, [tenant.name for tenant in self.tenants])
        pairs = zip(self.tenants, chosen, strict=True)
        return self.with_tenants([replace(t, clients=c) if c else t for t, c in pairs])

    def calm(self) -> Scenario:
        """Return the same scenario without any burst.

        For a seed, all tasks of tenants that never burst are the same as in this one.
        """
        return self.with_tenants([replace(tenant, bursts=()) for tenant in self.tenants])


Floats = NDArray[np.float64]
Columns = tuple[Floats, Floats] | tuple[Floats, Floats, NDArray[np.int64], Floats]


def _behaviour(
    tenants: tuple[Tenant, ...], columns: list[Columns], order: NDArray[np.int64], seed: int
) -> dict[str, Any]:
    """Return a workload's columns that say how clients behave, where any does."""
    if all(tenant.clients is None for tenant in tenants):
        return {}
    behaviour: dict[str, Any] = {"seed": seed}
    clients = [tenant.clients or Clients() for tenant in tenants]
    if any(one.patience is not None for one in clients):
        patience = [
            np.full(len(drawn[0]), np.inf)
            if one.patience is None
            else patience_of(one, tenant.name, seed, len(drawn[0]))
            for tenant, one, drawn in zip(tenants, clients, columns, strict=True)
        ]
        behaviour["patience_s"] = np.concatenate(patience)[order]
    if any(one.retry is not None for one in clients):
        behaviour["retry"] = [one.retry for one in clients]
    if any(tenant.closed for tenant in tenants):
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        follows, think_s, start = [], [], 0
        for drawn in columns:
            if len(drawn) == 4:
                last, think = drawn[2], drawn[3]
                follows.append(np.where(last < 0, -1, place[start + last]))
                think_s.append(think)
            else:
                follows.append(np.full(len(drawn[0]), -1))
                think_s.append(np.zeros(len(drawn[0])))
            start += len(drawn[0])
        behaviour["follows"] = np.concatenate(follows)[order]
        behaviour["think_s"] = np.concatenate(think_s)[order]
    return behaviour


def _closed(tenant: Tenant, horizon_s: float, seed: int) -> Columns:
    """Draw (arrival_s, cost_s, the task before, think_s) of a closed loop, client by client.

    Arrivals are as if each task were answered at once: there cannot be more tasks than that.
    """
    assert tenant.clients is not None
    assert tenant.clients.number is not None
    parts: list[tuple[Any, ...]] = []
    start = 0
    for client in range(tenant.clients.number):
        name = f"{tenant.name}\0client {client}"
        stream, thinks, until_s = Stream(seed, name, ARRIVALS), [], 0.0
        while until_s <= horizon_s:
            more = drawn(tenant.clients.think, stream, 64)
            thinks.append(more)
            until_s += float(more.sum())
        think_s = np.concatenate(thinks)
        arrival_s = np.cumsum(think_s)
        arrival_s = arrival_s[arrival_s <= horizon_s]
        n = len(arrival_s)
        last = np.arange(start - 1, start + n - 1)
        last[:1] = -1
        cost_s = tenant.service_time.sample(Stream(seed, name, COSTS), n)
        parts.append((arrival_s, cost_s, last, np.where(last < 0, 0.0, think_s[:n])))
        start += n
    arrival_s, cost_s, last, think_s = (np.concatenate(part) for part in zip(*parts, strict=True))
    return arrival_s, cost_s, last, think_s


def _tasks(
    tenant: Tenant, horizon_s: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw one tenant's (arrival_s, cost_s)."""
    edges, rates = tenant.rate_pieces(horizon_s)
    mass = np.concatenate([[0.0], np.cumsum(rates * np.diff(edges))])
    stream = Stream(seed, tenant.name, ARRIVALS)
    points, last = [], 0.0
    while last < mass[-1]:
        gaps = stream.exponential(max(64, int(1.1 * (mass[-1] - last))))
        gaps[0] += last
        points.append(np.cumsum(gaps))
        last = points[-1][-1]
    unit = np.concatenate(points) if points else np.empty(0)
    unit = unit[unit < mass[-1]]
    piece = np.searchsorted(mass, unit, side="right") - 1
    arrival_s = edges[piece] + (unit - mass[piece]) / rates[piece]
    arrival_s = np.minimum(arrival_s, edges[piece + 1])
    return arrival_s, tenant.service_time.sample(Stream(seed, tenant.name, COSTS), len(arrival_s))
