"""Noisy neighbours last, as policies.noisy_neighbour."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...policies.noisy_neighbour import LAST, NoisyNeighboursLast
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .heads import Heads, dequeue, drop, empty, enqueue, heads_for, raise_first, rank_head


class Rules(NamedTuple):
    """The discipline in numbers."""

    cap: int  # most tasks of one tenant that wait
    share: float
    least: int
    inverse_share: Column  # by tenant, as policies.tasks.Tasks.inverse_shares


class State(NamedTuple):
    """The queues by tenant, and who has how many tasks in flight."""

    heads: Heads
    noisy: Column  # int64, by tenant: 1 if it is
    running: Column  # int64, by tenant
    in_flight: Column  # int64, one item


def obstacle(discipline: NoisyNeighboursLast, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: NoisyNeighboursLast, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    cap = n if discipline.cap is None else min(discipline.cap, n)
    share, least = float(discipline.share), min(discipline.least, n + 1)
    return Rules(cap, share, least, np.array(known.inverse_shares()))


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    noisy, running = np.empty((2, tenants), dtype=np.int64)
    return State(heads_for(tenants, n), noisy, running, np.empty(1, dtype=np.int64))


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with empty queues and everybody quiet."""
    empty(tenants, state.heads)
    for t in range(tenants):
        state.noisy[t], state.running[t] = 0, 0
    state.in_flight[0] = 0


def too_many(tenant: int, rules: Rules, state: State) -> bool:
    """Tell whether a tenant has too many tasks in flight."""
    running = state.running[tenant]
    return bool(running >= rules.least and running >= rules.share * state.in_flight[0])


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to its tenant's queue; False if that is full."""
    t = tasks.tenant[task]
    if state.heads.queues.length[t] >= rules.cap:
        return False
    enqueue(task, t, task + LAST * state.noisy[t], state.heads)
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the oldest task of a quiet tenant, else of a noisy one; -1 if there is none."""
    if state.heads.size[0] == 0:
        return -1
    task = state.heads.heap[0]
    while state.heads.rank[task] < LAST and state.noisy[tasks.tenant[task]] == 1:
        raise_first(task + LAST, state.heads)
        task = state.heads.heap[0]
    t = tasks.tenant[task]
    state.in_flight[0] += 1
    state.running[t] += 1
    if too_many(t, rules, state):
        state.noisy[t] = 1
    following = state.heads.queues.behind[task]
    if state.heads.queues.length[t] == 1:
        following = task
    dequeue(t, following + LAST * state.noisy[t], state.heads)
    return int(task)


def finished(
    task: int, cost_s: float, now: float, tasks: Tasks, rules: Rules, state: State
) -> None:
    """See whether its tenant is quiet again."""
    t = tasks.tenant[task]
    state.in_flight[0] -= 1
    state.running[t] -= 1
    if state.heads.queues.length[t] == 0 and not too_many(t, rules, state):
        state.noisy[t] = 0


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue."""
    t = tasks.tenant[task]
    if drop(task, t, state.heads):
        head = state.heads.queues.head[t]
        rank_head(head, head + LAST * state.noisy[t], state.heads)


def retry_after_s(
    task: int, now: float, workers: int, tasks: Tasks, rules: Rules, state: State
) -> float:
    """Return how long the tenant's queue is expected to last, if all tenants are backlogged."""
    t = tasks.tenant[task]
    queued_s = state.heads.queues.length[t] * tasks.estimate_s[task]
    return float(queued_s * rules.inverse_share[t] / workers)


def fruitless(state: State) -> int:
    """Return the visits that served nobody: there are no visits."""
    return 0
