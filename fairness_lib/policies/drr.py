"""Deficit round robin: a queue for every tenant, served in turn and charged by cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, inf

from .. import _check
from .tasks import Outcome, Tasks

LEAST_QUANTUM_S = 1e-9


@dataclass(slots=True, eq=False)
class Flow:
    """One tenant's queue in a round-robin scan, and its account.

    Its deficit is ``left_s + visits * quantum_s``: what its last service left over, and a whole
    number of quanta since. So many visits at once are exactly as good as one by one.
    """

    quantum_s: float
    queue: deque[int] = field(default_factory=deque)
    left_s: float = 0.0
    visits: int = 0

    def visits_until(self, cost_s: float) -> int:
        """Return how many more visits it takes until the deficit covers `cost_s`."""
        visits = ceil((cost_s - self.left_s) / self.quantum_s)
        while self.left_s + visits * self.quantum_s < cost_s:  # mend the rounding of the division
            visits += 1
        while self.left_s + (visits - 1) * self.quantum_s >= cost_s:
            visits -= 1
        return visits - self.visits


@dataclass
class DeficitRoundRobin:
    """A queue for every tenant, served in rounds and charged by cost (Shreedhar, Varghese 1995).

    Each visit adds a quantum to the tenant's deficit; its head is served while the deficit
    covers the head's estimated cost. What is left carries over as long as the tenant is
    backlogged, and is forfeited when its queue empties.

    Parameters
    ----------
    quantum_s : float
        Worker-seconds added a visit and unit of weight; at least a nanosecond.
    cap : int or None
        Most tasks of one tenant that may wait; None for no limit.
    weights : mapping of str to float, optional
        Weights by tenant name in place of the tenants' own.
    """

    quantum_s: float = 0.010
    cap: int | None = 200
    weights: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        _check.number("quantum_s", self.quantum_s, least=LEAST_QUANTUM_S)
        if self.cap is not None:
            _check.whole("cap", self.cap)
        self.weights = _check.weights(self.weights)

    def quanta(self, tasks: Tasks) -> list[float]:
        """Return each tenant's quantum in worker-seconds: `quantum_s` times its weight."""
        weights = tasks.by_tenant("weights", self.weights)
        quantum_s = float(self.quantum_s)
        quanta = [quantum_s * weight for weight in weights]
        if min(quanta) < LEAST_QUANTUM_S or max(quanta) == inf:
            for name, quantum in zip(tasks.tenants, quanta, strict=True):
                _check.number(f"quantum_s * weight of {name!r}", quantum, least=LEAST_QUANTUM_S)
        return quanta

    def begin(self, tasks: Tasks) -> None:
        """Start with empty queues and no deficit."""
        self._estimate_s = tasks.estimate_s
        self._tenant = tasks.tenant
        self._limit = inf if self.cap is None else self.cap
        self.flows = [Flow(quantum) for quantum in self.quanta(tasks)]
        self._active: deque[Flow] = deque()  # the backlogged ones; the first has its turn
        self.fruitless_visits = 0  # turns that served nobody, skipped ones included

    def put(self, task: int, now: float) -> Outcome | None:
        """Append the task to its tenant's queue, or reject it if that is full."""
        flow = self.flows[self._tenant[task]]
        queue = flow.queue
        if not queue:
            self._active.append(flow)
            if flow is self._active[0]:
                flow.visits += 1
        elif len(queue) >= self._limit:
            return Outcome.QUEUE_FULL
        queue.append(task)
        return None

    def take(self, now: float) -> int | None:
        """Give the head of the first tenant, in turn, that can pay for it."""
        active = self._active
        # a turn without a visit on account has served already: it is not in vain
        in_vain = -1 if active and not active[0].visits else 0
        while active:
            flow = active[0]
            cost_s = self._estimate_s[flow.queue[0]]
            deficit_s = flow.left_s + flow.visits * flow.quantum_s
            if cost_s <= deficit_s:
                if in_vain > 0:
                    self.fruitless_visits += in_vain
                task = flow.queue.popleft()
                flow.left_s, flow.visits = deficit_s - cost_s, 0
                if not flow.queue:  # forfeit, and the next turn begins
                    flow.left_s = 0.0
                    active.popleft()
                    if active:
                        active[0].visits += 1
                return task
            active.rotate(-1)
            in_vain += 1
            if in_vain == 2 * len(active):  # two whole rounds; more go at once
                self._skip_rounds()
            active[0].visits += 1
        return None

    def abandoned(self, task: int, now: float) -> None:
        """Take a task out of its queue; one that is empty then leaves the round, as when served."""
        flow = self.flows[self._tenant[task]]
        flow.queue.remove(task)
        if not flow.queue:
            flow.left_s, flow.visits = min(flow.left_s, 0.0), 0
            had_its_turn = flow is self._active[0]
            self._active.remove(flow)
            if had_its_turn and self._active:
                self._active[0].visits += 1

    def retry_after_s(self, task: int, now: float, workers: int) -> float:
        """Return how long the tenant's queue is expected to last, as long as others are backlogged.

        That is at its share of the moment, and if its tasks cost what this one does.
        """
        flow, round_s = self.flows[self._tenant[task]], 0.0
        for other in self._active:
            round_s += other.quantum_s
        rounds = len(flow.queue) * self._estimate_s[task] / flow.quantum_s
        return rounds * round_s / workers

    def _skip_rounds(self) -> None:
        """Go at once through the rounds in which no deficit would reach its head's cost."""
        rounds = min(flow.visits_until(self._estimate_s[flow.queue[0]]) for flow in self._active)
        for flow in self._active:
            flow.visits += rounds - 1
        self.fruitless_visits += (rounds - 1) * len(self._active)
