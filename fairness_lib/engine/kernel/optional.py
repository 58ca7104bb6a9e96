"""What a discipline may do beside `begin`, `put`, `take` and `fruitless`, and how others do it.

A discipline's module that has a function of one of these names has its own instead.
"""

from __future__ import annotations

from math import inf

from .columns import Tasks
from .drr import Rules, State, put, take

OPTIONAL = ("put_at", "take_at", "finished", "abandoned", "retry_after_s", "wake_at")
BY_WORKER = 0  # 1 in a discipline's module: take_at looks at the worker, so ask each idle one


def put_at(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Queue a task; False if there is no place."""
    return put(task, tasks, rules, state)


def take_at(now: float, worker: int, tasks: Tasks, rules: Rules, state: State) -> int:
    """Take a task; -1 if there is none."""
    return take(tasks, rules, state)


def finished(
    task: int, cost_s: float, now: float, tasks: Tasks, rules: Rules, state: State
) -> None:
    """Hear that a service has ended."""


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Forget a queued task: a discipline without it is not run where clients leave."""


def retry_after_s(
    task: int, now: float, workers: int, tasks: Tasks, rules: Rules, state: State
) -> float:
    """Return how long the client of a task that was just rejected had better wait."""
    return 0.0


def wake_at(now: float, tasks: Tasks, rules: Rules, state: State) -> float:
    """Return when to ask again, whatever else happens; inf for never."""
    return inf
