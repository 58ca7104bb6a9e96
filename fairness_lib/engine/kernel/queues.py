"""Queues as linked lists."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .columns import Column


class Queues(NamedTuple):
    """Any number of queues, over one column of tasks."""

    head: Column  # int64, by queue: its first task
    tail: Column  # int64, by queue: its last task
    length: Column  # int64, by queue
    behind: Column  # int64, by task: the next one in its queue


def queues_for(queues: int, tasks: int) -> Queues:
    """Return memory for so many queues and tasks."""
    head, tail, length = np.empty((3, queues), dtype=np.int64)
    return Queues(head, tail, length, np.empty(tasks, dtype=np.int64))


def append(task: int, queue: int, queues: Queues) -> None:
    """Put a task at the end of a queue."""
    if queues.length[queue] == 0:
        queues.head[queue] = task
    else:
        queues.behind[queues.tail[queue]] = task
    queues.tail[queue] = task
    queues.length[queue] += 1


def pop(queue: int, queues: Queues) -> int:
    """Remove and return the first task of a queue."""
    task = queues.head[queue]
    queues.head[queue] = queues.behind[task]
    queues.length[queue] -= 1
    return int(task)


def remove(task: int, queue: int, queues: Queues) -> None:
    """Take a task out of its queue, wherever it is: found at once if it is the first one."""
    if queues.head[queue] == task:
        pop(queue, queues)
        return
    before = queues.head[queue]
    while queues.behind[before] != task:
        before = queues.behind[before]
    queues.behind[before] = queues.behind[task]
    if queues.tail[queue] == task:
        queues.tail[queue] = before
    queues.length[queue] -= 1
