"""Round robin by count, as policies.round_robin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...policies.round_robin import RoundRobin
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .queues import Queues, append, pop, queues_for, remove


class Rules(NamedTuple):
    """The discipline in numbers."""

    cap: int  # most tasks of one tenant that wait
    inverse_share: Column  # by tenant, as policies.tasks.Tasks.inverse_shares


class State(NamedTuple):
    """A queue a tenant, and the queue of the backlogged tenants."""

    queues: Queues
    ring: Queues  # of tenants


def obstacle(discipline: RoundRobin, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: RoundRobin, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    cap = n if discipline.cap is None else min(discipline.cap, n)
    return Rules(cap, np.array(known.inverse_shares()))


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    return State(queues_for(tenants, n), queues_for(1, tenants))


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with nobody in the ring."""
    for t in range(tenants):
        state.queues.length[t] = 0
    state.ring.length[0] = 0


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to its tenant's queue; False if that is full."""
    t = tasks.tenant[task]
    if state.queues.length[t] >= rules.cap:
        return False
    append(task, t, state.queues)
    if state.queues.length[t] == 1:
        append(t, 0, state.ring)
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of the tenant whose turn it is; -1 if there is none."""
    if state.ring.length[0] == 0:
        return -1
    t = pop(0, state.ring)
    task = pop(t, state.queues)
    if state.queues.length[t] > 0:
        append(t, 0, state.ring)
    return task


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue; a tenant whose queue is empty leaves the ring."""
    t = tasks.tenant[task]
    remove(task, t, state.queues)
    if state.queues.length[t] == 0:
        remove(t, 0, state.ring)


def retry_after_s(
    task: int, now: float, workers: int, tasks: Tasks, rules: Rules, state: State
) -> float:
    """Return how long the tenant's queue is expected to last, if all tenants are backlogged."""
    t = tasks.tenant[task]
    queued_s = state.queues.length[t] * tasks.estimate_s[task]
    return float(queued_s * rules.inverse_share[t] / workers)


def fruitless(state: State) -> int:
    """Return the visits that served nobody: there are none."""
    return 0
