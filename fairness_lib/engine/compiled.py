"""The compiled tier: the functions of `kernel`, compiled by numba, behind the records of the book.

numba is imported, and the kernel compiled, when something is computed here for the first time:
some seconds, or well under one once the result is in numba's cache on disk (beside the module,
or in the user's cache folder). Where no folder can be written, it is compiled in every process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from math import sqrt
from pkgutil import iter_modules
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _check
from ..policies.admission import Quota
from ..policies.charge import ChargeAsYouGo
from ..policies.drr import DeficitRoundRobin
from ..policies.fifo import Fifo
from ..policies.hierarchy import HierarchicalFairQueueing
from ..policies.in_flight import InFlight
from ..policies.noisy_neighbour import NoisyNeighboursLast
from ..policies.policy import Policy
from ..policies.priority import Priority
from ..policies.round_robin import RoundRobin
from ..policies.settling import SettlingDeficitRoundRobin
from ..policies.sfq import StartTimeFairQueueing
from ..policies.shuffle_sharding import ShuffleShardedFairQueueing
from ..policies.tasks import Tasks
from ..traffic.clients import Retry, jitter_key
from ..traffic.pool import Pool
from ..traffic.scenario import Scenario
from ..traffic.service_times import Bimodal, Deterministic, Exponential
from ..traffic.streams import tenant_key
from ..traffic.workload import Workload
from . import events, kernel

DISCIPLINES: dict[type, Any] = {
    Fifo: kernel.fifo,
    DeficitRoundRobin: kernel.drr,
    SettlingDeficitRoundRobin: kernel.settling,
    StartTimeFairQueueing: kernel.sfq,
    RoundRobin: kernel.round_robin,
    Priority: kernel.priority,
    ChargeAsYouGo: kernel.charge,
    NoisyNeighboursLast: kernel.noisy_neighbour,
    ShuffleShardedFairQueueing: kernel.shuffle_sharding,
    HierarchicalFairQueueing: kernel.hierarchy,
}
"""Each discipline and its module in the kernel: a new one is one more entry here."""
PLAIN, HEARS = {"put", "take"}, {"finished", "wake_at"}
"""What a discipline has for the plain loop, and what only the other one calls."""
LOOPS = ("simulate", "simulate_events")
"""The loop for what most runs need, and that for every event; compiled when first used."""
ENTRIES = ("generate", "share_fairly", "measure", "idle_while_queued")
NOT_INSTALLED = "numba is not installed (pip install numba)"
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
    """Return the kernel's functions by name, each decorated, calling each other so.

    There is a ``simulate_<discipline>`` and a ``simulate_events_<discipline>`` for each discipline,
    with that one's own functions in it.
    """
    within = iter_modules(kernel.__path__, f"{kernel.__name__}.")
    modules = [import_module(found.name) for found in within]
    shared = [module for module in modules if module not in DISCIPLINES.values()]
    made: dict[str, Any] = {
        name: value for module in shared for name, value in vars(module).items()
    }
    plain = [function for module in shared for function in _functions_of(module)]

    def decorate_all(functions: Iterable[FunctionType], names: dict[str, Any]) -> None:
        for function in functions:
            name = function.__name__
            names[name] = decorate(FunctionType(function.__code__, names, name))

    decorate_all(plain, made)
    around = (kernel.pool, kernel.events, kernel.holding, kernel.optional)
    loops = [function for module in around for function in _functions_of(module)]
    common = {function.__name__: made[function.__name__] for function in plain}
    twice = [name for name, n in Counter(f.__name__ for f in plain).items() if n > 1]
    if twice:
        raise ValueError(f"two functions of the kernel share a name: {twice}")
    for discipline in set(DISCIPLINES.values()):
        before = _taken_from(discipline)
        own = [f for module in (*before, discipline) for f in _functions_of(module)]
        taken = {f.__name__ for f in own} & common.keys() - set(kernel.OPTIONAL)
        if taken:
            raise ValueError(f"{discipline.__name__} has names of the kernel: {sorted(taken)}")
        names = dict(made)
        for module in (*before, discipline):
            names |= vars(module)
        names |= common
        decorate_all([*loops, *own], names)
        for loop in LOOPS:
            made[_loop(loop, discipline)] = names[loop]
    return made


def _functions_of(module: ModuleType) -> list[FunctionType]:
    """Return the functions that a module defines itself."""
    functions = (value for value in vars(module).values() if isinstance(value, FunctionType))
    return [function for function in functions if function.__module__ == module.__name__]


def _taken_from(discipline: ModuleType) -> list[ModuleType]:
    """Return the other disciplines' modules that one has functions from."""
    used = {getattr(value, "__module__", None) for value in vars(discipline).values()}
    return [m for m in DISCIPLINES.values() if m is not discipline and m.__name__ in used]


def _loop(name: str, discipline: ModuleType) -> str:
    """Name an event loop that was made for a discipline."""
    return f"{name}_{discipline.__name__.rpartition('.')[2]}"


@cache
def functions() -> dict[str, Any]:
    """Compile the kernel, or find it in numba's cache."""
    from . import native

    made = build(native.function)
    entries = (*ENTRIES, *(_loop(name, d) for d in DISCIPLINES.values() for name in LOOPS))
    return made | {name: native.entry(made[name], name) for name in entries}


def parts(policy: Policy) -> tuple[Any, InFlight | None]:
    """Return a policy's discipline, and the stage that holds tasks back before it, if any."""
    if type(policy.discipline) is InFlight:
        return policy.discipline.discipline, policy.discipline
    return policy.discipline, None


def obstacle(policy: Policy, workload: Workload) -> str | None:
    """Say why the compiled tier cannot run this policy; None if it can.

    Only exactly the library's own classes are built in: a subclass may do anything.
    """
    if not installed():
        return NOT_INSTALLED
    (discipline, _), admission = parts(policy), policy.admission
    if type(discipline) not in DISCIPLINES:
        return f"{type(discipline).__name__} is not one of its disciplines"
    if admission is not None and type(admission) is not Quota:
        return f"{type(admission).__name__} is not one of its admissions"
    if workload.patience_s is not None and not hasattr(DISCIPLINES[type(discipline)], "abandoned"):
        return f"{type(discipline).__name__} cannot forget a task there whose client has left"
    if workload.width is not None and hasattr(DISCIPLINES[type(discipline)], "BY_WORKER"):
        return f"{type(discipline).__name__} asks which worker it is, and tasks need several"
    said: str | None = DISCIPLINES[type(discipline)].obstacle(discipline, workload)
    return said


Plain = tuple[NDArray[np.float64], NDArray[np.int8], int]


def simulate(workload: Workload, policy: Policy, pool: int | Pool) -> Plain | events.Happened:
    """Run a workload; return start_s, outcome and fruitless visits, or more where there is more."""
    n, workers = len(workload), pool.largest if isinstance(pool, Pool) else pool
    given, stage = parts(policy)
    discipline = DISCIPLINES[type(given)]
    label: Any = workload.label  # a column for those who want it
    weight = workload.weight.tolist()
    known = Tasks(workload.tenants, weight, [], [], label, workload.labels, workers)
    rules = discipline.rules_of(given, known, n)
    state = discipline.state_for(rules, n, len(workload.tenants))
    needed, has = events.needed(workload, policy, pool), vars(discipline).keys()
    if not needed and stage is None and has >= PLAIN and not HEARS & has:
        return _plain(workload, policy, pool, discipline, rules, state)
    hold = _hold(stage, known, n)
    happened = _every_event(workload, policy, pool, discipline, rules, state, hold)
    if needed:
        return happened
    return happened.start_s, happened.outcome, happened.fruitless_visits


def memory_for(policy: Policy, known: Tasks, n: int) -> tuple[Any, ...]:
    """Return what a run of `n` tasks of these tenants has in memory for its policy."""
    given, stage = parts(policy)
    discipline = DISCIPLINES[type(given)]
    rules = discipline.rules_of(given, known, n)
    state = discipline.state_for(rules, n, len(known.tenants))
    return rules, state, _hold(stage, known, n), _buckets(policy, known.tenants)


def _plain(
    workload: Workload, policy: Policy, pool: Any, discipline: ModuleType, rules: Any, state: Any
) -> Plain:
    """Run the loop for what most runs need."""
    n, workers = len(workload), min(pool, len(workload))
    start_s, outcome = np.empty(n), np.empty(n, dtype=np.int8)
    run = functions()[_loop("simulate", discipline)]
    fruitless = run(
        *(n, len(workload.tenants), workers, int(policy.admission is not None)),
        *(_tasks(workload), _buckets(policy, workload.tenants), rules, state),
        *(kernel.Pool(np.empty(workers), _whole(workers)), start_s, outcome),
    )
    return start_s, outcome, int(fruitless)


def _every_event(
    workload: Workload,
    policy: Policy,
    pool: int | Pool,
    discipline: ModuleType,
    rules: Any,
    state: Any,
    hold: kernel.Hold,
) -> events.Happened:
    """Run the loop for every event, again where it could not note all that was wasted."""
    n, clients = len(workload), _clients(workload)
    from_s, sizes = zip(*events.steps_of(pool), strict=True)
    workers, follows = max(sizes), _whole(0) if workload.follows is None else workload.follows
    if not getattr(discipline, "BY_WORKER", 0):  # then it matters how many, but not which ones
        attempts = int(max(clients.attempts, default=1)) if clients.leave else 1
        workers = min(workers, n * attempts)
    run = functions()[_loop("simulate_events", discipline)]
    room, said = n if clients.leave else 0, kernel.NO_ROOM
    while said == kernel.NO_ROOM:
        out = kernel.Outputs(
            *(np.empty(n), np.empty(n), np.empty(n, dtype=np.int8), _whole(n), _whole(n)),
            *(np.empty(n), _whole(room), np.empty(room), np.empty(room)),
            *(np.empty(1), _whole(kernel.TALLY)),
        )
        said = run(
            *(n, len(workload.tenants), workers, len(sizes), int(policy.admission is not None)),
            *(room, _tasks(workload), follows, clients),
            kernel.Steps(np.array(from_s), np.array(sizes, dtype=np.int64)),
            *(_buckets(policy, workload.tenants), rules, state, hold),
            kernel.Crew(
                *(np.empty(workers), _whole(workers), _whole(workers)),
                *(np.empty(workers), _whole(workers)),
            ),
            kernel.Course(
                *(_whole(n), np.empty(n), _whole(n)),
                *(np.empty(n), _whole(n), np.empty(n), _whole(n)),
            ),
            out,
        )
        room *= 2
    if said == kernel.WOKEN_IN_VAIN:
        raise events.woken_in_vain()
    if said == kernel.WOKEN_TOO_EARLY:
        raise ValueError("wake_at must be a time after now, or none")
    came, wasted = out.tally[kernel.CAME], slice(out.tally[kernel.WASTED])
    return events.Happened(
        *(out.start_s, out.answer_s, out.outcome, out.attempts),
        *(out.order[:came], out.came_s[:came]),
        (out.wasted_task[wasted], out.wasted_start_s[wasted], out.wasted_finish_s[wasted]),
        *(float(out.idle_s[0]), int(said)),
    )


def _hold(stage: InFlight | None, known: Tasks, n: int) -> kernel.Hold:
    """Put an in-flight limit into numbers, and return memory for it; none where there is none."""
    on, tenants = int(stage is not None), 0 if stage is None else len(known.tenants)
    limits = [] if stage is None else stage.limits(known)
    cap = n if stage is None or stage.cap is None else min(stage.cap, n)
    return kernel.Hold(
        *(on, cap, np.array(limits, dtype=np.int64), _whole(tenants)),
        *(kernel.queues.queues_for(tenants, n * on), _whole(n * on)),
        *(kernel.queues.queues_for(on, tenants), _whole(tenants)),
    )


def _clients(workload: Workload) -> kernel.Clients:
    """Put the behaviour of clients into numbers; columns of nothing where there is none."""
    n, retry = len(workload), workload.retry
    each = [] if retry is None else [one or Retry(attempts=1) for one in retry]

    def column(name: str, kind: Any = np.float64) -> NDArray[Any]:
        return np.array([getattr(one, name) for one in each], dtype=kind)

    follower = _whole(0), _whole(0)
    if workload.follows is not None:
        follower = np.full(n, -1), np.full(n, -1)
        for task in range(n - 1, -1, -1):
            before = workload.follows[task]
            if before >= 0:
                follower[1][task], follower[0][before] = follower[0][before], task
    think_s = workload.think_s
    if think_s is None:
        think_s = np.zeros(n if workload.follows is not None else 0)
    patience_s = np.empty(0) if workload.patience_s is None else workload.patience_s
    return kernel.Clients(
        leave=int(workload.patience_s is not None),
        come_again=int(retry is not None),
        follow=int(workload.follows is not None),
        wide=int(workload.width is not None),
        horizon_s=workload.horizon_s,
        key=np.uint64(jitter_key(workload.seed)),
        patience_s=patience_s,
        attempts=column("attempts", np.int64),
        backoff_s=column("backoff_s"),
        factor=column("factor"),
        most_s=column("most_s"),
        jitter=column("jitter"),
        told=column("retry_after", np.int64),
        follower=follower[0],
        next_follower=follower[1],
        think_s=think_s,
        width=_whole(0) if workload.width is None else workload.width,
    )


def generate(scenario: Scenario, seed: int) -> Workload:
    """Draw the same tasks as ``scenario.workload(seed)``, faster if all its costs are built in."""
    seed = _check.seed("seed", seed)
    drawn = all(type(t.service_time) in KINDS and t.clients is None for t in scenario.tenants)
    if not drawn:
        return scenario.workload(seed)
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
    return Workload(
        names,
        arrival_s[:n],
        tenant[:n],
        cost_s[:n],
        scenario.horizon_s,
        weight,
        workers=scenario.workers,
        window_s=scenario.window_s,
    )


def share_fairly(workload: Workload, pool: int | Pool, cuts: tuple[float, float]) -> kernel.Fair:
    """Run the ideal pool until nothing is left to do."""
    n, tenants = len(workload), len(workload.tenants)
    fair = kernel.Fair(np.empty(n), np.empty(n), np.array(cuts), np.empty(kernel.CUTS))
    fluid = kernel.Fluid(
        working=_whole(tenants),
        latest=_whole(tenants),
        follower=_whole(n),
        ends=np.empty(tenants),
        busy=_whole(tenants),
        weights=np.empty(2 * tenants),
    )
    run = functions()["share_fairly"]
    (_, workers), *changes = pool.steps if isinstance(pool, Pool) else ((0.0, pool),)
    sizes = kernel.Steps(
        np.array([from_s for from_s, _ in changes], dtype=np.float64),
        np.array([size for _, size in changes], dtype=np.int64),
    )
    columns = _tasks(workload), workload.weight, sizes
    run(n, tenants, workers, len(changes), *columns, fair, fluid)
    return fair


def measure(
    workload: Workload,
    start_s: NDArray[np.float64],
    left_s: NDArray[np.float64],
    outcome: NDArray[np.int8],
    window: kernel.Window,
    fair: kernel.Fair,
) -> tuple[int, kernel.Report]:
    """Return what is wrong with the window (0 for nothing), and the kernel's report."""
    n, tenants = len(workload), len(workload.tenants)
    report = kernel.Report(
        arrived=_whole(tenants),
        outcomes=_whole(tenants * kernel.OUTCOMES),
        demand=np.empty(tenants),
        completed=np.empty(tenants),
        fair_share_per_s=np.empty(tenants),
        x=np.empty(tenants),
        wait_s=np.empty(tenants * kernel.QUANTILES),
        owed=_whole(tenants),
        kept=_whole(tenants),
        missed=_whole(kernel.OUTCOMES),
        behind_s=np.empty(tenants * kernel.BEHIND),
        fair_work_s=np.empty(tenants),
        got_work_s=np.empty(tenants),
        scalars=np.empty(kernel.SCALARS),
    )
    scratch = kernel.Scratch(
        wait_s=np.empty(n),
        late_s=np.empty(n),
        first=_whole(tenants + 1),
        order=_whole(tenants),
        asked=np.empty(tenants),
        sharing=np.empty(tenants),
    )
    look = functions()["measure"]
    columns = _tasks(workload), workload.weight, start_s, left_s, outcome
    wrong = look(n, tenants, *columns, window, fair, report, scratch)
    return int(wrong), report


def idle_while_queued_s(
    entered_s: NDArray[np.float64],
    start_s: NDArray[np.float64],
    finish_s: NDArray[np.float64],
    workers: int,
    until_s: float,
) -> float:
    """Worker-seconds idle while something was queued, from columns each in order."""
    look = functions()["idle_while_queued"]
    queued, served = len(entered_s), len(start_s)
    return float(look(queued, served, workers, until_s, entered_s, start_s, finish_s))


def _whole(length: int) -> NDArray[np.int64]:
    return np.empty(length, dtype=np.int64)


def _tasks(workload: Workload) -> kernel.Tasks:
    return kernel.Tasks(workload.arrival_s, workload.tenant, workload.cost_s, workload.estimate_s)


def _buckets(policy: Policy, tenants: Sequence[str]) -> kernel.Buckets:
    """Put a quota into numbers; columns of no tenant where there is none."""
    quota = policy.admission
    buckets = [quota.bucket_for(name) for name in tenants] if isinstance(quota, Quota) else []
    return kernel.Buckets(
        rate_per_s=np.array([bucket.rate_per_s for bucket in buckets], dtype=np.float64),
        burst=np.array([bucket.burst for bucket in buckets], dtype=np.float64),
        full_s=np.empty(len(buckets)),
        taken=np.empty(len(buckets)),
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
