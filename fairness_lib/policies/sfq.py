"""Start-time fair queueing: whoever is behind in virtual time is served next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .. import _check
from .queues import RankedQueues
from .tasks import Tasks


@dataclass(kw_only=True)
class StartTimeFairQueueing(RankedQueues):
    """Tasks in the order of their start tags (Goyal, Vin and Cheng 1996).

    A task's start tag is where its tenant's task before it ends in virtual time, or the virtual
    time now if that is later; it ends its estimated cost over its tenant's weight after that. The
    virtual time is the start tag of the task that was taken last. While two tenants are both
    backlogged, the work that they were given, each over its weight, differs by no more than their
    largest tasks, each over its weight.

    Parameters
    ----------
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    weights : mapping of str to float, optional
        Weights by tenant name in place of the tenants' own.
    """

    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.weights = _check.weights(self.weights)

    def begin(self, tasks: Tasks) -> None:
        """Start at virtual time 0."""
        super().begin(tasks)
        self._weight = tasks.by_tenant("weights", self.weights)
        self._virtual_s = 0.0
        self._end_s = [0.0] * len(tasks.tenants)  # of each tenant's last task that was taken

    def rank(self, task: int, tenant: int, now: float) -> float:
        """Return the start tag."""
        return max(self._virtual_s, self._end_s[tenant])

    def taken(self, task: int, tenant: int, rank: float, now: float) -> None:
        """Go on to the task's start tag."""
        self._virtual_s = rank
        self._end_s[tenant] = rank + self._estimate_s[task] / self._weight[tenant]
