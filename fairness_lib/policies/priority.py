"""Priority: who is more important goes first, always or until the others have waited long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .. import _check
from .queues import RankedQueues
from .tasks import Outcome, Tasks


@dataclass(kw_only=True)
class Priority(RankedQueues):
    """Lower levels first; within a level, first come first served.

    With ageing, a level is worth so many seconds of waiting, and no more: a task of level 2 goes
    before one of level 0 that came ``2 * ageing_s`` later. Without, a busy level starves those
    above it.

    Parameters
    ----------
    levels : mapping of str to int
        Level by tenant name or pattern, 0 or more; 0 goes first.
    ageing_s : float or None
        Seconds of waiting that make up for one level; None for strict priority.
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    """

    levels: Mapping[str, int]
    ageing_s: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.levels = _check.by_name("levels", self.levels, "levels")
        for name, level in self.levels.items():
            _check.whole(f"levels[{name!r}]", level, least=0)
        if self.ageing_s is not None:
            _check.number("ageing_s", self.ageing_s, above=0)

    def head_starts(self, tasks: Tasks) -> list[float]:
        """Return what each tenant's level adds to the rank: seconds, or levels if strict."""
        each = 1.0 if self.ageing_s is None else float(self.ageing_s)
        return [each * level for level in tasks.by_pattern("levels", self.levels)]

    def begin(self, tasks: Tasks) -> None:
        """Start with empty queues."""
        super().begin(tasks)
        self._behind = self.head_starts(tasks)
        self._came_s: dict[int, float] = {}  # when each queued task came

    def put(self, task: int, now: float) -> Outcome | None:
        """Append the task to its tenant's queue, or reject it if that is full."""
        self._came_s[task] = 0.0 if self.ageing_s is None else now
        rejected = super().put(task, now)
        if rejected is not None:
            del self._came_s[task]
        return rejected

    def abandoned(self, task: int, now: float) -> None:
        """Take a task out of its queue."""
        super().abandoned(task, now)
        del self._came_s[task]

    def rank(self, task: int, tenant: int, now: float) -> float:
        """Return the level, or the time at which a task of level 0 would go first as well."""
        return self._came_s[task] + self._behind[tenant]

    def taken(self, task: int, tenant: int, rank: float, now: float) -> None:
        """Forget when it came."""
        del self._came_s[task]
