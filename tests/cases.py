"""What several test modules share: published vectors, generated workloads, independent checks."""

from __future__ import annotations

import json
from functools import cache
from itertools import accumulate, combinations, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from fairness_lib import (
    ARTICLE_POLICIES,
    ChargeAsYouGo,
    FairnessReport,
    Fifo,
    HierarchicalFairQueueing,
    NoisyNeighboursLast,
    Outcome,
    Policy,
    Pool,
    Priority,
    Retry,
    RoundRobin,
    Run,
    SettlingDeficitRoundRobin,
    ShuffleShardedFairQueueing,
    StartTimeFairQueueing,
    Workload,
    article_workload,
    drr,
    drr_quota,
    fifo,
    measure,
    quota,
    simulate,
)
from fairness_lib.article.comparison import article_results

VECTORS = json.loads((Path(__file__).parent / "data" / "vectors.json").read_text("utf-8"))
SEEDS = (1, 2, 3)


def rows(vector: str) -> list[dict]:
    """Return the rows of a published vector as records."""
    table = VECTORS[vector]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


@cache
def article_report(policy: str, seed: int, *, solo: bool = False) -> FairnessReport:
    """Measure one of the article's runs, once a session."""
    return measure(simulate(_article(seed, solo), ARTICLE_POLICIES[policy]()))


@cache
def article_numbers() -> pd.DataFrame:
    """Return the results of the article's runs, once a session; not to be changed."""
    return article_results(SEEDS)


@cache
def _article(seed: int, solo: bool) -> Workload:
    return article_workload(seed, burst_factor=2.5, solo=True) if solo else article_workload(seed)


def scalars_of(report: FairnessReport) -> list[float]:
    """Return a report's scalars as the kernel orders them."""
    place = report.run.workload.tenants.index
    return [
        report.capacity_per_s,
        report.jain,
        report.min_x,
        place(report.min_x_tenant),
        report.under_share_p99_wait_s,
        report.utilisation,
        report.window_utilisation,
        report.utilisation_with_drain,
        report.behind_p50_s,
        report.behind_p99_s,
        report.worst_behind_p99_s,
        place(report.worst_behind_tenant),
    ]


def tasks(*columns: tuple[str, float, float], horizon_s: float = 100.0, **more) -> Workload:
    """Make a workload from (tenant, arrival_s, cost_s), tenants in alphabetical order."""
    names = sorted({name for name, _, _ in columns})
    tenant, arrival_s, cost_s = zip(*columns, strict=True)
    return Workload(names, arrival_s, [names.index(t) for t in tenant], cost_s, horizon_s, **more)


# --- generated ----------------------------------------------------------------------

# Eighths make arrivals and completions meet at one instant; the other numbers make bits differ.
_times = st.integers(0, 64).map(lambda n: n / 8) | st.floats(0, 8)
_costs = st.integers(0, 16).map(lambda n: n / 8) | st.floats(0, 2)


@st.composite
def workloads(draw, *, max_tasks: int = 40, max_tenants: int = 4, costs=_costs) -> Workload:
    n = draw(st.integers(1, max_tenants))
    weight = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=n, max_size=n))
    task = st.tuples(_times, st.integers(0, n - 1), costs)
    drawn = sorted(draw(st.lists(task, min_size=1, max_size=max_tasks)), key=lambda t: t[0])
    arrival_s, tenant, cost_s = zip(*drawn, strict=True)
    pattern = draw(st.sampled_from(["t{i}", "t/{group}/{i}"]))
    names = [pattern.format(i=i, group=i % 2) for i in range(n)]
    return Workload(names, arrival_s, tenant, cost_s, 8.0, weight)


quanta = st.sampled_from([0.01, 0.1, 0.25, 1.0, 3.0])
caps = st.none() | st.integers(1, 8)
buckets = st.fixed_dictionaries({"t*": st.tuples(st.floats(0.1, 10), st.floats(1, 5))})


def policies_with(quanta: st.SearchStrategy[float]) -> st.SearchStrategy[Policy]:
    """Return the four policies, with any cap and buckets, and a quantum from `quanta`."""
    return st.one_of(
        st.builds(fifo, cap=caps),
        st.builds(quota, buckets=buckets, cap=caps),
        st.builds(drr, quantum_s=quanta, cap=caps),
        st.builds(drr_quota, buckets=buckets, quantum_s=quanta, cap=caps),
    )


levels = st.fixed_dictionaries({"t*0": st.integers(0, 2), "*": st.integers(0, 2)})
others = st.one_of(
    st.builds(StartTimeFairQueueing, cap=caps),
    st.builds(RoundRobin, cap=caps),
    st.builds(SettlingDeficitRoundRobin, quantum_s=quanta, cap=caps),
    st.builds(Priority, cap=caps, levels=levels, ageing_s=st.none() | st.floats(0.1, 4)),
    st.builds(ChargeAsYouGo, cap=caps, at_start=st.sampled_from([0.0, 0.5, 2.0])),
    st.builds(NoisyNeighboursLast, cap=caps, share=st.floats(0.1, 1), least=st.integers(1, 5)),
    st.builds(HierarchicalFairQueueing, cap=caps),
    st.builds(
        ShuffleShardedFairQueueing,
        cap=caps,
        queues=st.integers(3, 6),
        hand=st.integers(1, 3),
        guess_s=st.none() | st.floats(0, 2),
    ),
).map(lambda discipline: Policy(type(discipline).__name__, discipline))
"""The disciplines beside those of the article."""
policies = policies_with(quanta) | others
"""Every policy that never leaves a worker idle while a task is queued."""


# --- clients that react, pools that change --------------------------------------------------

_instants = st.integers(0, 32).map(lambda n: n / 8)
_seconds = _instants | st.floats(0, 4)
_retries = st.builds(
    Retry,
    attempts=st.integers(1, 4),
    backoff_s=_seconds,
    factor=st.sampled_from([1.0, 2.0, 1.5]),
    most_s=_seconds,
    jitter=st.sampled_from([0.0, 0.5, 1.0]),
    retry_after=st.booleans(),
)
_sizes = st.integers(0, 4)


@st.composite
def pools(draw) -> Pool | int:
    later = sorted(draw(st.sets(_instants.filter(bool), max_size=4)))
    steps = [(0.0, draw(_sizes)), *((time, draw(_sizes)) for time in later)]
    return Pool(steps) if any(workers for _, workers in steps) else draw(st.integers(1, 4))


@st.composite
def reacting(draw, max_tasks: int = 30, *, wide: bool = False) -> Workload:
    """Tasks of clients that do everything that clients can do."""
    n = draw(st.integers(1, max_tasks))
    tenants = draw(st.integers(1, 3))
    each = {"min_size": n, "max_size": n}
    arrival_s = sorted(draw(st.lists(_instants | st.floats(0, 8), **each)))
    impatient = draw(st.booleans())
    patience = _seconds | st.just(np.inf)
    closed = draw(st.booleans())
    follows = [draw(st.integers(-1, task - 1)) for task in range(n)] if closed else None
    again = draw(st.booleans())
    several = {"min_size": tenants, "max_size": tenants}
    return Workload(
        [f"t{t}" for t in range(tenants)],
        arrival_s,
        draw(st.lists(st.integers(0, tenants - 1), **each)),
        draw(st.lists(_instants | st.floats(0, 2), **each)),
        8.0,
        draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), **several)),
        patience_s=draw(st.lists(patience, **each)) if impatient else None,
        follows=follows,
        think_s=draw(st.lists(_seconds, **each)) if closed else None,
        retry=draw(st.lists(st.none() | _retries, **several)) if again else None,
        seed=draw(st.integers(0, 2**63 - 1)),
        width=draw(st.lists(st.integers(1, 3), **each)) if wide else None,
    )


class Reluctant(Fifo):
    """A queue that gives nothing before second 4: not work-conserving."""

    def take(self, now):
        return super().take(now) if now >= 4 else None


# --- clients that keep to their rate ---------------------------------------------------


def at_its_rate(rate: float, n: int, start_s: float, clock: str) -> list[float]:
    """When a client sends that keeps to its rate, by three ways of keeping time."""
    if clock == "divides":
        return [start_s + k / rate for k in range(n)]
    if clock == "multiplies":
        return [start_s + k * (1 / rate) for k in range(n)]
    return [start_s + t for t in accumulate([1 / rate] * (n - 1), initial=0.0)]


clocks = st.sampled_from(["divides", "multiplies", "adds up"])
rates = st.floats(1e-3, 1e4) | st.integers(1, 1000).map(float)
starts = st.sampled_from([0.0, 0.1, 1e3, 1.7e9]) | st.floats(0, 1e9)


# --- independent checks ---------------------------------------------------------------


def start_times(workload: Workload, policy: Policy, workers: int = 1) -> list[float | None]:
    """Run and return each task's start, None where it was not served."""
    start_s = simulate(workload, policy, workers).start_s.tolist()
    return [None if start != start else start for start in start_s]


def outcomes(run: Run) -> list[Outcome]:
    return [Outcome(outcome) for outcome in run.outcome]


def pieces(run: Run, *, start: float = 0.0) -> list[tuple[float, int, int]]:
    """Cut a run into (length, queued, busy) pieces between its events, by looking at every task."""
    arrival_s, start_s, finish_s = run.workload.arrival_s, run.start_s, run.finish_s
    entered = np.isin(run.outcome, [Outcome.SERVED, Outcome.WAITING])
    until = np.where(np.isnan(start_s), np.inf, start_s)
    ends = [start, run.workload.horizon_s]
    times = np.unique(np.concatenate([ends, arrival_s, start_s, finish_s]))
    times = times[~np.isnan(times) & (times >= start)]
    return [
        (
            after - before,
            int((entered & (arrival_s <= before) & (until >= after)).sum()),
            int(((start_s <= before) & (finish_s >= after)).sum()),
        )
        for before, after in pairwise(times)
    ]


def idle_while_queued(run: Run) -> float:
    """Worker-seconds idle while something was queued, piece by piece."""
    return sum(length * (run.workers - busy) for length, queued, busy in pieces(run) if queued)


def assert_conserved(run: Run) -> None:
    """Assert that every task was served once, rejected or is waiting, and the pool is not overfull.

    Nothing starts before it arrives or is served longer than it costs.
    """
    workload = run.workload
    served = run.outcome == Outcome.SERVED
    assert np.isin(run.outcome, list(Outcome)).all()
    assert sum(run.counts().values()) == len(workload)
    assert np.array_equal(served, ~np.isnan(run.start_s))
    assert np.array_equal(served, ~np.isnan(run.finish_s))
    assert (run.start_s[served] >= workload.arrival_s[served]).all()
    assert np.array_equal(run.finish_s[served], (run.start_s + workload.cost_s)[served])
    assert all(busy <= run.workers for _, _, busy in pieces(run))


def ahead_at_most(run: Run, cost_s) -> float:
    """By how much what two tenants were given differs at most, over their largest tasks together.

    Each over its weight, in any time in which both have a task queued; 0 if there is none.
    """
    work, worst = run.workload, 0.0
    arrival_s, start_s = work.arrival_s.tolist(), run.start_s.tolist()
    events = sorted(  # who waited starts before another one arrives at the same instant
        [(at, 1, task, 0) for task, at in enumerate(arrival_s)]
        + [(at, int(at == arrival_s[task]), task, 1) for task, at in enumerate(start_s)]
    )
    largest = [cost_s[work.tenant == t].max(initial=0.0) for t in range(len(work.tenants))]
    for one, other in combinations(range(len(work.tenants)), 2):
        sign = {one: 1.0, other: -1.0}
        queued = dict.fromkeys(sign, 0)
        ahead = lowest = highest = 0.0
        for _, _, task, started in events:
            tenant = work.tenant[task]
            if tenant not in sign:
                continue
            if started and all(queued.values()):
                ahead += sign[tenant] * cost_s[task] / work.weight[tenant]
                lowest, highest = min(lowest, ahead), max(highest, ahead)
            queued[tenant] += -1 if started else 1
            if not all(queued.values()):
                ahead = lowest = highest = 0.0
            bound = sum(largest[t] / work.weight[t] for t in sign)
            worst = max(worst, (highest - lowest) / bound if bound else 0.0)
    return worst


def standing(run: Run, now_s: float, lines: int) -> tuple[list[list[int]], list[int]]:
    """Return the tasks in each line, head first, and those in service just before a time."""
    workload = run.workload
    arrived = workload.arrival_s < now_s
    waiting = np.flatnonzero(arrived & run.served & (run.start_s >= now_s))
    tenant = workload.tenant[waiting] if lines > 1 else np.zeros(len(waiting))
    serving = np.flatnonzero(run.served & (run.start_s < now_s) & (run.finish_s >= now_s))
    return [waiting[tenant == line].tolist() for line in range(lines)], serving.tolist()
