"""Priority, strict and with ageing, as policies.priority."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...policies.priority import Priority
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .heads import Heads, dequeue, drop, empty, enqueue, heads_for, rank_head


class Rules(NamedTuple):
    """The discipline in numbers."""

    cap: int  # most tasks of one tenant that wait
    ageing: float  # 1 if the time of arrival counts, 0 if priority is strict
    behind: Column  # by tenant: what its level adds to the rank
    inverse_share: Column  # by tenant, as policies.tasks.Tasks.inverse_shares


class State(NamedTuple):
    """The queues by tenant, and when each task came."""

    heads: Heads
    came_s: Column  # by task


def obstacle(discipline: Priority, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: Priority, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    cap = n if discipline.cap is None else min(discipline.cap, n)
    ageing = 0.0 if discipline.ageing_s is None else 1.0
    behind = np.array(discipline.head_starts(known), dtype=np.float64)
    return Rules(cap, ageing, behind, np.array(known.inverse_shares()))


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    return State(heads_for(tenants, n), np.empty(n))


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with empty queues."""
    empty(tenants, state.heads)


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append a task that comes when it arrives."""
    return put_at(task, tasks.arrival_s[task], tasks, rules, state)


def put_at(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to its tenant's queue; False if that is full."""
    t = tasks.tenant[task]
    if state.heads.queues.length[t] >= rules.cap:
        return False
    state.came_s[task] = rules.ageing * now
    enqueue(task, t, state.came_s[task] + rules.behind[t], state.heads)
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of least rank; -1 if there is none."""
    if state.heads.size[0] == 0:
        return -1
    task = state.heads.heap[0]
    t = tasks.tenant[task]
    following = state.heads.queues.behind[task]
    if state.heads.queues.length[t] == 1:
        following = task
    dequeue(t, state.came_s[following] + rules.behind[t], state.heads)
    return int(task)


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue."""
    t = tasks.tenant[task]
    if drop(task, t, state.heads):
        head = state.heads.queues.head[t]
        rank_head(head, state.came_s[head] + rules.behind[t], state.heads)


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
