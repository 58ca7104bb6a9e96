"""First in, first out, as policies.fifo."""

from __future__ import annotations

from typing import NamedTuple

from ...policies.fifo import Fifo
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Tasks
from .queues import Queues, append, pop, queues_for, remove


class Rules(NamedTuple):
    """The discipline in numbers."""

    cap: int  # most tasks that wait


class State(NamedTuple):
    """One queue for all."""

    queues: Queues


def obstacle(discipline: Fifo, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: Fifo, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    return Rules(n if discipline.cap is None else min(discipline.cap, n))


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    return State(queues_for(1, n))


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with an empty queue."""
    state.queues.length[0] = 0


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task; False if the queue is full."""
    if state.queues.length[0] >= rules.cap:
        return False
    append(task, 0, state.queues)
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the task that has waited longest; -1 if there is none."""
    return pop(0, state.queues) if state.queues.length[0] > 0 else -1


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of the queue."""
    remove(task, 0, state.queues)


def retry_after_s(
    task: int, now: float, workers: int, tasks: Tasks, rules: Rules, state: State
) -> float:
    """Return how long the queue is expected to last, if its tasks cost what this one does."""
    return float(state.queues.length[0] * tasks.estimate_s[task] / workers)


def fruitless(state: State) -> int:
    """Return the visits that served nobody: there are no visits."""
    return 0
