"""What becomes of a task, and what a scheduler knows about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from fnmatch import fnmatchcase
from math import fsum
from typing import Any

from .. import _check


class Outcome(IntEnum):
    """What became of a task."""

    SERVED = 0
    WAITING = 1
    """Queued, and never taken by the time the run ended."""
    QUEUE_FULL = 2
    """Rejected: the queue it belongs in was full."""
    QUOTA = 3
    """Rejected: its tenant's token bucket was empty."""
    ABANDONED = 4
    """Given up: its client left before it was done, in the queue or during its service."""

    @property
    def label(self) -> str:
        """Lower-case name, as used in column names."""
        return self.name.lower()


REJECTED = (Outcome.QUEUE_FULL, Outcome.QUOTA)
"""The outcomes that are rejections, by reason."""


def no_rejection(reason: object, task: int) -> ValueError:
    """Return the error for what a policy gave instead of a reason for a rejection."""
    allowed = " or ".join(map(str, (None, *(f"Outcome.{r.name}" for r in REJECTED))))
    return ValueError(f"policy gave {reason!r} for task {task}; it must be {allowed}")


@dataclass
class Tasks:
    """What admission and discipline may know of the tasks, by task id.

    The true cost is not among it: a discipline that wants it has a method
    ``finished(task, cost_s, now)``.

    Attributes
    ----------
    tenants : sequence of str
        Tenant names.
    weight : sequence of float
        Each tenant's entitlement.
    tenant : list of int
        Each task's tenant, an index into `tenants`.
    estimate_s : list of float
        Each task's estimated cost in worker-seconds.
    label : list of int
        Each task's label, an index into `labels`; empty if tasks have none.
    labels : sequence of str
        What the labels are called.
    workers : int
        Size of the pool, the largest one if it changes.
    ingress : list of int
        Through which dispatcher each task comes; empty if there is one.
    """

    tenants: Sequence[str]
    weight: Sequence[float]
    tenant: list[int]
    estimate_s: list[float]
    label: list[int] = field(default_factory=list)
    labels: Sequence[str] = ()
    workers: int = 1
    ingress: list[int] = field(default_factory=list)

    def by_tenant(self, field: str, override: Mapping[str, float] | None) -> list[float]:
        """Return the weights with `override` put in by tenant name, checked."""
        if not override:
            return list(self.weight)
        values = dict(zip(self.tenants, self.weight, strict=True))
        for name, value in override.items():
            if name not in values:
                known = _some(self.tenants)
                raise ValueError(f"{field} names {name!r}, which is not a tenant; known: {known}")
            values[name] = _check.number(f"{field}[{name!r}]", value, above=0)
        return list(values.values())

    def inverse_shares(self) -> list[float]:
        """Return how many times its own work is done until all tenants had theirs by weight."""
        weights = fsum(self.weight)
        return [weights / weight for weight in self.weight]

    def by_pattern(self, field: str, given: Mapping[str, Any]) -> list[Any]:
        """Return what is given for each tenant: by its name, else by the first pattern it fits."""
        return [for_name(field, given, tenant) for tenant in self.tenants]


def for_name(field: str, given: Mapping[str, Any], tenant: str, *otherwise: Any) -> Any:
    """Return what is given for the tenant of this name: by name, by first pattern, or otherwise."""
    name: str | None = tenant
    if tenant not in given:
        name = next((name for name in given if fnmatchcase(tenant, name)), None)
    if name is None and otherwise:
        return otherwise[0]
    if name is None:
        raise ValueError(f"{field} has no entry for tenant {tenant!r}; it names {', '.join(given)}")
    return given[name]


def has(field: str, part: object, *methods: str) -> None:
    """Raise an error that names the first method that a part of a policy has not."""
    for method in methods:
        if not callable(getattr(part, method, None)):
            raise TypeError(f"{field} must have a method {method}(); {part!r} has none")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
