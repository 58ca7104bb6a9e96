"""Several dispatchers in front of one pool: each with its own discipline and its own state.

A task comes through one of them, by the workload's column `ingress`, and none knows what the others
hold. An idle worker asks them in turn, first the one after that which gave the last task. So each
dispatcher is fair among its own tasks, and the pool serves the dispatchers alike, whatever weights
of tenants stand behind them.

In the readable tier only: the kernel's disciplines have the memory of one.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from .. import _check
from .discipline import Discipline
from .tasks import Outcome, Tasks, has


@dataclass
class Dispatchers:
    """So many dispatchers that each have a discipline of their own.

    Parameters
    ----------
    discipline : Discipline
        What each has a copy of.
    number : int
        How many there are; the workload's `ingress` says through which a task comes.

    Raises
    ------
    ValueError, TypeError
        If a workload has no ingress, or one beyond the last dispatcher, or the discipline asks
        which worker it gives a task to, which dispatchers do not know.

    Examples
    --------
    Two tenants, each through a dispatcher of its own: weights of 3 to 1 come out as 1 to 1.

    >>> from fairness_lib import Policy, Workload, drr, simulate
    >>> tenant = [0, 1] * 20
    >>> w = Workload(["a", "b"], [0.0] * 40, tenant, [1.0] * 40, 1, [3.0, 1.0])
    >>> two = Policy("two", Dispatchers(drr(quantum_s=1.0).discipline, 2))
    >>> run = simulate(w.with_ingress(tenant), two, workers=1)
    >>> int((run.finish_s[w.tenant == 0] <= 20).sum())
    10
    """

    discipline: Discipline
    number: int

    def __post_init__(self) -> None:
        has("discipline", self.discipline, "begin", "put", "take")
        _check.whole("number", self.number)

    def begin(self, tasks: Tasks) -> None:
        """Start with empty dispatchers."""
        if not tasks.ingress:
            raise ValueError("workload must have an ingress for each task; it has none")
        if max(tasks.ingress) >= self.number:
            raise ValueError(
                f"ingress must be below {self.number}, the number of dispatchers; "
                f"got {max(tasks.ingress)}"
            )
        self._ingress = tasks.ingress
        self._each: list[Any] = [copy(self.discipline) for _ in range(self.number)]
        for dispatcher in self._each:
            dispatcher.begin(tasks)
        self._next = 0

    def put(self, task: int, now: float) -> Outcome | None:
        """Give the task to its dispatcher."""
        reason: Outcome | None = self._each[self._ingress[task]].put(task, now)
        return reason

    def take(self, now: float) -> int | None:
        """Ask one dispatcher after the other."""
        for step in range(self.number):
            turn = (self._next + step) % self.number
            task: int | None = self._each[turn].take(now)
            if task is not None:
                self._next = (turn + 1) % self.number
                return task
        return None

    @property
    def fruitless_visits(self) -> int:
        """Those of all dispatchers together."""
        return sum(getattr(dispatcher, "fruitless_visits", 0) for dispatcher in self._each)

    def __getattr__(self, name: str) -> Any:
        """Have what the discipline has beside the three methods."""
        if name in ("finished", "abandoned", "retry_after_s") and hasattr(
            self.__dict__.get("discipline"), name
        ):
            return lambda task, *more: getattr(self._each[self._ingress[task]], name)(task, *more)
        if name == "wake_at" and hasattr(self.__dict__.get("discipline"), name):
            return self._wake_at
        raise AttributeError(name)

    def _wake_at(self, now: float) -> float | None:
        times = [dispatcher.wake_at(now) for dispatcher in self._each]
        return min((time for time in times if time is not None), default=None)
