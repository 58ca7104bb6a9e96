"""The event loop where clients react, the pool changes, or a discipline asks to be woken.

As `simulate`, with more kinds of events. At one instant they come in this order: the pool changes;
services end, in the order in which they began; clients leave; tasks of the workload arrive, in its
order; tasks come again or follow others, in the order of their numbers; the discipline is woken.
After each event idle workers take tasks as long as the discipline gives any.

A client that leaves during a service does not end it: the worker goes on for nobody. So one task
can be served several times, for attempts whose clients are gone; only the last attempt counts.
"""

from __future__ import annotations

import inspect
from bisect import insort
from copy import copy
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..policies.policy import Policy
from ..policies.tasks import REJECTED, Outcome, Tasks, no_rejection
from ..traffic.clients import jitter_key, uniform
from ..traffic.pool import Pool
from ..traffic.workload import Workload

MOST_WORKERS = 2**53
"""More are as many as ever: so that their number is exact in both tiers."""
MOST_WAKES = 1_000_000
"""How often in a row a discipline may be woken in vain while nothing else is to come."""


class Happened(NamedTuple):
    """What became of the tasks of a workload; columns go by its own task numbers.

    `order` and `came_s` say which tasks came, and when for the first time; the rows of `wasted` are
    services for nobody: (task, start_s, finish_s).
    """

    start_s: NDArray[np.float64]
    answer_s: NDArray[np.float64]
    outcome: NDArray[np.int8]
    attempts: NDArray[np.int64]
    order: NDArray[np.int64]
    came_s: NDArray[np.float64]
    wasted: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
    idle_while_queued_s: float
    fruitless_visits: int


ABSENT, QUEUED, RUNNING, AWAY, DONE = range(5)
"""Where a task is; AWAY until it comes again."""


@dataclass(frozen=True)
class Service:
    """One worker's work on a task."""

    task: int
    number: int
    start_s: float
    finish_s: float
    worker: int  # -1 where nobody asks


def steps_of(pool: int | Pool) -> list[tuple[float, int]]:
    """Return when the pool changes, the beginning included, and to which size."""
    steps = pool.steps if isinstance(pool, Pool) else ((0.0, pool),)
    return [(from_s, min(workers, MOST_WORKERS)) for from_s, workers in steps]


def needed(workload: Workload, policy: Policy, pool: int | Pool) -> bool:
    """Tell whether a run has events that `simulate` does not know."""
    return (
        not workload.open_loop
        or workload.width is not None
        or isinstance(pool, Pool)
        or hasattr(policy.discipline, "wake_at")
        or asks_for_a_worker(policy.discipline)
    )


def asks_for_a_worker(discipline: Any) -> bool:
    """Tell whether a discipline wants to know which worker it gives a task to."""
    take = discipline.take
    code = getattr(take, "__code__", None)
    if code is not None:  # a hundred times faster than a signature
        return "worker" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    try:
        return "worker" in inspect.signature(take).parameters
    except (TypeError, ValueError):  # a callable without a signature
        return False


def run(workload: Workload, policy: Policy, pool: int | Pool) -> Happened:
    """Run the loop over the policy's own methods."""
    loop = Loop(workload, policy, pool)
    loop.run()
    return loop.happened()


def wrong(gave: str) -> ValueError:
    """Return the error for a task that a discipline should not have given, and the likely cause."""
    return ValueError(
        f"discipline gave {gave}; was state kept outside begin(), which starts each run?"
    )


def woken_in_vain() -> ValueError:
    """Return the error for a discipline that wants to be asked for ever."""
    return ValueError(
        f"wake_at must come to an end; it gave {MOST_WAKES:,} times in a row, and no task was "
        "given, while nothing else was to come"
    )


class Loop:
    """One run, event by event."""

    def __init__(self, workload: Workload, policy: Policy, pool: int | Pool) -> None:
        n, horizon_s = len(workload), workload.horizon_s
        self.steps = steps_of(pool)
        self.cost_s, self.tenant = workload.cost_s.tolist(), workload.tenant.tolist()
        self.width = _listed(workload.width, n, 1)
        self.patience_s = _listed(workload.patience_s, n, inf)
        self.retry = workload.retry or [None] * len(workload.tenants)
        self.key, self.horizon_s = jitter_key(workload.seed), horizon_s
        follows, self.think_s = _listed(workload.follows, n, -1), _listed(workload.think_s, n, 0.0)
        self.followers: dict[int, list[int]] = {}
        for task, before in enumerate(follows):
            self.followers.setdefault(before, []).append(task)
        self.open = self.followers.pop(-1, [])
        self.arrival_s = workload.arrival_s.tolist()

        tasks = Tasks(
            workload.tenants,
            workload.weight.tolist(),
            self.tenant,
            workload.estimate_s.tolist(),
            [] if workload.label is None else workload.label.tolist(),
            workload.labels,
            max(workers for _, workers in self.steps),
            _listed(workload.ingress, 0, 0),
        )
        self.discipline: Any = copy(policy.discipline)
        self.admission: Any = copy(policy.admission)
        self.discipline.begin(tasks)
        if self.admission is not None:
            self.admission.begin(tasks)
        self.by_worker = asks_for_a_worker(self.discipline)
        if self.by_worker and workload.width is not None:
            raise ValueError(
                "width must not be given where a discipline asks which worker it is; got "
                f"{self.discipline!r}"
            )
        self.wakes = hasattr(self.discipline, "wake_at")

        self.outcome = bytearray([Outcome.WAITING]) * n
        self.place, self.stale = [ABSENT] * n, [0] * n  # stale: entries of those who left
        self.attempts, self.wait_s = [0] * n, [0.0] * n
        self.start_s, self.answer_s = [nan] * n, [nan] * n
        self.service = [-1] * n  # the number of the service that its client waits for
        self.running: list[tuple[float, int, Service]] = []
        self.leaving: list[tuple[float, int]] = []  # when a client leaves, task
        self.coming: list[tuple[float, int]] = []  # when a task comes, again or after another one
        self.order: list[int] = []
        self.came_s: list[float] = []
        self.wasted: list[tuple[int, float, float]] = []
        self.size, self.queued, self.started, self.idle_s, self.now = 0, 0, 0, 0.0, 0.0
        # in order, the workers without a task; they are told apart only where somebody asks
        self.free = list(range(tasks.workers)) if self.by_worker else []
        self.at_work = 0  # workers
        self.head: int | None = None  # a task that was taken and does not fit yet
        self.wake_s, self.woken = inf, 0

    def run(self) -> None:
        """Go from event to event until nothing more is to come."""
        arriving, step = 0, 0
        while True:
            while self.leaving and self.place[self.leaving[0][1]] == DONE:
                heappop(self.leaving)
            open_s = self.arrival_s[self.open[arriving]] if arriving < len(self.open) else inf
            when = (
                self.steps[step][0] if step < len(self.steps) else inf,
                self.running[0][0] if self.running else inf,
                self.leaving[0][0] if self.leaving else inf,
                open_s,
                self.coming[0][0] if self.coming else inf,
                self.wake_s,
            )
            now = min(when)
            if now == inf:
                break
            if self.queued:
                self.idle_s += (now - self.now) * max(self.size - self.at_work, 0)
            self.now, kind = now, when.index(now)
            self.woken = self.woken + 1 if kind == 5 and when.count(inf) == 5 else 0
            if self.woken > MOST_WAKES:
                raise woken_in_vain()
            if kind == 0:
                self.size = self.steps[step][1]
                step += 1
            elif kind == 1:
                self.end(heappop(self.running)[2])
            elif kind == 2:
                self.leave(heappop(self.leaving)[1])
            elif kind == 3:
                self.arrive(self.open[arriving])
                arriving += 1
            elif kind == 4:
                self.arrive(heappop(self.coming)[1])
            self.dispatch()
        if self.queued and self.now < self.horizon_s:
            self.idle_s += (self.horizon_s - self.now) * self.size

    def arrive(self, task: int) -> None:
        """Let a task be admitted and queued, or turned away."""
        now = self.now
        if self.attempts[task] == 0:
            self.order.append(task)
            self.came_s.append(now)
        self.attempts[task] += 1
        turned_away_by = self.admission
        reason = None if self.admission is None else self.admission.admit(task, now)
        if reason is None:
            turned_away_by = self.discipline
            reason = self.discipline.put(task, now)
        if reason is None:
            self.place[task] = QUEUED
            self.queued += 1
            if self.patience_s[task] < inf:
                heappush(self.leaving, (now + self.patience_s[task], task))
            return
        if not any(reason is known for known in REJECTED):
            raise no_rejection(reason, task)
        self.again(task, reason, turned_away_by)

    def leave(self, task: int) -> None:
        """Let a client give a task up, in the queue or in service."""
        if self.place[task] == QUEUED:
            self.queued -= 1
            if task == self.head:  # given already: it ends without a beginning
                self.head = None
                if hasattr(self.discipline, "finished"):
                    self.discipline.finished(task, 0.0, self.now)
            elif hasattr(self.discipline, "abandoned"):
                self.discipline.abandoned(task, self.now)
            else:
                self.stale[task] += 1
        else:
            self.service[task], self.start_s[task] = -1, nan
        self.again(task, Outcome.ABANDONED, None)

    def again(self, task: int, reason: Outcome, turned_away_by: Any) -> None:
        """Let a task come again after a while, or not."""
        retry = self.retry[self.tenant[task]]
        if retry is None or self.attempts[task] >= retry.attempts:
            self.outcome[task] = reason
            self.answered(task)
            return
        if self.attempts[task] == 1:
            wait_s = min(float(retry.backoff_s), float(retry.most_s))
        else:
            wait_s = min(self.wait_s[task] * retry.factor, float(retry.most_s))
        self.wait_s[task] = wait_s
        if retry.jitter > 0:
            wait_s *= 1.0 - retry.jitter * uniform(self.key, task, self.attempts[task])
        told = getattr(turned_away_by, "retry_after_s", None) if retry.retry_after else None
        after_s = 0.0 if told is None else told(task, self.now, max(self.size, 1))
        self.place[task] = AWAY
        heappush(self.coming, (self.now + after_s + wait_s, task))

    def answered(self, task: int) -> None:
        """Close a task, and let those come that follow it."""
        self.place[task], self.answer_s[task] = DONE, self.now
        for follower in self.followers.get(task, ()):
            due_s = self.now + self.think_s[follower]
            if due_s <= self.horizon_s:
                heappush(self.coming, (due_s, follower))

    def end(self, service: Service) -> None:
        """End a service: its client has its answer, or is gone."""
        task = service.task
        self.at_work -= self.width[task]
        if self.by_worker:
            insort(self.free, service.worker)
        if self.service[task] == service.number:
            self.outcome[task] = Outcome.SERVED
            self.answered(task)
        else:
            self.wasted.append((task, service.start_s, service.finish_s))
        if hasattr(self.discipline, "finished"):
            self.discipline.finished(task, self.cost_s[task], self.now)

    def dispatch(self) -> None:
        """Let idle workers take tasks."""
        if self.by_worker:
            for worker in list(self.free):
                if self.at_work < self.size and (task := self.take(worker)) is not None:
                    self.free.remove(worker)
                    self.start(task, worker)
        else:
            while self.at_work < self.size:
                task = self.take(None) if self.head is None else self.head
                self.head = task
                if task is None or self.width[task] > self.size - self.at_work:
                    break
                self.head = None
                self.start(task, -1)
        self.wake_s = inf
        if self.wakes and self.queued and self.at_work < self.size and self.head is None:
            wake_s = self.discipline.wake_at(self.now)
            if wake_s is not None:
                if not wake_s > self.now:
                    raise ValueError(
                        f"wake_at must be None or a time after now, {self.now:g}; got {wake_s!r}"
                    )
                self.wake_s = wake_s

    def take(self, worker: int | None) -> int | None:
        """Ask the discipline for a task whose client is still there."""
        while True:
            if worker is None:
                task = self.discipline.take(self.now)
            else:
                task = self.discipline.take(self.now, worker)
            if task is None:
                return None
            try:
                if task < 0:
                    raise wrong(f"task {task}, which was not waiting")
                if self.stale[task]:
                    self.stale[task] -= 1
                    continue
                if self.place[task] != QUEUED:
                    early = self.place[task] == ABSENT
                    raise wrong(
                        f"task {task} before it arrived"
                        if early
                        else f"task {task}, which was not waiting"
                    )
            except (IndexError, TypeError):
                raise wrong(f"{task!r}, which is no task") from None
            return int(task)

    def start(self, task: int, worker: int) -> None:
        """Begin a service."""
        now, finish_s = self.now, self.now + self.cost_s[task] / self.width[task]
        self.at_work += self.width[task]
        self.place[task], self.start_s[task] = RUNNING, now
        self.service[task] = self.started
        service = Service(task, self.started, now, finish_s, worker)
        heappush(self.running, (finish_s, self.started, service))
        self.started += 1
        self.queued -= 1
        self.woken = 0

    def happened(self) -> Happened:
        """Return the columns."""
        task, start_s, finish_s = zip(*self.wasted, strict=True) if self.wasted else ([], [], [])
        return Happened(
            np.array(self.start_s),
            np.array(self.answer_s),
            np.frombuffer(self.outcome, dtype=np.int8),
            np.array(self.attempts, dtype=np.int64),
            np.array(self.order, dtype=np.int64),
            np.array(self.came_s),
            (np.array(task, dtype=np.int64), np.array(start_s), np.array(finish_s)),
            self.idle_s,
            getattr(self.discipline, "fruitless_visits", 0),
        )


def _listed(column: NDArray[Any] | None, n: int, default: Any) -> list[Any]:
    return [default] * n if column is None else column.tolist()
