"""Fair queueing in a tree, as policies.hierarchy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._count import count
from ...policies.hierarchy import HierarchicalFairQueueing
from ...policies.tasks import Tasks as Known
from ...traffic.workload import Workload
from .columns import Column, Tasks
from .queues import Queues, append, pop, queues_for, remove


class Rules(NamedTuple):
    """The discipline in numbers; the tenants are the first nodes, the root is the last."""

    cap: int  # most tasks of one tenant that wait
    nodes: int
    parent: Column  # int64, by node: -1 for the root
    weight: Column  # by node
    first: Column  # int64, by node: where its children have their places in `State.heap`
    inverse_share: Column  # by tenant, as policies.tasks.Tasks.inverse_shares


class State(NamedTuple):
    """The queues by tenant, and by node how far it is."""

    queues: Queues
    end_s: Column
    virtual_s: Column
    start_s: Column  # start tag among its siblings
    turn: Column  # int64: when it got that, for ties
    size: Column  # int64: how many of its children are backlogged
    heap: Column  # int64: those of one node after those of another, by start tag and turn
    turns: Column  # int64, one item


def obstacle(discipline: HierarchicalFairQueueing, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None, as it can."""
    return None


def rules_of(discipline: HierarchicalFairQueueing, known: Known, n: int) -> Rules:
    """Put a discipline into numbers, for `n` tasks."""
    leaves, groups = discipline.tree(known)
    nodes = [*leaves, *reversed(groups)]  # the root comes first among the groups
    number = {id(node): i for i, node in enumerate(nodes)}
    parent = [-1 if node.parent is None else number[id(node.parent)] for node in nodes]
    children = count(parent[:-1], len(nodes))
    return Rules(
        n if discipline.cap is None else min(discipline.cap, n),
        len(nodes),
        np.array(parent, dtype=np.int64),
        np.array([node.weight for node in nodes], dtype=np.float64),
        np.cumsum(children) - children,
        np.array(known.inverse_shares()),
    )


def state_for(rules: Rules, n: int, tenants: int) -> State:
    """Return memory for a run."""
    end_s, virtual_s, start_s = np.empty((3, rules.nodes))
    turn, size, heap = np.empty((3, rules.nodes), dtype=np.int64)
    turns = np.empty(1, dtype=np.int64)
    return State(queues_for(tenants, n), end_s, virtual_s, start_s, turn, size, heap, turns)


def begin(tenants: int, rules: Rules, state: State) -> None:
    """Start with empty queues at virtual time 0 everywhere."""
    for t in range(tenants):
        state.queues.length[t] = 0
    for node in range(rules.nodes):
        state.end_s[node], state.virtual_s[node], state.size[node] = 0.0, 0.0, 0
    state.turns[0] = 0


def before(one: int, other: int, state: State) -> bool:
    """Tell whether a node is served before its sibling."""
    if state.start_s[one] != state.start_s[other]:
        return bool(state.start_s[one] < state.start_s[other])
    return bool(state.turn[one] < state.turn[other])


def rise(node: int, at: int, first: int, state: State) -> None:
    """Put a node into its parent's heap at this place, or farther up where it belongs."""
    while at > 0:
        above = state.heap[first + (at - 1) // 2]
        if before(above, node, state):
            break
        state.heap[first + at] = above
        at = (at - 1) // 2
    state.heap[first + at] = node


def sink(node: int, at: int, size: int, first: int, state: State) -> None:
    """Put a node into its parent's heap at this place, or farther down where it belongs."""
    while 2 * at + 1 < size:
        child = 2 * at + 1
        other = child + 1
        if other < size and before(state.heap[first + other], state.heap[first + child], state):
            child = other
        if before(node, state.heap[first + child], state):
            break
        state.heap[first + at] = state.heap[first + child]
        at = child
    state.heap[first + at] = node


def in_turn(node: int, start_s: float, state: State) -> None:
    """Give a node a start tag; ties go to whoever got it first."""
    state.turns[0] += 1
    state.start_s[node], state.turn[node] = start_s, state.turns[0]


def put(task: int, tasks: Tasks, rules: Rules, state: State) -> bool:
    """Append the task to its tenant's queue; False if that is full."""
    node = tasks.tenant[task]
    if state.queues.length[node] >= rules.cap:
        return False
    append(task, node, state.queues)
    asleep = state.queues.length[node] == 1
    while asleep and rules.parent[node] >= 0:
        parent = rules.parent[node]
        asleep = state.size[parent] == 0
        in_turn(node, max(state.virtual_s[parent], state.end_s[node]), state)
        rise(node, state.size[parent], rules.first[parent], state)
        state.size[parent] += 1
        node = parent
    return True


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Go down from the root by the least start tag, and take the head of that queue; -1 if none."""
    node = rules.nodes - 1
    if state.size[node] == 0:
        return -1
    while state.size[node] > 0:
        child = state.heap[rules.first[node]]
        state.virtual_s[node] = state.start_s[child]
        node = child
    task = pop(node, state.queues)
    backlogged = state.queues.length[node] > 0
    while rules.parent[node] >= 0:
        parent = rules.parent[node]
        state.end_s[node] = state.virtual_s[parent] + tasks.estimate_s[task] / rules.weight[node]
        first = rules.first[parent]
        if backlogged:
            in_turn(node, state.end_s[node], state)
            sink(node, 0, state.size[parent], first, state)
        else:
            state.size[parent] -= 1
            if state.size[parent] > 0:
                last = state.heap[first + state.size[parent]]
                sink(last, 0, state.size[parent], first, state)
        backlogged = state.size[parent] > 0
        node = parent
    return task


def abandoned(task: int, now: float, tasks: Tasks, rules: Rules, state: State) -> None:
    """Take a task out of its queue; a node without any sleeps."""
    node = tasks.tenant[task]
    remove(task, node, state.queues)
    asleep = state.queues.length[node] == 0
    while asleep and rules.parent[node] >= 0:
        parent = rules.parent[node]
        first, at = rules.first[parent], 0
        while state.heap[first + at] != node:
            at += 1
        state.size[parent] -= 1
        if at < state.size[parent]:
            last = state.heap[first + state.size[parent]]
            sink(last, at, state.size[parent], first, state)
            rise(state.heap[first + at], at, first, state)
        asleep = state.size[parent] == 0
        node = parent


def retry_after_s(
    task: int, now: float, workers: int, tasks: Tasks, rules: Rules, state: State
) -> float:
    """Return how long the tenant's queue is expected to last, if all tenants are backlogged."""
    t = tasks.tenant[task]
    queued_s = state.queues.length[t] * tasks.estimate_s[task]
    return float(queued_s * rules.inverse_share[t] / workers)


def fruitless(state: State) -> int:
    """Return the visits that served nobody: there are no visits."""
    return 0
