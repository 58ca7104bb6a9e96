"""Deficit round robin, as policies.drr: a ring of the backlogged tenants, and their accounts."""

from __future__ import annotations

from math import ceil, inf
from typing import NamedTuple

import numpy as np

from ...policies.drr import LEAST_QUANTUM_S, DeficitRoundRobin
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .queues import Queues, append, pop, queues_for, remove

MOST_VISITS = 2.0**62


class Rules(NamedTuple):
    """The discipline in numbers."""

    cap: int  # most tasks of one tenant that wait
    quantum_s: Column  # by tenant


class State(NamedTuple):
    """A queue a tenant; the others by tenant too, but for `ring`."""

    queues: Queues
    left_s: Column  # as in policies.drr.Flow
    visits: Column  # int64, the same
    after: Column  # int64: the next one in the ring
    ring: Column  # int64: RING_LAST, RING_SIZE, FRUITLESS


RING_LAST, RING_SIZE, FRUITLESS, RING = 0, 1, 2, 3


def most_visits(discipline: DeficitRoundRobin, workload: Workload, work_s: float) -> float:
    """Return an upper bound for the visits that it takes to pay for so much work."""
    lightest = min(workload.weight.min(), *(discipline.weights or {}).values(), inf)
    least_s = max(float(discipline.quantum_s * lightest), LEAST_QUANTUM_S)
    return float((work_s / least_s + len(workload)) * len(workload.tenants))


def obstacle(discipline: DeficitRoundRobin, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None if it can."""
    if most_visits(discipline, workload, workload.estimate_s.sum()) > MOST_VISITS:
        return "so small a quantum needs more visits than it can count"
    return None


def rules_of(discipline: DeficitRoundRobin, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    cap = n if discipline.cap is None else min(discipline.cap, n)
    return Rules(cap, np.array(discipline.quanta(known), dtype=np.float64))


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    visits, after = np.empty((2, tenants), dtype=np.int64)
    ring = np.empty(RING, dtype=np.int64)
    return State(queues_for(tenants, n), np.empty(tenants), visits, after, ring)


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with empty queues and no deficit."""
    for t in range(tenants):
        state.queues.length[t], state.left_s[t], state.visits[t] = 0, 0.0, 0
    state.ring[RING_SIZE], state.ring[FRUITLESS] = 0, 0


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to its tenant's queue; False if that is full."""
    t = tasks.tenant[task]
    if state.queues.length[t] == 0:
        join_ring(t, state)
    elif state.queues.length[t] >= rules.cap:
        return False
    append(task, t, state.queues)
    return True


def join_ring(tenant: int, state: State) -> None:
    """Let a tenant's turn come after all others'; its first, if it is alone, begins at once."""
    if state.ring[RING_SIZE] == 0:
        state.after[tenant] = tenant
        state.visits[tenant] += 1
    else:
        last = state.ring[RING_LAST]
        state.after[tenant] = state.after[last]
        state.after[last] = tenant
    state.ring[RING_LAST] = tenant
    state.ring[RING_SIZE] += 1


def skip_rounds(tasks: Tasks, rules: Rules, state: State) -> None:
    """Go at once through the rounds in which no deficit would reach its head's cost."""
    size, rounds, t = state.ring[RING_SIZE], -1, state.ring[RING_LAST]
    for _ in range(size):
        t = state.after[t]
        left_s, quantum_s = state.left_s[t], rules.quantum_s[t]
        cost_s = tasks.estimate_s[state.queues.head[t]]
        visits = ceil((cost_s - left_s) / quantum_s)
        while left_s + visits * quantum_s < cost_s:  # mend the rounding of the division
            visits += 1
        while left_s + (visits - 1) * quantum_s >= cost_s:
            visits -= 1
        more = visits - state.visits[t]
        if rounds < 0 or more < rounds:
            rounds = more
    for _ in range(size):
        t = state.after[t]
        state.visits[t] += rounds - 1
    state.ring[FRUITLESS] += (rounds - 1) * size


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of the first tenant, in turn, whose deficit covers its cost; -1 if none."""
    in_vain = 0
    if state.ring[RING_SIZE] > 0 and state.visits[state.after[state.ring[RING_LAST]]] == 0:
        in_vain = -1  # this turn has served already
    while state.ring[RING_SIZE] > 0:
        last = state.ring[RING_LAST]
        t = state.after[last]
        cost_s = tasks.estimate_s[state.queues.head[t]]
        deficit_s = state.left_s[t] + state.visits[t] * rules.quantum_s[t]
        if cost_s <= deficit_s:
            state.ring[FRUITLESS] += max(in_vain, 0)
            task = pop(t, state.queues)
            state.left_s[t], state.visits[t] = deficit_s - cost_s, 0
            if state.queues.length[t] == 0:
                state.left_s[t] = 0.0
                state.after[last] = state.after[t]
                state.ring[RING_SIZE] -= 1
                if state.ring[RING_SIZE] > 0:
                    state.visits[state.after[last]] += 1
            return task
        state.ring[RING_LAST] = t
        in_vain += 1
        if in_vain == state.ring[RING_SIZE]:
            skip_rounds(tasks, rules, state)
        state.visits[state.after[t]] += 1
    return -1


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue; one that is empty then leaves the ring, as when served."""
    t = tasks.tenant[task]
    remove(task, t, state.queues)
    if state.queues.length[t] == 0:
        state.left_s[t], state.visits[t] = min(state.left_s[t], 0.0), 0
        before, had_its_turn = t, state.after[state.ring[RING_LAST]] == t
        while state.after[before] != t:
            before = state.after[before]
        state.after[before] = state.after[t]
        if state.ring[RING_LAST] == t:
            state.ring[RING_LAST] = before
        state.ring[RING_SIZE] -= 1
        if had_its_turn and state.ring[RING_SIZE] > 0:
            state.visits[state.after[state.ring[RING_LAST]]] += 1


def retry_after_s(
    task: int, now: float, workers: int, tasks: Tasks, rules: Rules, state: State
) -> float:
    """Return how long the tenant's queue is expected to last, as long as others are backlogged."""
    t, last, round_s = tasks.tenant[task], state.ring[RING_LAST], 0.0
    for _ in range(state.ring[RING_SIZE]):
        last = state.after[last]
        round_s += rules.quantum_s[last]
    rounds = state.queues.length[t] * tasks.estimate_s[task] / rules.quantum_s[t]
    return float(rounds * round_s / workers)


def fruitless(state: State) -> int:
    """Return the visits that served nobody."""
    return int(state.ring[FRUITLESS])
