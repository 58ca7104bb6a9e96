"""Deficit round robin."""

from __future__ import annotations

from math import ceil

from .columns import FRUITLESS, RING_LAST, RING_SIZE, Rules, State, Tasks
from .queues import pop


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
        cost_s = tasks.estimate_s[state.head[t]]
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


def take_in_turn(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of the first tenant, in turn, whose deficit covers its cost; -1 if none."""
    in_vain = 0
    if state.ring[RING_SIZE] > 0 and state.visits[state.after[state.ring[RING_LAST]]] == 0:
        in_vain = -1  # this turn has served already
    while state.ring[RING_SIZE] > 0:
        last = state.ring[RING_LAST]
        t = state.after[last]
        cost_s = tasks.estimate_s[state.head[t]]
        deficit_s = state.left_s[t] + state.visits[t] * rules.quantum_s[t]
        if cost_s <= deficit_s:
            state.ring[FRUITLESS] += max(in_vain, 0)
            task = pop(t, state)
            state.left_s[t], state.visits[t] = deficit_s - cost_s, 0
            if state.length[t] == 0:
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
