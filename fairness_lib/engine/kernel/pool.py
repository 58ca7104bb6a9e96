"""The event loop."""

from __future__ import annotations

from math import inf, nan

from .admission import admit
from .columns import (
    FRUITLESS,
    QUEUE_FULL,
    QUOTA,
    RING_SIZE,
    SERVED,
    WAITING,
    Column,
    Rules,
    State,
    Tasks,
)
from .drr import join_ring, take_in_turn
from .heaps import sift_down, sift_up
from .queues import pop


def put(task: int, queue: int, rules: Rules, state: State) -> bool:
    """Append a task to a queue; False if that is full."""
    length = state.length[queue]
    if length == 0:
        state.head[queue] = task
        if rules.by_tenant == 1:
            join_ring(queue, state)
    elif length >= rules.cap:
        return False
    else:
        state.behind[state.tail[queue]] = task
    state.tail[queue] = task
    state.length[queue] = length + 1
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the next task to be served; -1 if none is queued."""
    if rules.by_tenant == 1:
        return take_in_turn(tasks, rules, state)
    return pop(0, state) if state.length[0] > 0 else -1


def simulate(
    n: int,
    tenants: int,
    tasks: Tasks,
    rules: Rules,
    state: State,
    start_s: Column,
    outcome: Column,
) -> int:
    """Run `n` tasks; fill `start_s` (NaN if not served) and `outcome` (int8).

    Returns the fruitless visits of the round-robin scan. These disciplines never leave a worker
    idle while a task is queued, so each event lets one task start at most; and which of two
    workers that finish at one instant comes first makes no difference to them.
    """
    for t in range(tenants):
        state.length[t], state.left_s[t], state.visits[t] = 0, 0.0, 0
        state.full_s[t], state.taken[t] = 0.0, 0.0
    for worker in range(rules.workers):
        state.pool[worker] = worker
    state.ring[RING_SIZE], state.ring[FRUITLESS] = 0, 0
    finish_s, pool, busy = state.finish_s, state.pool, 0
    for arriving in range(n + 1):
        now = tasks.arrival_s[arriving] if arriving < n else inf
        while busy > 0 and finish_s[pool[0]] <= now:
            worker = pool[0]
            task = take(tasks, rules, state)
            if task >= 0:
                outcome[task], start_s[task] = SERVED, finish_s[worker]
                finish_s[worker] += tasks.cost_s[task]
            else:
                busy -= 1
                pool[0], pool[busy] = pool[busy], worker
            if busy > 0:
                sift_down(pool, busy, 0, finish_s)
        if arriving == n:
            break
        start_s[arriving], outcome[arriving] = nan, WAITING
        tenant = tasks.tenant[arriving]
        if rules.limited == 1 and not admit(tenant, now, rules, state):
            outcome[arriving] = QUOTA
        elif not put(arriving, tenant if rules.by_tenant == 1 else 0, rules, state):
            outcome[arriving] = QUEUE_FULL
        elif busy < rules.workers:
            task = take(tasks, rules, state)
            outcome[task], start_s[task] = SERVED, now
            finish_s[pool[busy]] = now + tasks.cost_s[task]
            sift_up(pool, busy, finish_s)
            busy += 1
    return int(state.ring[FRUITLESS])
