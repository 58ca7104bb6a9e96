"""Shuffle-sharded fair queueing, as policies.shuffle_sharding."""

from __future__ import annotations

from math import inf, nan
from typing import NamedTuple

import numpy as np

from ...policies.shuffle_sharding import ShuffleShardedFairQueueing
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .queues import Queues, append, pop, queues_for, remove


class Rules(NamedTuple):
    """The discipline in numbers."""

    queues: int
    hand: int
    cap: int  # most tasks that wait in one queue
    guess_s: float  # NaN for the estimate
    hands: Column  # int64, a hand after another, by tenant


class State(NamedTuple):
    """The queues, and what was charged to them."""

    queues: Queues
    next_s: Column  # by queue: start tag of its next task
    queue: Column  # int64, by task: the one it was put into last
    virtual_s: Column  # one item
    last: Column  # int64, one item: the queue that was served last


def obstacle(discipline: ShuffleShardedFairQueueing, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: ShuffleShardedFairQueueing, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    cap = n if discipline.cap is None else min(discipline.cap, n)
    guess_s = nan if discipline.guess_s is None else float(discipline.guess_s)
    hands = np.array([discipline.deal(name) for name in known.tenants], dtype=np.int64).ravel()
    return Rules(discipline.queues, discipline.hand, cap, guess_s, hands)


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    return State(
        queues_for(rules.queues, n),
        np.empty(rules.queues),
        np.empty(n, dtype=np.int64),
        np.empty(1),
        np.empty(1, dtype=np.int64),
    )


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with empty queues at virtual time 0."""
    for q in range(rules.queues):
        state.queues.length[q], state.next_s[q] = 0, 0.0
    state.virtual_s[0], state.last[0] = 0.0, rules.queues - 1


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to the shortest queue of the hand; False if that is full."""
    first = tasks.tenant[task] * rules.hand
    shortest = rules.hands[first]
    for i in range(1, rules.hand):
        q = rules.hands[first + i]
        if state.queues.length[q] < state.queues.length[shortest]:
            shortest = q
    if state.queues.length[shortest] >= rules.cap:
        return False
    if state.queues.length[shortest] == 0:
        state.next_s[shortest] = max(state.virtual_s[0], state.next_s[shortest])
    append(task, shortest, state.queues)
    state.queue[task] = shortest
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of the queue whose start tag is least, ties go round; -1 if there is none."""
    best, least_s, turn = -1, inf, state.last[0] + 1
    for q in range(turn, rules.queues):
        if state.queues.length[q] > 0 and state.next_s[q] < least_s:
            best, least_s = q, state.next_s[q]
    for q in range(turn):  # and round again
        if state.queues.length[q] > 0 and state.next_s[q] < least_s:
            best, least_s = q, state.next_s[q]
    if best < 0:
        return -1
    task = pop(best, state.queues)
    state.virtual_s[0] = max(state.virtual_s[0], least_s)
    state.next_s[best] += guess_s(task, tasks, rules)
    state.last[0] = best
    return task


def finished(
    task: int, cost_s: float, now: float, tasks: Tasks, rules: Rules, state: State
) -> None:
    """Put the guess right."""
    state.next_s[state.queue[task]] += cost_s - guess_s(task, tasks, rules)


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue."""
    remove(task, state.queue[task], state.queues)


def retry_after_s(
    task: int, now: float, workers: int, tasks: Tasks, rules: Rules, state: State
) -> float:
    """Return how long the hand's shortest queue is expected to last, if all are backlogged."""
    first = tasks.tenant[task] * rules.hand
    waiting = state.queues.length[rules.hands[first]]
    for i in range(1, rules.hand):
        waiting = min(waiting, state.queues.length[rules.hands[first + i]])
    return float(waiting * tasks.estimate_s[task] * rules.queues / workers)


def guess_s(task: int, tasks: Tasks, rules: Rules) -> float:
    """Return what is charged for a task at the start."""
    return float(tasks.estimate_s[task] if rules.guess_s != rules.guess_s else rules.guess_s)


def fruitless(state: State) -> int:
    """Return the visits that served nobody: there are no visits."""
    return 0
