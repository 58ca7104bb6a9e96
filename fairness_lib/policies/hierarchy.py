"""Fair queueing in a tree: between organisations, then their users, then the users' workflows."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace
from math import inf
from typing import Any

from .. import _check
from .tasks import Outcome, Tasks

SEPARATOR = "/"


@dataclass(slots=True, eq=False)
class Node:
    """A tenant, or a group of them, that takes part in its parent's sharing."""

    weight: float
    parent: Node | None
    end_s: float = 0.0  # in the parent's virtual time, of the last task below that was taken
    virtual_s: float = 0.0
    backlogged: list[tuple[float, int, Any]] = field(default_factory=list)  # children, by start tag
    queue: deque[int] = field(default_factory=deque)


@dataclass(kw_only=True)
class HierarchicalFairQueueing:
    """Start-time fair queueing at every node of a tree (Goyal, Vin and Cheng 1996, section 3).

    A tenant's name is its path: ``acme/ann/nightly`` is a workflow of user ann of acme. Each node
    shares what it gets among its backlogged children by weight, so that who splits into many keys
    below one node gains nothing outside it.

    Parameters
    ----------
    cap : int or None
        Most tasks of one tenant, a leaf of the tree, that may wait; None for no limit.
    weights : mapping of str to float, optional
        Weights by path. A leaf has its tenant's own weight otherwise, a group 1.
    """

    cap: int | None = 200
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.cap is not None:
            _check.whole("cap", self.cap)
        self.weights = _check.weights(self.weights)

    def tree(self, tasks: Tasks) -> tuple[list[Node], list[Node]]:
        """Return each tenant's leaf, and the groups, the root first and parents before children."""
        weights = self.weights or {}
        root = Node(1.0, None)
        groups = {"": root}
        leaves = []
        for tenant, own in zip(tasks.tenants, tasks.weight, strict=True):
            parts = tenant.split(SEPARATOR)
            node = root
            for depth in range(1, len(parts)):
                path = SEPARATOR.join(parts[:depth])
                if path not in groups:
                    groups[path] = Node(weights.get(path, 1.0), node)
                node = groups[path]
            leaves.append(Node(weights.get(tenant, own), node))
        both = set(groups) & set(tasks.tenants)
        if both:
            raise ValueError(f"tenants: {min(both)!r} is both a tenant and a group of others")
        unknown = set(weights) - set(groups) - set(tasks.tenants)
        if unknown:
            raise ValueError(
                f"weights names {min(unknown)!r}, which is neither a tenant nor a group of them"
            )
        return leaves, list(groups.values())

    def begin(self, tasks: Tasks) -> None:
        """Grow the tree; start with empty queues at virtual time 0 everywhere."""
        self._tenant, self._estimate_s = tasks.tenant, tasks.estimate_s
        self._limit = inf if self.cap is None else self.cap
        self._inverse_share = tasks.inverse_shares()
        self._sequence = 0  # of turns, for ties
        self._leaves, (self._root, *_) = self.tree(tasks)

    def put(self, task: int, now: float) -> Outcome | None:
        """Append the task to its tenant's queue, or reject it if that is full."""
        node = self._leaves[self._tenant[task]]
        if len(node.queue) >= self._limit:
            return Outcome.QUEUE_FULL
        node.queue.append(task)
        asleep = len(node.queue) == 1
        while asleep and node.parent is not None:
            parent = node.parent
            asleep = not parent.backlogged
            start_s = max(parent.virtual_s, node.end_s)
            heappush(parent.backlogged, (start_s, self._turn(), node))
            node = parent
        return None

    def take(self, now: float) -> int | None:
        """Go down from the root by the least start tag, and give the head of that queue."""
        if not self._root.backlogged:
            return None
        node = self._root
        while node.backlogged:
            start_s, _, child = node.backlogged[0]
            node.virtual_s = start_s
            node = child
        task = node.queue.popleft()
        cost_s = self._estimate_s[task]
        while node.parent is not None:
            parent = node.parent
            node.end_s = parent.virtual_s + cost_s / node.weight
            if node.queue or node.backlogged:
                heapreplace(parent.backlogged, (node.end_s, self._turn(), node))
            else:
                heappop(parent.backlogged)
            node = parent
        return task

    def abandoned(self, task: int, now: float) -> None:
        """Take a task out of its queue; a node without any sleeps."""
        node = self._leaves[self._tenant[task]]
        node.queue.remove(task)
        while node.parent is not None and not (node.queue or node.backlogged):
            siblings = node.parent.backlogged
            siblings[:] = [turn for turn in siblings if turn[2] is not node]
            heapify(siblings)
            node = node.parent

    def retry_after_s(self, task: int, now: float, workers: int) -> float:
        """Return how long the tenant's queue is expected to last, if all tenants are backlogged.

        That is at the rate that its weight alone would give it, without its groups.
        """
        tenant = self._tenant[task]
        queued_s = len(self._leaves[tenant].queue) * self._estimate_s[task]
        return queued_s * self._inverse_share[tenant] / workers

    def _turn(self) -> int:
        self._sequence += 1
        return self._sequence
