"""Waits and queues over time, as `measures.timeline`."""

from __future__ import annotations

from math import floor, nan
from typing import NamedTuple

from .columns import QUEUE_FULL, SERVED, Column, Tasks
from .measures import select


class Timeline(NamedTuple):
    """A step after the other for each group in turn, and memory to find it."""

    wait_s: Column  # quantile of the waits of those that arrived in the step; NaN if none
    waiting: Column  # int64: tasks that wait when the step ends
    waits: Column  # by task
    first: Column  # int64, one more than groups


def timeline(
    n: int,
    groups: int,
    steps: int,
    step_s: float,
    q: float,
    tasks: Tasks,
    group: Column,
    start_s: Column,
    outcome: Column,
    found: Timeline,
) -> int:
    """Fill `wait_s` and `waiting`; `group` says whose group a tenant is in. Returns 0."""
    waits, first, waiting = found.waits, found.first, found.waiting
    for cell in range(groups * steps):
        found.wait_s[cell], waiting[cell] = nan, 0
    low = 0
    while low < n:
        step, high = min(floor(tasks.arrival_s[low] / step_s), steps - 1), low
        for g in range(groups + 1):
            first[g] = 0
        while high < n and min(floor(tasks.arrival_s[high] / step_s), steps - 1) == step:
            g = group[tasks.tenant[high]]
            if outcome[high] == SERVED:
                first[g + 1] += 1
            if outcome[high] < QUEUE_FULL:  # it waits: in this step, and no more when it starts
                waiting[g * steps + step] += 1
                if outcome[high] == SERVED:
                    until = floor(start_s[high] / step_s)
                    if until < steps:
                        waiting[g * steps + until] -= 1
            high += 1
        for g in range(groups):
            first[g + 1] += first[g]
        for task in range(low, high):
            if outcome[task] == SERVED:
                g = group[tasks.tenant[task]]
                waits[low + first[g]] = start_s[task] - tasks.arrival_s[task]
                first[g] += 1
        begin = low
        for g in range(groups):  # now `first` is where a group's waits end
            end = low + first[g]
            found.wait_s[g * steps + step] = select(waits, begin, end, q)
            begin = end
        low = high
    for g in range(groups):
        for step in range(1, steps):
            waiting[g * steps + step] += waiting[g * steps + step - 1]
    return 0


def state_costs(n: int, tasks: Tasks, stated: Column, estimate_s: Column) -> int:
    """Fill in what tenants say that tasks cost: so many times the truth. Returns 0."""
    for task in range(n):
        estimate_s[task] = tasks.cost_s[task] * stated[tasks.tenant[task]]
    return 0
