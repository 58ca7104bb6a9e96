"""Queues whose heads are in a heap by rank, as policies.queues.RankedQueues."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .columns import Column
from .heaps import sift_down, sift_up
from .queues import Queues, append, pop, queues_for, remove


class Heads(NamedTuple):
    """A queue a tenant, and the heads of those that are not empty."""

    queues: Queues
    rank: Column  # by task, of those that are a head
    heap: Column  # int64: the heads, by rank
    size: Column  # int64: how many they are


def heads_for(queues: int, tasks: int) -> Heads:
    """Return memory for so many queues and tasks."""
    heap, size = np.empty(queues, dtype=np.int64), np.empty(1, dtype=np.int64)
    return Heads(queues_for(queues, tasks), np.empty(tasks), heap, size)


def empty(queues: int, heads: Heads) -> None:
    """Empty all queues."""
    for q in range(queues):
        heads.queues.length[q] = 0
    heads.size[0] = 0


def enqueue(task: int, queue: int, rank: float, heads: Heads) -> None:
    """Put a task at the end of a queue; `rank` counts if it is the head."""
    append(task, queue, heads.queues)
    if heads.queues.length[queue] == 1:
        rank_head(task, rank, heads)


def rank_head(task: int, rank: float, heads: Heads) -> None:
    """Put the head of a queue among the heads."""
    heads.rank[task] = rank
    heads.heap[heads.size[0]] = task
    sift_up(heads.heap, heads.size[0], heads.rank)
    heads.size[0] += 1


def drop(task: int, queue: int, heads: Heads) -> bool:
    """Take a task out of its queue; True if that has another head now, which is to `rank_head`."""
    first = heads.queues.head[queue] == task
    remove(task, queue, heads.queues)
    if not first:
        return False
    at = 0
    while heads.heap[at] != task:
        at += 1
    heads.size[0] -= 1
    if at < heads.size[0]:
        heads.heap[at] = heads.heap[heads.size[0]]
        sift_down(heads.heap, heads.size[0], at, heads.rank)
        sift_up(heads.heap, at, heads.rank)
    return bool(heads.queues.length[queue] > 0)


def dequeue(queue: int, rank: float, heads: Heads) -> None:
    """Remove the first head, which is that of `queue`; the next in its queue has this rank."""
    pop(queue, heads.queues)
    if heads.queues.length[queue] > 0:
        head = heads.queues.head[queue]
        heads.rank[head] = rank
        heads.heap[0] = head
    else:
        heads.size[0] -= 1
        heads.heap[0] = heads.heap[heads.size[0]]
    if heads.size[0] > 0:
        sift_down(heads.heap, heads.size[0], 0, heads.rank)


def raise_first(rank: float, heads: Heads) -> None:
    """Give the first head a rank that is no less than its own."""
    heads.rank[heads.heap[0]] = rank
    sift_down(heads.heap, heads.size[0], 0, heads.rank)
