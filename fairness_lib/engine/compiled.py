"""The compiled tier: the functions of `kernel`, compiled by numba, behind the records of the book.

numba is imported, and the kernel compiled, when something is computed here for the first time:
some seconds, or well under one once the result is in numba's cache on disk (beside the module,
or in the user's cache folder). Where no folder can be written, it is compiled in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from math import inf, sqrt
from pkgutil import iter_modules
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _check
from ..policies.admission import Quota
from ..policies.drr import LEAST_QUANTUM_S, DeficitRoundRobin
from ..policies.fifo import Fifo
from ..policies.policy import Policy
from ..policies.tasks import Outcome, Tasks
from ..traffic.scenario import Scenario
from ..traffic.service_times import Bimodal, Deterministic, Exponential
from ..traffic.streams import tenant_key
from ..traffic.workload import Workload
from . import kernel

ENTRIES = ("generate", "simulate", "measure", "idle_while_queued")
MOST_VISITS = 2.0**62
KINDS = {
    Exponential: kernel.EXPONENTIAL,
    Deterministic: kernel.DETERMINISTIC,
    Bimodal: kernel.BIMODAL,
}


def installed() -> bool:
    """Tell whether numba is there, without importing it."""
    return find_spec("numba") is not None


def loaded() -> bool:
    """Tell whether this process has paid for compiling already."""
    return functions.cache_info().currsize > 0


def build(decorate: Callable[[FunctionType], Any]) -> dict[str, Any]:
    """Return the kernel's functions by name, each decorated, calling each other so."""
    parts = [
        import_module(part.name) for part in iter_modules(kernel.__path__, f"{kernel.__name__}.")
    ]
    made: dict[str, Any] = {name: value for part in parts for name, value in vars(part).items()}
    for part in parts:
        for name, plain in vars(part).items():
            if isinstance(plain, FunctionType) and plain.__module__ == part.__name__:
                made[name] = decorate(FunctionType(plain.__code__, made, name))
    return made


@cache
def functions() -> dict[str, Any]:
    """Compile the kernel, or find it in numba's cache."""
    from . import native

    made = build(native.function)
    return made | {name: native.entry(made[name], name) for name in ENTRIES}


def obstacle(policy: Policy, workload: Workload) -> str | None:
    """Say why the compiled tier cannot run this policy; None if it can.

    Only exactly the library's own classes are built in: a subclass may do anything.
    """
    if not installed():
        return "numba is not installed (pip install numba)"
    discipline, admission = policy.discipline, policy.admission
    if type(discipline) not in (Fifo, DeficitRoundRobin):
        return f"{type(discipline).__name__} is not one of its disciplines"
    if admission is not None and type(admission) is not Quota:
        return f"{type(admission).__name__} is not one of its admissions"
    if isinstance(discipline, DeficitRoundRobin):
        lightest = min(workload.weight.min(), *(discipline.weights or {}).values(), inf)
        least_s = max(float(discipline.quantum_s * lightest), LEAST_QUANTUM_S)
        rounds = workload.estimate_s.sum() / least_s + len(workload)
        if rounds * len(workload.tenants) > MOST_VISITS:
            return "so small a quantum needs more visits than it can count"
    return None


def simulate(
    workload: Workload, policy: Policy, workers: int
) -> tuple[NDArray[np.float64], NDArray[np.int8], int]:
    """Run a workload; return start_s, outcome and the number of fruitless visits."""
    n, tenants = len(workload), len(workload.tenants)
    rules, state = _rules(workload, policy, workers), _state(n, tenants, min(workers, n))
    start_s, outcome = np.empty(n), np.empty(n, dtype=np.int8)
    run = functions()["simulate"]
    fruitless = run(n, tenants, _tasks(workload), rules, state, start_s, outcome)
    return start_s, outcome, int(fruitless)


def generate(scenario: Scenario, seed: int) -> Workload:
    """Draw the same tasks as ``scenario.workload(seed)``, faster if all its costs are built in."""
    if not all(type(tenant.service_time) in KINDS for tenant in scenario.tenants):
        return scenario.workload(seed)
    _check.seed("seed", seed)
    sources, expected = _sources(scenario)
    word, tenants = np.uint64(seed), len(scenario.tenants)
    draws = kernel.Draws(
        arrivals=np.empty(4 * tenants, dtype=np.uint64),
        costs=np.empty(4 * tenants, dtype=np.uint64),
        unit=np.empty(tenants),
        mass=np.empty(tenants),
        piece=np.empty(tenants, dtype=np.int64),
        next_s=np.empty(tenants),
        heap=np.empty(tenants, dtype=np.int64),
    )
    n, room = -1, int(expected + 6 * sqrt(expected)) + 64
    while n < 0:
        arrival_s, tenant, cost_s = np.empty(room), np.empty(room, dtype=np.int64), np.empty(room)
        draw = functions()["generate"]
        n = draw(word, tenants, sources, draws, room, arrival_s, tenant, cost_s)
        room *= 2
    names, weight = zip(*((t.name, t.weight) for t in scenario.tenants), strict=True)
    return Workload(names, arrival_s[:n], tenant[:n], cost_s[:n], scenario.horizon_s, weight)


def measure(
    workload: Workload,
    start_s: NDArray[np.float64],
    outcome: NDArray[np.int8],
    workers: int,
    window: tuple[float, float],
    by_arrival: bool,
) -> tuple[int, kernel.Report]:
    """Return what is wrong with the window (0 for nothing), and the kernel's report."""
    n, tenants = len(workload), len(workload.tenants)
    report = kernel.Report(
        arrived=np.empty(tenants, dtype=np.int64),
        completed=np.empty(tenants, dtype=np.int64),
        outcomes=np.empty(tenants * len(Outcome), dtype=np.int64),
        fair_share_per_s=np.empty(tenants),
        x=np.empty(tenants),
        wait_s=np.empty(tenants * kernel.QUANTILES),
        scalars=np.empty(kernel.SCALARS),
    )
    scratch = kernel.Scratch(
        wait_s=np.empty(n),
        first=np.empty(tenants + 1, dtype=np.int64),
        order=np.empty(tenants, dtype=np.int64),
        asked=np.empty(tenants),
        sharing=np.empty(tenants),
    )
    asked = kernel.Window(workers, workload.horizon_s, *window, int(by_arrival))
    look = functions()["measure"]
    wrong = look(
        n, tenants, _tasks(workload), workload.weight, start_s, outcome, asked, report, scratch
    )
    return int(wrong), report


def idle_while_queued_s(
    entered_s: NDArray[np.float64],
    start_s: NDArray[np.float64],
    finish_s: NDArray[np.float64],
    workers: int,
) -> float:
    """Worker-seconds idle while something was queued, from columns each in order."""
    look = functions()["idle_while_queued"]
    return float(look(len(entered_s), len(start_s), workers, entered_s, start_s, finish_s))


def _tasks(workload: Workload) -> kernel.Tasks:
    return kernel.Tasks(workload.arrival_s, workload.tenant, workload.cost_s, workload.estimate_s)


def _rules(workload: Workload, policy: Policy, workers: int) -> kernel.Rules:
    """Put a built-in policy into numbers."""
    n, tenants = len(workload), workload.tenants
    discipline, admission = policy.discipline, policy.admission
    assert isinstance(discipline, Fifo | DeficitRoundRobin)
    quantum_s = rate_per_s = burst = np.zeros(len(tenants))
    if isinstance(discipline, DeficitRoundRobin):
        known = Tasks(tenants, workload.weight.tolist(), [], [])
        quantum_s = np.array(discipline.quanta(known), dtype=np.float64)
    if isinstance(admission, Quota):
        buckets = [admission.bucket_for(name) for name in tenants]
        rate_per_s = np.array([b.rate_per_s for b in buckets], dtype=np.float64)
        burst = np.array([b.burst for b in buckets], dtype=np.float64)
    return kernel.Rules(
        workers=min(workers, n),
        cap=n if discipline.cap is None else min(discipline.cap, n),
        by_tenant=int(isinstance(discipline, DeficitRoundRobin)),
        limited=int(admission is not None),
        quantum_s=quantum_s,
        rate_per_s=rate_per_s,
        burst=burst,
    )


def _state(n: int, tenants: int, workers: int) -> kernel.State:
    def whole(length: int) -> NDArray[np.int64]:
        return np.empty(length, dtype=np.int64)

    return kernel.State(
        head=whole(tenants),
        tail=whole(tenants),
        length=whole(tenants),
        behind=whole(n),
        left_s=np.empty(tenants),
        visits=whole(tenants),
        after=whole(tenants),
        ring=whole(3),
        full_s=np.empty(tenants),
        taken=np.empty(tenants),
        finish_s=np.empty(workers),
        pool=whole(workers),
    )


@lru_cache(maxsize=8)
def _sources(scenario: Scenario) -> tuple[kernel.Sources, float]:
    """Put a scenario's traffic into numbers; return also how many tasks are expected."""
    pieces = [tenant.rate_pieces(scenario.horizon_s) for tenant in scenario.tenants]
    first = np.cumsum([0, *(len(rates) for _, rates in pieces)])
    from_s = np.concatenate([edges[:-1] for edges, _ in pieces])
    to_s = np.concatenate([edges[1:] for edges, _ in pieces])
    rate_per_s = np.concatenate([rates for _, rates in pieces])
    service_times: list[Any] = [tenant.service_time for tenant in scenario.tenants]

    def column(otherwise: str, of_bimodal: str) -> NDArray[np.float64]:
        values = [
            getattr(s, of_bimodal) if isinstance(s, Bimodal) else getattr(s, otherwise, 0.0)
            for s in service_times
        ]
        return np.array(values, dtype=np.float64)

    sources = kernel.Sources(
        key=np.array([tenant_key(t.name) for t in scenario.tenants], dtype=np.uint64),
        first=first.astype(np.int64),
        kind=np.array([KINDS[type(s)] for s in service_times], dtype=np.int64),
        cost_s=column("mean_s", "short_s"),
        long_s=column("", "long_s"),
        long_share=column("", "long_share"),
        from_s=from_s,
        to_s=to_s,
        rate_per_s=rate_per_s,
    )
    return sources, float((rate_per_s * (to_s - from_s)).sum())
