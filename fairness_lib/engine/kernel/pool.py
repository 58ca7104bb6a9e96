"""The event loop, as engine.simulate.

`compiled.build` makes one of each discipline: `begin`, `put`, `take` and `fruitless` are then that
discipline's own. Here they are those of deficit round robin.
"""

from __future__ import annotations

from math import inf, nan

from .admission import admit
from .columns import QUEUE_FULL, QUOTA, SERVED, WAITING, Buckets, Column, Pool, Tasks
from .drr import Rules, State, begin, fruitless, put, take
from .heaps import sift_down, sift_up


def simulate(
    n: int,
    tenants: int,
    workers: int,
    limited: int,
    tasks: Tasks,
    buckets: Buckets,
    rules: Rules,
    state: State,
    pool: Pool,
    start_s: Column,
    outcome: Column,
) -> int:
    """Run `n` tasks; fill `start_s` (NaN if not served) and `outcome` (int8).

    If `limited` is 1, buckets decide who is let in. Returns the fruitless visits of a round-robin
    scan. These disciplines never leave a worker idle while a task is queued, so each event lets one
    task start at most; and which of two workers that finish at one instant comes first makes no
    difference to them.
    """
    if limited == 1:
        for t in range(tenants):
            buckets.full_s[t], buckets.taken[t] = 0.0, 0.0
    for worker in range(workers):
        pool.order[worker] = worker
    begin(tenants, rules, state)
    finish_s, order, busy = pool.finish_s, pool.order, 0
    for arriving in range(n + 1):
        now = tasks.arrival_s[arriving] if arriving < n else inf
        while busy > 0 and finish_s[order[0]] <= now:
            worker = order[0]
            task = take(tasks, rules, state)
            if task >= 0:
                outcome[task], start_s[task] = SERVED, finish_s[worker]
                finish_s[worker] += tasks.cost_s[task]
            else:
                busy -= 1
                order[0], order[busy] = order[busy], worker
            if busy > 0:
                sift_down(order, busy, 0, finish_s)
        if arriving == n:
            break
        start_s[arriving], outcome[arriving] = nan, WAITING
        if limited == 1 and not admit(tasks.tenant[arriving], now, buckets):
            outcome[arriving] = QUOTA
        elif not put(arriving, tasks, rules, state):
            outcome[arriving] = QUEUE_FULL
        elif busy < workers:
            task = take(tasks, rules, state)
            outcome[task], start_s[task] = SERVED, now
            finish_s[order[busy]] = now + tasks.cost_s[task]
            sift_up(order, busy, finish_s)
            busy += 1
    return fruitless(state)
