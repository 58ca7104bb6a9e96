"""What is timed: policies, engines, scenarios of several sizes, and how results are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import process_time

import numpy as np

from fairness_lib import (
    Burst,
    Outcome,
    Policy,
    Run,
    Scenario,
    Tenant,
    Workload,
    drr,
    fifo,
    simulate,
)
from fairness_lib.engine import compiled

from .others import Result, nspy_drr, simpy_resource, simpy_workers

QUANTUM_S, WORKERS = 0.010, 8
SIZES = (25, 241, 2_401, 24_001)


def scenario(tenants: int = 25, length: int = 1) -> Scenario:
    """Return the article's scenario with more, smaller tenants, or longer, at the same load."""
    k = (tenants - 1) // 24
    heavy = Tenant("heavy", 400.0, bursts=(Burst(20.0 * length, 40.0 * length, 5.0),))
    mid = [Tenant(f"mid{i}", 60.0 / k) for i in range(4 * k)]
    small = [Tenant(f"small{i}", 5.0 / k) for i in range(20 * k)]
    return Scenario((heavy, *mid, *small), WORKERS, 60.0 * length)


@dataclass(frozen=True)
class Case:
    """One policy and pool, by name."""

    name: str
    cap: int | None
    quantum_s: float | None
    workers: int

    def policy(self) -> Policy:
        if self.quantum_s is None:
            return fifo(cap=self.cap)
        return drr(quantum_s=self.quantum_s, cap=self.cap)


FIFO = Case("FIFO", 2000, None, WORKERS)
DRR = Case("DRR", 200, QUANTUM_S, WORKERS)
ONE_FAST_WORKER = Case("DRR, one worker 8 times as fast, no cap", None, QUANTUM_S / WORKERS, 1)


def workload(case: Case, tenants: int, length: int) -> Workload:
    """Draw the arrivals; ns.py has one server, so that tasks take an eighth of the time."""
    made = compiled.generate(scenario(tenants, length), seed=1)
    if case.workers == WORKERS:
        return made
    cost_s = made.cost_s * case.workers / WORKERS
    return Workload(made.tenants, made.arrival_s, made.tenant, cost_s, made.horizon_s)


def ours(engine: str, work: Workload, case: Case) -> Run:
    return simulate(work, case.policy(), case.workers, engine=engine)


def theirs(
    model: Callable[[Workload, int | None, float | None, int], Result], work: Workload, case: Case
) -> Result:
    return model(work, case.cap, case.quantum_s, case.workers)


READABLE, COMPILED = partial(ours, "readable"), partial(ours, "compiled")
ENGINES: dict[Case, dict[str, Callable]] = {
    FIFO: {
        "compiled": COMPILED,
        "readable": READABLE,
        "SimPy, worker processes": partial(theirs, simpy_workers),
        "SimPy, Resource": partial(theirs, simpy_resource),
    },
    DRR: {
        "compiled": COMPILED,
        "readable": READABLE,
        "SimPy, worker processes": partial(theirs, simpy_workers),
    },
    ONE_FAST_WORKER: {
        "compiled": COMPILED,
        "readable": READABLE,
        "ns.py, DRRServer": partial(theirs, nspy_drr),
    },
}


def agreement(run: Run, other: Run | Result, same_schedule: bool) -> str:
    """Check that another engine's results are these, as far as the model allows, and say how far.

    ns.py goes round all tenants in the order of their numbers, idle or not; the schedule is
    another one of the same discipline. What a work-conserving server has done by the end, and
    what each tenant got of it, is not.
    """
    if isinstance(other, Run):
        assert run.start_s.tobytes() == other.start_s.tobytes()
        assert run.outcome.tobytes() == other.outcome.tobytes()
        assert run.fruitless_visits == other.fruitless_visits
        return "every start and outcome, bit for bit"
    start_s, finish_s, rejected = other
    assert np.array_equal(rejected, run.outcome == Outcome.QUEUE_FULL)
    served = run.served
    assert np.array_equal(~np.isnan(start_s), served)
    if same_schedule:
        np.testing.assert_allclose(start_s[served], run.start_s[served], rtol=0, atol=1e-9)
        return "every start and rejection, within 1 ns"
    np.testing.assert_allclose(finish_s.max(), run.finish_s.max(), rtol=1e-9)
    apart = float(np.abs(start_s - run.start_s).max())
    assert apart < 0.5
    return f"the last finish, within 1 ppb; starts within {1e3 * apart:.0f} ms"


def cpu_s(work: Callable[[], object], least_s: float = 0.5, most: int = 30) -> float:
    """CPU time of a call in seconds: the least of several, since others only ever add to it."""
    times: list[float] = []
    while not times or (sum(times) < least_s and len(times) < most):
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)
