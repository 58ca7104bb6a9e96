"""The event loop where clients react or the pool changes, as engine.events.

`compiled.build` makes one of each discipline, as of `pool`; what else a discipline may have is in
`optional`, and what stands before it in `holding`.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from ..events import MOST_WAKES
from .admission import admit, refill_s
from .columns import ABANDONED, QUEUE_FULL, QUOTA, SERVED, WAITING, Buckets, Column, Steps, Tasks
from .drr import Rules, State, begin, fruitless
from .heaps import sift_down, sift_down_by, sift_up, sift_up_by
from .holding import (
    Hold,
    hold_abandoned,
    hold_begin,
    hold_finished,
    hold_put,
    hold_retry_after_s,
    hold_take,
)
from .optional import BY_WORKER, wake_at
from .streams import splitmix64


class Clients(NamedTuple):
    """How clients behave, as traffic.clients; columns that a run does not need are empty."""

    leave: int  # 1: patience_s counts
    come_again: int  # 1: the columns by tenant count
    follow: int  # 1: the columns of followers count
    wide: int  # 1: width counts
    horizon_s: float
    key: Any  # uint64, of the jitter
    patience_s: Column  # by task
    attempts: Column  # int64, by tenant, as the next five
    backoff_s: Column
    factor: Column
    most_s: Column
    jitter: Column
    told: Column  # int64: 1 to wait first as long as the rejection says
    follower: Column  # int64, by task: the first one that follows it, or -1
    next_follower: Column  # int64, by task: the next one that follows the same, or -1
    think_s: Column  # by task
    width: Column  # int64, by task: workers that it needs at once


class Crew(NamedTuple):
    """The workers; all by worker."""

    finish_s: Column
    number: Column  # int64: the how-many-eth service it is
    task: Column  # int64
    begun_s: Column
    order: Column  # int64: heap of the busy ones by finish_s and number, then the idle ones


class Course(NamedTuple):
    """How far each task has got; all by task."""

    place: Column  # int64: ABSENT, QUEUED, RUNNING, AWAY or DONE
    wait_s: Column  # the last wait before it came again
    service: Column  # int64: number of the service that its client waits for; -1 for none
    leave_s: Column  # when its client leaves
    leaving: Column  # int64, heap by leave_s
    come_s: Column  # when it comes, again or after another one
    coming: Column  # int64, heap by come_s


class Outputs(NamedTuple):
    """What becomes of the tasks."""

    start_s: Column
    answer_s: Column
    outcome: Column  # int8
    attempts: Column  # int64
    order: Column  # int64: tasks in order of their first arrival
    came_s: Column  # the times of these
    wasted_task: Column  # int64: services for nobody
    wasted_start_s: Column
    wasted_finish_s: Column
    idle_s: Column  # one: worker-seconds idle while something was queued
    tally: Column  # int64, TALLY


ABSENT, QUEUED, RUNNING, AWAY, DONE = 0, 1, 2, 3, 4
(
    *(BUSY, AT_WORK, HEAD, SIZE, IN_QUEUE, STARTED, LEAVING, COMING, CAME, WASTED, FULL, WAKES),
    TALLY,
) = range(13)
NO_ROOM, WOKEN_IN_VAIN, WOKEN_TOO_EARLY = -1, -2, -3


def simulate_events(
    n: int,
    tenants: int,
    workers: int,
    steps: int,
    limited: int,
    room: int,
    tasks: Tasks,
    follows: Column,
    clients: Clients,
    sizes: Steps,
    buckets: Buckets,
    rules: Rules,
    state: State,
    hold: Hold,
    crew: Crew,
    course: Course,
    out: Outputs,
) -> int:
    """Run `n` tasks; return the fruitless visits, or what is wrong, below 0.

    `workers` is the size of `crew`: the largest of the pool, or as many as can be at work at once.
    `room` is how many services for nobody can be noted.
    """
    tally = out.tally
    for i in range(TALLY):
        tally[i] = 0
    tally[HEAD] = -1  # a task that was taken and does not fit yet
    if limited == 1:
        for t in range(tenants):
            buckets.full_s[t], buckets.taken[t] = 0.0, 0.0
    for worker in range(workers):
        crew.order[worker] = worker
    for task in range(n):
        out.start_s[task], out.answer_s[task], out.outcome[task] = nan, nan, WAITING
        out.attempts[task], course.place[task], course.service[task] = 0, ABSENT, -1
    out.idle_s[0] = 0.0
    begin(tenants, rules, state)
    hold_begin(tenants, hold)
    arriving, step, last_s, wake_s = 0, 0, 0.0, inf
    while True:
        while arriving < n and clients.follow == 1 and follows[arriving] >= 0:
            arriving += 1
        while tally[LEAVING] > 0 and course.place[course.leaving[0]] == DONE:
            pop_heap(course.leaving, LEAVING, course.leave_s, tally)
        now, kind, others = inf, -1, 0
        if step < steps:
            now, kind, others = sizes.from_s[step], 0, 1
        if tally[BUSY] > 0:
            others = 1
            if crew.finish_s[crew.order[0]] < now:
                now, kind = crew.finish_s[crew.order[0]], 1
        if tally[LEAVING] > 0:
            others = 1
            if course.leave_s[course.leaving[0]] < now:
                now, kind = course.leave_s[course.leaving[0]], 2
        if arriving < n:
            others = 1
            if tasks.arrival_s[arriving] < now:
                now, kind = tasks.arrival_s[arriving], 3
        if tally[COMING] > 0:
            others = 1
            if course.come_s[course.coming[0]] < now:
                now, kind = course.come_s[course.coming[0]], 4
        if wake_s < now:
            now, kind = wake_s, 5
        if kind < 0:
            break
        if tally[IN_QUEUE] > 0:
            out.idle_s[0] += (now - last_s) * max(tally[SIZE] - tally[AT_WORK], 0)
        last_s = now
        tally[WAKES] = tally[WAKES] + 1 if kind == 5 and others == 0 else 0
        if tally[WAKES] > MOST_WAKES:
            return WOKEN_IN_VAIN
        if kind == 0:
            tally[SIZE] = sizes.workers[step]
            step += 1
        elif kind == 1:
            end_service(now, room, tasks, clients, rules, state, hold, crew, course, out)
            if tally[FULL] == 1:
                return NO_ROOM
        elif kind == 2:
            task = pop_heap(course.leaving, LEAVING, course.leave_s, tally)
            leave(task, now, tasks, clients, buckets, rules, state, hold, course, out)
        elif kind == 3:
            arrive(arriving, now, limited, tasks, clients, buckets, rules, state, hold, course, out)
            arriving += 1
        elif kind == 4:
            task = pop_heap(course.coming, COMING, course.come_s, tally)
            arrive(task, now, limited, tasks, clients, buckets, rules, state, hold, course, out)
        dispatch(now, workers, tasks, clients, rules, state, hold, crew, course, out)
        wake_s = inf
        if tally[IN_QUEUE] > 0 and tally[AT_WORK] < tally[SIZE] and tally[HEAD] < 0:
            wake_s = wake_at(now, tasks, rules, state)
            if not wake_s > now:
                return WOKEN_TOO_EARLY
    if tally[IN_QUEUE] > 0 and last_s < clients.horizon_s:
        out.idle_s[0] += (clients.horizon_s - last_s) * tally[SIZE]
    return fruitless(state)


def push_heap(item: int, heap: Column, size: int, key: Column, tally: Column) -> None:
    """Put an item into a heap whose size is ``tally[size]``."""
    heap[tally[size]] = item
    sift_up(heap, tally[size], key)
    tally[size] += 1


def pop_heap(heap: Column, size: int, key: Column, tally: Column) -> int:
    """Remove and return the first item of such a heap."""
    item = heap[0]
    tally[size] -= 1
    heap[0] = heap[tally[size]]
    if tally[size] > 0:
        sift_down(heap, tally[size], 0, key)
    return int(item)


def arrive(
    task: int,
    now: float,
    limited: int,
    tasks: Tasks,
    clients: Clients,
    buckets: Buckets,
    rules: Rules,
    state: State,
    hold: Hold,
    course: Course,
    out: Outputs,
) -> None:
    """Let a task be admitted and queued, or turned away."""
    if out.attempts[task] == 0:
        out.order[out.tally[CAME]], out.came_s[out.tally[CAME]] = task, now
        out.tally[CAME] += 1
    out.attempts[task] += 1
    if limited == 1 and not admit(tasks.tenant[task], now, buckets):
        again(task, now, QUOTA, tasks, clients, buckets, rules, state, hold, course, out)
    elif not hold_put(task, now, tasks, rules, state, hold):
        again(task, now, QUEUE_FULL, tasks, clients, buckets, rules, state, hold, course, out)
    else:
        course.place[task] = QUEUED
        out.tally[IN_QUEUE] += 1
        if clients.leave == 1 and clients.patience_s[task] < inf:
            course.leave_s[task] = now + clients.patience_s[task]
            push_heap(task, course.leaving, LEAVING, course.leave_s, out.tally)


def leave(
    task: int,
    now: float,
    tasks: Tasks,
    clients: Clients,
    buckets: Buckets,
    rules: Rules,
    state: State,
    hold: Hold,
    course: Course,
    out: Outputs,
) -> None:
    """Let a client give a task up, in the queue or in service."""
    if course.place[task] == QUEUED:
        out.tally[IN_QUEUE] -= 1
        if out.tally[HEAD] == task:  # given already: it ends without a beginning
            out.tally[HEAD] = -1
            hold_finished(task, 0.0, now, tasks, rules, state, hold)
        else:
            hold_abandoned(task, now, tasks, rules, state, hold)
    else:
        course.service[task], out.start_s[task] = -1, nan
    again(task, now, ABANDONED, tasks, clients, buckets, rules, state, hold, course, out)


def again(
    task: int,
    now: float,
    reason: int,
    tasks: Tasks,
    clients: Clients,
    buckets: Buckets,
    rules: Rules,
    state: State,
    hold: Hold,
    course: Course,
    out: Outputs,
) -> None:
    """Let a task come again after a while, or not."""
    t = tasks.tenant[task]
    if clients.come_again == 0 or out.attempts[task] >= clients.attempts[t]:
        out.outcome[task] = reason
        answered(task, now, clients, course, out)
        return
    if out.attempts[task] == 1:
        wait_s = min(clients.backoff_s[t], clients.most_s[t])
    else:
        wait_s = min(course.wait_s[task] * clients.factor[t], clients.most_s[t])
    course.wait_s[task] = wait_s
    if clients.jitter[t] > 0.0:
        wait_s *= 1.0 - clients.jitter[t] * jitter_of(task, out.attempts[task], clients.key)
    after_s = 0.0
    if clients.told[t] == 1:
        if reason == QUOTA:
            after_s = refill_s(t, now, buckets)
        elif reason == QUEUE_FULL:
            workers = max(out.tally[SIZE], 1)
            after_s = hold_retry_after_s(task, now, workers, tasks, rules, state, hold)
    course.place[task] = AWAY
    course.come_s[task] = now + after_s + wait_s
    push_heap(task, course.coming, COMING, course.come_s, out.tally)


def jitter_of(task: int, attempt: int, key: Any) -> float:
    """Return a variate in [0, 1), as traffic.clients.uniform."""
    word = splitmix64(splitmix64(key + np.uint64(task)) + np.uint64(attempt))
    return float(word >> np.uint64(11)) * 2.0**-53


def answered(task: int, now: float, clients: Clients, course: Course, out: Outputs) -> None:
    """Close a task, and let those come that follow it."""
    course.place[task], out.answer_s[task] = DONE, now
    if clients.follow == 1:
        follower = clients.follower[task]
        while follower >= 0:
            due_s = now + clients.think_s[follower]
            if due_s <= clients.horizon_s:
                course.come_s[follower] = due_s
                push_heap(follower, course.coming, COMING, course.come_s, out.tally)
            follower = clients.next_follower[follower]


def end_service(
    now: float,
    room: int,
    tasks: Tasks,
    clients: Clients,
    rules: Rules,
    state: State,
    hold: Hold,
    crew: Crew,
    course: Course,
    out: Outputs,
) -> None:
    """End the next service: its client has its answer, or is gone."""
    tally = out.tally
    worker = crew.order[0]
    tally[BUSY] -= 1
    crew.order[0], crew.order[tally[BUSY]] = crew.order[tally[BUSY]], worker
    if tally[BUSY] > 0:
        sift_down_by(crew.order, tally[BUSY], 0, crew.finish_s, crew.number)
    task = crew.task[worker]
    tally[AT_WORK] -= clients.width[task] if clients.wide == 1 else 1
    if course.service[task] == crew.number[worker]:
        out.outcome[task] = SERVED
        answered(task, now, clients, course, out)
    elif tally[WASTED] == room:
        tally[FULL] = 1
        return
    else:
        at = tally[WASTED]
        out.wasted_task[at] = task
        out.wasted_start_s[at], out.wasted_finish_s[at] = crew.begun_s[worker], now
        tally[WASTED] += 1
    hold_finished(task, tasks.cost_s[task], now, tasks, rules, state, hold)


def dispatch(
    now: float,
    workers: int,
    tasks: Tasks,
    clients: Clients,
    rules: Rules,
    state: State,
    hold: Hold,
    crew: Crew,
    course: Course,
    out: Outputs,
) -> None:
    """Let idle workers take tasks."""
    tally = out.tally
    if BY_WORKER == 1:
        for worker in range(workers):
            if tally[AT_WORK] >= tally[SIZE]:
                break
            place = tally[BUSY]
            while place < workers and crew.order[place] != worker:
                place += 1
            if place < workers:
                task = hold_take(now, worker, tasks, rules, state, hold)
                if task >= 0:
                    crew.order[place] = crew.order[tally[BUSY]]
                    crew.order[tally[BUSY]] = worker
                    start_service(task, now, tasks, clients, crew, course, out)
    else:
        while tally[AT_WORK] < tally[SIZE]:
            task = tally[HEAD]
            if task < 0:
                task = hold_take(now, -1, tasks, rules, state, hold)
            tally[HEAD] = task
            if task < 0:
                break
            if clients.wide == 1 and clients.width[task] > tally[SIZE] - tally[AT_WORK]:
                break
            tally[HEAD] = -1
            start_service(task, now, tasks, clients, crew, course, out)


def start_service(
    task: int, now: float, tasks: Tasks, clients: Clients, crew: Crew, course: Course, out: Outputs
) -> None:
    """Let the first idle worker begin a service."""
    tally = out.tally
    course.place[task], out.start_s[task] = RUNNING, now
    course.service[task] = tally[STARTED]
    worker = crew.order[tally[BUSY]]
    crew.number[worker], crew.task[worker] = tally[STARTED], task
    width = clients.width[task] if clients.wide == 1 else 1
    crew.begun_s[worker], crew.finish_s[worker] = now, now + tasks.cost_s[task] / width
    sift_up_by(crew.order, tally[BUSY], crew.finish_s, crew.number)
    tally[BUSY] += 1
    tally[AT_WORK] += width
    tally[STARTED] += 1
    tally[IN_QUEUE] -= 1
    tally[WAKES] = 0
