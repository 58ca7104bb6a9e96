"""Disciplines: in what order queued tasks are served.

A discipline is any object with three methods, and an optional fourth::

    class LastComeFirstServed:
        def begin(self, tasks):  # a new run: what is known of its tasks
            self.stack = []

        def put(self, task, now):  # None, or an Outcome that rejects it
            self.stack.append(task)

        def take(self, now):  # a worker is idle: the next task, or None
            return self.stack.pop() if self.stack else None

``finished(task, cost_s, now)`` is called, where it exists, when a task is done. Tasks are
integers; ``tasks.tenant[task]``, ``tasks.estimate_s[task]`` and ``tasks.weight[tenant]`` tell
the rest. ``simulate(workload, Policy("lcfs", LastComeFirstServed()))`` runs it.
"""

from __future__ import annotations

from typing import Protocol

from .tasks import Outcome, Tasks


class Discipline(Protocol):
    """What `simulate` needs of a discipline."""

    def begin(self, tasks: Tasks) -> None:
        """Start a new run over these tasks."""

    def put(self, task: int, now: float) -> Outcome | None:
        """Queue a task (None), or reject it for a reason."""

    def take(self, now: float) -> int | None:
        """Give the next task to an idle worker; None if there is none."""
