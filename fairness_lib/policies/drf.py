"""Dominant resource fairness as a schedule: tasks that take several resources at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import _check
from .queues import TenantQueues
from .tasks import Tasks

ROUNDING = 1e-9
"""Part of a capacity that adding up and taking away may be wrong by."""


@dataclass(kw_only=True)
class DominantResourceFair(TenantQueues):
    """The backlogged tenant of least dominant share is next (Ghodsi et al. 2011, algorithm 1).

    A tenant's dominant share is the largest part that its tasks in service take of any resource,
    over its weight. If its head does not fit into what is free, everybody waits until it does.
    Resources are this discipline's own: let the pool have a worker for every task that can run.

    Parameters
    ----------
    uses : mapping of str to (mapping of str to float)
        What one task takes of each resource, by tenant name or pattern.
    capacity : mapping of str to float
        What there is of each resource, above 0.
    by : sequence of str, optional
        The resources that shares are computed from; all of them by default. One alone shows what
        sharing by it would do. All of them limit what fits.
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    weights : mapping of str to float, optional
        Weights by tenant name in place of the tenants' own.
    """

    uses: Mapping[str, Mapping[str, float]]
    capacity: Mapping[str, float]
    by: Sequence[str] | None = None
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.weights = _check.weights(self.weights)
        self.capacity = _check.by_name("capacity", self.capacity, "amounts")
        if not self.capacity:
            raise ValueError("capacity must name at least one resource; got none")
        for name, amount in self.capacity.items():
            _check.number(f"capacity[{name!r}]", amount, above=0)
        for name in self.by or ():
            _check.choice("by", name, self.capacity)
        self.uses = _check.by_name("uses", self.uses, "amounts by resource")
        for tenant, amounts in self.uses.items():
            for name, amount in _check.by_name(f"uses[{tenant!r}]", amounts, "amounts").items():
                _check.choice(f"uses[{tenant!r}]", name, self.capacity)
                _check.number(
                    f"uses[{tenant!r}][{name!r}]", amount, least=0, most=self.capacity[name]
                )

    def begin(self, tasks: Tasks) -> None:
        """Start with everything free."""
        super().begin(tasks)
        self._uses = tasks.by_pattern("uses", self.uses)
        weights = tasks.by_tenant("weights", self.weights)
        counted = self.capacity if self.by is None else self.by
        self._share = [
            max(uses.get(name, 0.0) / self.capacity[name] for name in counted) / weight
            for uses, weight in zip(self._uses, weights, strict=True)
        ]  # what one task adds to its tenant's
        self._backlogged: set[int] = set()
        self._running = [0] * len(tasks.tenants)
        self._free = dict(self.capacity)
        self._slack = {name: ROUNDING * amount for name, amount in self.capacity.items()}

    def came_first(self, task: int, tenant: int, now: float) -> None:
        """Count a tenant among the backlogged."""
        self._backlogged.add(tenant)

    def left_first(self, task: int, tenant: int, now: float) -> None:
        """Count it no longer if its queue is empty."""
        if not self._queues[tenant]:
            self._backlogged.remove(tenant)

    def take(self, now: float) -> int | None:
        """Give the head of the tenant of least dominant share, if it fits."""
        if not self._backlogged:
            return None
        tenant = min(self._backlogged, key=self._place)
        if not self._fits(tenant):
            return None
        self._change(tenant, -1)
        task = self._queues[tenant].popleft()
        self.left_first(task, tenant, now)
        return task

    def finished(self, task: int, cost_s: float, now: float) -> None:
        """Give back what the task took."""
        self._change(self._tenant[task], 1)

    def _place(self, tenant: int) -> tuple[float, int]:
        """Return a tenant's dominant share, and its oldest task for ties."""
        return self._running[tenant] * self._share[tenant], self._queues[tenant][0]

    def _fits(self, tenant: int) -> bool:
        free, slack = self._free, self._slack
        return all(free[name] + slack[name] >= used for name, used in self._uses[tenant].items())

    def _change(self, tenant: int, sign: int) -> None:
        self._running[tenant] -= sign
        for name, amount in self._uses[tenant].items():
            self._free[name] += sign * amount
