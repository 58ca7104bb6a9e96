"""Queues as linked lists."""

from __future__ import annotations

from .columns import State


def pop(queue: int, state: State) -> int:
    """Remove and return the first task of a queue."""
    task = state.head[queue]
    state.head[queue] = state.behind[task]
    state.length[queue] -= 1
    return int(task)
