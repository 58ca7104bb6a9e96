"""Disciplines: in what order queued tasks are served.

A discipline is any object with three methods::

    class LastComeFirstServed:
        def begin(self, tasks):  # a new run: what is known of its tasks
            self.stack = []

        def put(self, task, now):  # None, or an Outcome that rejects it
            self.stack.append(task)

        def take(self, now):  # a worker is idle: the next task, or None
            return self.stack.pop() if self.stack else None

``simulate(workload, Policy("lcfs", LastComeFirstServed()))`` runs it. Tasks are integers;
``tasks.tenant[task]``, ``tasks.estimate_s[task]``, ``tasks.label[task]`` and
``tasks.weight[tenant]`` tell the rest. Methods and an argument that it may have beside these:

- ``finished(task, cost_s, now)`` is called when a task is done, with its true cost; with a cost of
  0 if it was given, but its client left while it waited for more workers to be idle.
- ``abandoned(task, now)`` is called when a queued task's client has left: the discipline forgets
  the task, and its place is free at once. Without it the task keeps its place, and is thrown away
  when the discipline gives it.
- ``retry_after_s(task, now, workers)`` is asked, after ``put`` has rejected the task, how long its
  client had better wait, with so many workers in the pool; 0 without it.
- ``wake_at(now)`` is asked when a worker is idle and tasks are queued, but none was given: when to
  ask again, whatever else happens; None for never. For limits of a rate, and for polling.
- ``take(now, worker)``: with a parameter of this name, each idle worker asks in turn, from 0 on.
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
