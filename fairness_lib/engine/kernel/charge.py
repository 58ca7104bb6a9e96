"""Charge as you go, as policies.charge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...policies.charge import ChargeAsYouGo
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .heads import Heads, dequeue, drop, empty, enqueue, heads_for, raise_first, rank_head


class Rules(NamedTuple):
    """The discipline in numbers."""

    cap: int  # most tasks of one tenant that wait
    prepaid: Column  # by tenant, as in policies.charge
    rate: Column  # by tenant, as in policies.charge.Account
    inverse_share: Column  # by tenant, as policies.tasks.Tasks.inverse_shares


class State(NamedTuple):
    """The queues and the accounts, by tenant; `last` is one tenant."""

    heads: Heads
    settled: Column
    running: Column  # int64
    since_s: Column
    last: Column  # int64


def obstacle(discipline: ChargeAsYouGo, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: ChargeAsYouGo, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    cap = n if discipline.cap is None else min(discipline.cap, n)
    weight = np.array(known.by_tenant("weights", discipline.weights), dtype=np.float64)
    at_start, as_it_runs = discipline.at_start / weight, discipline.as_it_runs / weight
    return Rules(cap, at_start, as_it_runs, np.array(known.inverse_shares()))


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    running, last = np.empty(tenants, dtype=np.int64), np.empty(1, dtype=np.int64)
    settled, since_s = np.empty((2, tenants))
    return State(heads_for(tenants, n), settled, running, since_s, last)


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with empty queues and nothing charged."""
    empty(tenants, state.heads)
    for t in range(tenants):
        state.settled[t], state.running[t], state.since_s[t] = 0.0, 0, 0.0
    state.last[0] = 0


def charged(tenant: int, now: float, rules: Rules, state: State) -> float:
    """Return all that a tenant was charged until now."""
    serving_s = state.running[tenant] * now - state.since_s[tenant]
    return float(state.settled[tenant] + rules.rate[tenant] * serving_s)


def bring_up_to(now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Rank heads again until the first one's rank is what its tenant is charged now."""
    while state.heads.size[0] > 0:
        task = state.heads.heap[0]
        charge = charged(tasks.tenant[task], now, rules, state)
        if charge <= state.heads.rank[task]:
            break
        raise_first(charge, state.heads)


def put_at(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to its tenant's queue; False if that is full."""
    t = tasks.tenant[task]
    if state.heads.queues.length[t] >= rules.cap:
        return False
    if state.heads.queues.length[t] == 0:
        bring_up_to(now, tasks, rules, state)
        if state.heads.size[0] > 0:
            floor = state.heads.rank[state.heads.heap[0]]
        else:
            floor = charged(state.last[0], now, rules, state)
        state.settled[t] += max(0.0, floor - charged(t, now, rules, state))
    enqueue(task, t, charged(t, now, rules, state), state.heads)
    return True


def take_at(now: float, worker: int, tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of the tenant that was charged least; -1 if there is none."""
    bring_up_to(now, tasks, rules, state)
    if state.heads.size[0] == 0:
        return -1
    task = state.heads.heap[0]
    t = tasks.tenant[task]
    state.settled[t] += rules.prepaid[t] * tasks.estimate_s[task]
    state.running[t] += 1
    state.since_s[t] += now
    state.last[0] = t
    dequeue(t, charged(t, now, rules, state), state.heads)
    return int(task)


def finished(
    task: int, cost_s: float, now: float, tasks: Tasks, rules: Rules, state: State
) -> None:
    """Settle what the service cost."""
    t = tasks.tenant[task]
    state.settled[t] += rules.rate[t] * cost_s
    state.running[t] -= 1
    state.since_s[t] -= now - cost_s
    if state.running[t] == 0:
        state.since_s[t] = 0.0


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue."""
    t = tasks.tenant[task]
    if drop(task, t, state.heads):
        head = state.heads.queues.head[t]
        rank_head(head, charged(t, now, rules, state), state.heads)


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
