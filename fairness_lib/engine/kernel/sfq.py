"""Start-time fair queueing, as policies.sfq."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...policies.sfq import StartTimeFairQueueing
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .heads import Heads, dequeue, drop, empty, enqueue, heads_for, rank_head


class Rules(NamedTuple):
    """The discipline in numbers."""

    cap: int  # most tasks of one tenant that wait
    weight: Column  # by tenant
    inverse_share: Column  # by tenant, as policies.tasks.Tasks.inverse_shares


class State(NamedTuple):
    """The queues by tenant, and where each tenant and all of them are in virtual time."""

    heads: Heads
    end_s: Column  # by tenant
    virtual_s: Column  # one item


def obstacle(discipline: StartTimeFairQueueing, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: StartTimeFairQueueing, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    cap = n if discipline.cap is None else min(discipline.cap, n)
    weight = np.array(known.by_tenant("weights", discipline.weights), dtype=np.float64)
    return Rules(cap, weight, np.array(known.inverse_shares()))


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    return State(heads_for(tenants, n), np.empty(tenants), np.empty(1))


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with empty queues at virtual time 0."""
    empty(tenants, state.heads)
    for t in range(tenants):
        state.end_s[t] = 0.0
    state.virtual_s[0] = 0.0


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to its tenant's queue; False if that is full."""
    t = tasks.tenant[task]
    if state.heads.queues.length[t] >= rules.cap:
        return False
    enqueue(task, t, max(state.virtual_s[0], state.end_s[t]), state.heads)
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of least start tag; -1 if there is none."""
    if state.heads.size[0] == 0:
        return -1
    task = state.heads.heap[0]
    t = tasks.tenant[task]
    state.virtual_s[0] = state.heads.rank[task]
    state.end_s[t] = state.virtual_s[0] + tasks.estimate_s[task] / rules.weight[t]
    dequeue(t, max(state.virtual_s[0], state.end_s[t]), state.heads)
    return int(task)


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue."""
    t = tasks.tenant[task]
    if drop(task, t, state.heads):
        head = state.heads.queues.head[t]
        rank_head(head, max(state.virtual_s[0], state.end_s[t]), state.heads)


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
