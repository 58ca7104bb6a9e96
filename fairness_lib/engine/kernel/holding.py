"""An in-flight limit before the discipline, as policies.in_flight; made once for each discipline.

Without one (`Hold.on` is 0) these functions are the discipline's own.
"""

from __future__ import annotations

from typing import NamedTuple

from .columns import Column, Tasks
from .drr import Rules, State
from .optional import abandoned, finished, put_at, retry_after_s, take_at
from .queues import Queues, append, pop, remove


class Hold(NamedTuple):
    """Who may have how many tasks in flight; columns of nobody if it is not on."""

    on: int
    cap: int  # most tasks of a tenant that are held back
    limit: Column  # int64, by tenant
    in_flight: Column  # int64, by tenant
    held: Queues  # by tenant
    inside: Column  # int64, by task: 1 if the discipline has it
    ready: Queues  # one queue, of tenants that may have a task to be let through
    is_ready: Column  # int64, by tenant


def hold_begin(tenants: int, hold: Hold) -> None:
    """Start with nothing in flight."""
    if hold.on == 1:
        hold.ready.length[0] = 0
        for t in range(tenants):
            hold.in_flight[t], hold.held.length[t], hold.is_ready[t] = 0, 0, 0


def hold_put(task: int, now: float, tasks: Tasks, rules: Rules, state: State, hold: Hold) -> bool:
    """Let a task through, or hold it back; False if there is no place for it."""
    if hold.on == 0:
        return put_at(task, now, tasks, rules, state)
    t = tasks.tenant[task]
    if hold.held.length[t] == 0 and hold.in_flight[t] < hold.limit[t]:
        if not put_at(task, now, tasks, rules, state):
            return False
        hold.inside[task] = 1
        hold.in_flight[t] += 1
        return True
    if hold.held.length[t] >= hold.cap:
        return False
    hold.inside[task] = 0
    append(task, t, hold.held)
    return True


def hold_take(now: float, worker: int, tasks: Tasks, rules: Rules, state: State, hold: Hold) -> int:
    """Let through what may be, and take a task; -1 if there is none."""
    if hold.on == 1:
        ready, held = hold.ready, hold.held
        while ready.length[0] > 0:
            t = ready.head[0]
            if held.length[t] > 0 and hold.in_flight[t] < hold.limit[t]:
                task = held.head[t]
                if not put_at(task, now, tasks, rules, state):
                    break
                pop(t, held)
                hold.inside[task] = 1
                hold.in_flight[t] += 1
                append(pop(0, ready), 0, ready)
            else:
                pop(0, ready)
                hold.is_ready[t] = 0
    return take_at(now, worker, tasks, rules, state)


def hold_less(t: int, hold: Hold) -> None:
    """Count a task out, and let the tenant's next one be let through."""
    hold.in_flight[t] -= 1
    if hold.held.length[t] > 0 and hold.is_ready[t] == 0:
        append(t, 0, hold.ready)
        hold.is_ready[t] = 1


def hold_finished(
    task: int,
    cost_s: float,
    now: float,
    tasks: Tasks,
    rules: Rules,
    state: State,
    hold: Hold,
) -> None:
    """Hear that a service has ended."""
    if hold.on == 1:
        hold_less(tasks.tenant[task], hold)
    finished(task, cost_s, now, tasks, rules, state)


def hold_abandoned(
    task: int, now: float, tasks: Tasks, rules: Rules, state: State, hold: Hold
) -> None:
    """Forget a queued task, held back or let through."""
    if hold.on == 1 and hold.inside[task] == 0:
        remove(task, tasks.tenant[task], hold.held)
        return
    abandoned(task, now, tasks, rules, state)
    if hold.on == 1:
        hold_less(tasks.tenant[task], hold)


def hold_retry_after_s(
    task: int,
    now: float,
    workers: int,
    tasks: Tasks,
    rules: Rules,
    state: State,
    hold: Hold,
) -> float:
    """Return how long the client of a task that was just rejected had better wait."""
    if hold.on == 1:
        t = tasks.tenant[task]
        if hold.held.length[t] > 0:
            lasts_s = hold.held.length[t] * tasks.estimate_s[task]
            return float(lasts_s / min(hold.limit[t], workers))
    return retry_after_s(task, now, workers, tasks, rules, state)
