"""A log of every decision that a discipline takes, recorded while the engine runs it.

The discipline that is watched is the readable one, as it is: its queues are put in place of
queues that tell when something is about to leave them, so that each visit of deficit round robin
is seen with the very deficit that decides it. Times and costs are in seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ..engine.simulate import Run, simulate
from ..policies.drr import DeficitRoundRobin, Flow
from ..policies.fifo import Fifo
from ..policies.policy import Policy
from ..policies.tasks import Outcome, Tasks
from ..traffic.workload import Workload

QUEUED, REJECTED, SERVED, IDLE = "queued", "rejected", "served", "idle"
ENDED, PASSED = "ended", "passed"


@dataclass(frozen=True)
class Step:
    """One decision, why it was taken, and how things stand after it.

    Attributes
    ----------
    now_s : float
        When it was taken.
    kind : str
        ``queued`` or ``rejected`` for an arrival; ``served`` or ``idle`` for an idle worker; under
        deficit round robin also ``passed``, a turn that served nobody, and ``ended``, the end of
        one that did.
    tenant, task : int or None
        Whom and what it was about.
    why : str
        The reason, with its numbers.
    queues : tuple of tuple of int
        Tasks that wait, head first: one queue for FIFO, one for each tenant for DRR.
    deficit_s : tuple of float
        Each tenant's deficit; empty for FIFO.
    turn : int or None
        The tenant whose turn it is.
    workers : tuple of (int or None)
        The task that each worker serves.
    """

    now_s: float
    kind: str
    tenant: int | None
    task: int | None
    why: str
    queues: tuple[tuple[int, ...], ...]
    deficit_s: tuple[float, ...]
    turn: int | None
    workers: tuple[int | None, ...]


class Watched(deque[Any]):
    """A queue that calls back before its first item leaves it or goes to its end."""

    def __init__(self, leaving: Callable[[], None], turning: Callable[[], None]) -> None:
        super().__init__()
        self._leaving, self._turning = leaving, turning

    def popleft(self) -> Any:
        """Tell, then remove and return the first item."""
        self._leaving()
        return super().popleft()

    def rotate(self, n: int = 1) -> None:
        """Tell, then move the first item to the end."""
        self._turning()
        super().rotate(n)


def nothing() -> None:
    """Do nothing."""


@dataclass
class Recorder:
    """A discipline that does what `inner` does, and keeps a log of it in `steps`."""

    inner: Fifo | DeficitRoundRobin
    workload: Workload
    workers: int
    steps: list[Step] = field(default_factory=list)

    def begin(self, tasks: Tasks) -> None:
        """Begin the run, with queues that can be watched."""
        self.inner = copy(self.inner)
        self.inner.begin(tasks)
        self._pool: list[int | None] = [None] * self.workers
        self._freed = 0
        self._deficit_s = 0.0
        if isinstance(self.inner, DeficitRoundRobin):
            self.inner._active = Watched(nothing, self._passing)
            for flow in self.inner.flows:
                flow.queue = Watched(partial(self._serving, flow), nothing)

    @property
    def fruitless_visits(self) -> int:
        """Turns that served nobody, as the discipline counts them."""
        return getattr(self.inner, "fruitless_visits", 0)

    def put(self, task: int, now: float) -> Outcome | None:
        """Queue or reject a task, and log it."""
        reason = self.inner.put(task, now)
        who, cost = self._name(task), _ms(self.workload.cost_s[task])
        if reason is None:
            self._log(now, QUEUED, task, f"{who} arrives; it costs {cost}. It joins the queue.")
        else:
            whose = "the queue" if isinstance(self.inner, Fifo) else "its tenant's queue"
            text = f"{who} arrives, but {whose} holds {self.inner.cap} tasks already: rejected."
            self._log(now, REJECTED, task, text)
        return reason

    def take(self, now: float) -> int | None:
        """Give an idle worker its next task, and log it and the turns before it."""
        self._now = now
        task = self.inner.take(now)
        worker = self._freed if self._pool[self._freed] is None else self._pool.index(None)
        if task is None:
            if self.steps[-1].now_s < now:
                self._log(now, IDLE, None, f"Worker {worker + 1} is idle: nobody waits.")
            return None
        self._pool[worker] = task
        if isinstance(self.inner, Fifo):
            why = f"{self._name(task)} arrived first: worker {worker + 1} takes it."
        else:
            why = self._why_served(task, worker)
        self._log(now, SERVED, task, why)
        return task

    def finished(self, task: int, cost_s: float, now: float) -> None:
        """Free the task's worker, which is the next to be asked; what it takes is logged."""
        self._freed = self._pool.index(task)
        self._pool[self._freed] = None

    def _serving(self, flow: Flow) -> None:
        self._deficit_s = flow.left_s + flow.visits * flow.quantum_s

    def _passing(self) -> None:
        """Log a turn that serves nobody, while the deficit that was too small still stands."""
        assert isinstance(self.inner, DeficitRoundRobin)
        flow = self.inner._active[0]
        deficit_s = flow.left_s + flow.visits * flow.quantum_s
        task = flow.queue[0]
        has, cost = _ms(deficit_s), _ms(self.workload.estimate_s[task])
        kind, whose = (PASSED, "") if flow.visits else (ENDED, "still ")
        why = (
            f"{whose}{self._tenant(task)}'s turn: its deficit of {has} does not cover the {cost} "
            f"of {self._name(task)}. It keeps {has}, and the turn passes on."
        )
        why = why[0].upper() + why[1:] if whose else why
        self._log(self._now, kind, task, why)

    def _why_served(self, task: int, worker: int) -> str:
        tenant = int(self.workload.tenant[task])
        cost_s = float(self.workload.estimate_s[task])
        assert isinstance(self.inner, DeficitRoundRobin)
        left = _ms(self._deficit_s - cost_s)
        if self.inner.flows[tenant].queue:
            end = f"It keeps {left}."
        elif left == _ms(0.0):
            end = "Its queue is empty now."
        else:
            end = f"Its queue is empty now, so it forfeits the {left} left over."
        return (
            f"{self._tenant(task)}'s turn: its deficit of {_ms(self._deficit_s)} covers the "
            f"{_ms(cost_s)} of {self._name(task)}, which worker {worker + 1} takes. {end}"
        )

    def _log(self, now: float, kind: str, task: int | None, why: str) -> None:
        tenant = None if task is None else int(self.workload.tenant[task])
        if isinstance(self.inner, Fifo):
            queues: tuple[tuple[int, ...], ...] = (tuple(self.inner._queue),)
            deficit_s: tuple[float, ...] = ()
            turn = None
        else:
            flows, active = self.inner.flows, self.inner._active
            queues = tuple(tuple(flow.queue) for flow in flows)
            deficit_s = tuple(flow.left_s + flow.visits * flow.quantum_s for flow in flows)
            turn = next((i for i, f in enumerate(flows) if active and f is active[0]), None)
        if kind in (SERVED, PASSED, ENDED):
            turn = tenant if deficit_s else None
        pool = tuple(self._pool)
        self.steps.append(Step(now, kind, tenant, task, why, queues, deficit_s, turn, pool))

    def _tenant(self, task: int) -> str:
        return str(self.workload.tenants[self.workload.tenant[task]])

    def _name(self, task: int) -> str:
        return f"{self._tenant(task)} {number_of(self.workload, task)}"


def number_of(workload: Workload, task: int) -> int:
    """Return which of its tenant's tasks a task is, counted from 1."""
    return int((workload.tenant[: task + 1] == workload.tenant[task]).sum())


def record(workload: Workload, policy: Policy, workers: int) -> tuple[list[Step], Run]:
    """Run a workload under FIFO or DRR, and return the log of its decisions and the run.

    Parameters
    ----------
    workload : Workload
        A small one: every arrival, service and turn becomes a step.
    policy : Policy
        One whose discipline is `Fifo` or `DeficitRoundRobin`.
    workers : int
        Size of the pool.

    Raises
    ------
    TypeError
        If the policy has another discipline.

    Examples
    --------
    >>> from fairness_lib import Workload, fifo
    >>> w = Workload(["a"], [0.0, 0.0], [0, 0], [0.010, 0.010], horizon_s=1)
    >>> steps, run = record(w, fifo(), workers=1)
    >>> [step.kind for step in steps]
    ['queued', 'served', 'queued', 'served', 'idle']
    """
    if type(policy.discipline) not in (Fifo, DeficitRoundRobin):
        raise TypeError(f"policy must be FIFO or deficit round robin; got {policy.discipline!r}")
    recorder = Recorder(policy.discipline, workload, workers)  # type: ignore[arg-type]
    run = simulate(workload, replace(policy, discipline=recorder), workers)
    return recorder.steps, run


def _ms(seconds: float) -> str:
    return f"{round(1e3 * seconds, 3):g} ms"
