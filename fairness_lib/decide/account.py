"""All that a report on a comparison shows, as plain numbers and text: one record for every format.

Times are in seconds from the first arrival, work in worker-seconds. What is not defined, such as a
quantile of nothing, is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from .._count import count
from ..measures.fair import fair_reference
from .alerts import alerts, limits
from .outcome import Outcome, Waits, blocks_of, mean_wait_s, who_pays
from .parameters import active, cap_of
from .pools import mean_busy
from .situation import Situation

if TYPE_CHECKING:
    from .compare import Comparison, Elsewhere

VERSION = 1
"""Of the record's form; a number that changes its meaning raises it."""
WORST, NAMED, BINS = 5, 3, 120
MINUTE_S, MOST_MINUTES = 60.0, 100_000


def account(comparison: Comparison) -> dict[str, Any]:
    """Return the record of a comparison."""
    c, s = comparison, comparison.situation
    record = {
        "version": VERSION,
        "fairness_lib": __version__,
        "verdict": {
            "kind": c.decision.kind,
            "policy": c.decision.policy,
            "sentence": c.decision.sentence,
            "because": list(c.decision.because),
            "margin": None if c.decision.margin is None else asdict(c.decision.margin),
            "depends": list(c.decision.depends),
        },
        "trace": trace_part(c),
        "pool": {
            "workers": s.workers,
            "from": c.workers_from,
            "mean_busy": mean_busy(s.workload),
            "fit": None if c.fitted is None else asdict(c.fitted),
            "row": [elsewhere_part(one) for one in c.row],
        },
        "settings": {
            "objective_s": s.objective_s,
            "load": c.load,
            "as_is": c.as_is,
            "quantum_s": c.terms.quantum_s,
            "cap": c.terms.cap,
            "quota": None
            if c.terms.quota is None
            else {k: list(v) for k, v in c.terms.quota.items()},
            "deadline_s": c.deadline_s,
            "cap_for_deadline": None if c.deadline_s is None else cap_of(s, c.deadline_s),
            "active": active(s),
            "window_s": None if s.window_s is None else list(s.window_s),
            "block_s": blocks_of(s)[2],
        },
        "contention": contention_part(s),
        "policies": [policy_part(c, one) for one in c.outcomes],
        "worst_minutes": list(worst_minutes(s, c.now)),
        "elsewhere": [elsewhere_part(one) for one in c.elsewhere],
        "tenants": tenants_part(c),
        "alerts": list(alerts(c)),
        "limits": list(limits(c)),
    }
    return dict(plain(record))


def plain(value: Any) -> Any:
    """Return a value without numpy's types, and with None for what is no finite number."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value


def trace_part(c: Comparison) -> dict[str, Any]:
    """Say what is in the trace."""
    workload = c.situation.workload
    costs = np.sort(workload.cost_s)
    n, work_s = len(workload.tenants), float(workload.cost_s.sum())
    by_tenant = count(workload.tenant, n, workload.cost_s)
    heaviest = np.argsort(-by_tenant, kind="stable")[:10]
    edges = np.linspace(0.0, workload.horizon_s, BINS + 1)
    offered, _ = np.histogram(workload.arrival_s, edges, weights=workload.cost_s)
    top = workload.tenant == heaviest[0]
    of_top, _ = np.histogram(workload.arrival_s[top], edges, weights=workload.cost_s[top])
    bin_s = workload.horizon_s / BINS
    tasks = count(workload.tenant, n)
    return {
        "source": c.trace.source,
        "recognised": list(c.trace.recognised),
        "dropped": c.trace.dropped,
        "began": c.trace.began,
        "tasks": len(workload),
        "tenants": n,
        "horizon_s": workload.horizon_s,
        "work_s": work_s,
        "cost_mean_s": work_s / len(costs),
        **{f"cost_p{q}_s": costs[int(q / 100 * (len(costs) - 1))] for q in (1, 50, 90, 99)},
        "cost_max_s": costs[-1],
        "heaviest": [
            {
                "tenant": workload.tenants[t],
                "tasks": tasks[t],
                "work_s": by_tenant[t],
                "part_of_work": by_tenant[t] / work_s if work_s else 0.0,
            }
            for t in heaviest.tolist()
        ],
        "bin_s": bin_s,
        "offered_workers": (offered / bin_s).tolist(),
        "offered_by_heaviest": (of_top / bin_s).tolist(),
    }


def contention_part(s: Situation) -> dict[str, Any]:
    """Say when something waits, and who is in it."""
    workload, n = s.workload, len(s.workload.tenants)
    wait_s, places = s.queued.wait_s, s.episode
    within = places >= 0
    k = len(s.episodes)
    waited_s = count(places[within], k, wait_s[within]) if k else np.empty(0)
    worst = np.argsort(-waited_s, kind="stable")[:WORST]
    episodes = [
        {
            "start_s": s.episodes[e, 0],
            "end_s": s.episodes[e, 1],
            "tasks": int((places == e).sum()),
            "part_of_waiting": waited_s[e] / waited_s.sum(),
            "heaviest": most_work(s, places == e),
        }
        for e in worst.tolist()
        if waited_s[e] > 0
    ]
    busy = count(workload.tenant[s.contended], n, workload.cost_s[s.contended])
    beyond = np.flatnonzero(s.beyond & s.present)
    beyond = beyond[np.argsort(-busy[beyond], kind="stable")]
    return {
        "tasks_that_wait": s.waited,
        "time_with_a_queue": s.queue_time,
        "contended_tasks": int(s.contended.sum()),
        "owed": int(s.owed.sum()),
        "episodes": k,
        "worst_episodes": episodes,
        "tenants": int(s.present.sum()),
        "beyond": [workload.tenants[t] for t in beyond.tolist()],
        "within": int((s.present & ~s.beyond).sum()),
    }


def most_work(s: Situation, tasks: NDArray[np.bool_]) -> list[str]:
    """Name the tenants with most work among some tasks."""
    workload, n = s.workload, len(s.workload.tenants)
    work_s = count(workload.tenant[tasks], n, workload.cost_s[tasks])
    order = np.argsort(-work_s, kind="stable")[:NAMED]
    return [workload.tenants[t] for t in order.tolist() if work_s[t] > 0]


def policy_part(c: Comparison, one: Outcome) -> dict[str, Any]:
    """Say what a policy makes of it."""
    return {
        "policy": one.policy,
        "kept": one.kept_part,
        "within": waits_part(one.within),
        "beyond": waits_part(one.beyond),
        "behind_p99_s": one.behind_p99_s,
        "rejected": one.rejected,
        "rejected_work_s": one.rejected_work_s,
        "rejected_within": one.rejected_within,
        "against_as_is": who_pays(c.situation, c.now, one),
        "kept_by_block": [
            kept / owed if owed else None
            for kept, owed in zip(one.kept.tolist(), one.owed.tolist(), strict=True)
        ],
    }


def waits_part(waits: Waits) -> dict[str, Any]:
    """Write waits as a record."""
    return asdict(waits)


def elsewhere_part(one: Elsewhere) -> dict[str, Any]:
    """Say what the verdict is on another pool or load."""
    return {
        "what": one.what,
        "workers": one.workers,
        "load": one.load,
        "kind": one.decision.kind,
        "policy": one.decision.policy,
        "sentence": one.decision.sentence,
        "kept": one.kept,
    }


def worst_minutes(s: Situation, now: Outcome) -> Iterator[dict[str, Any]]:
    """Name the minutes in which most owed starts are missed today, and whose work was in the way.

    In a trace of less than a quarter of an hour they are fifteenths of it.
    """
    length_s = max(min(MINUTE_S, s.workload.horizon_s / 15), s.workload.horizon_s / MOST_MINUTES)
    minute = (s.workload.arrival_s / length_s).astype(np.int64)
    missed = count(minute[s.owed & ~now.started_in_time], int(minute.max()) + 1)
    for place in np.argsort(-missed, kind="stable")[:WORST].tolist():
        if missed[place]:
            within = minute == place
            yield {
                "start_s": place * length_s,
                "end_s": (place + 1) * length_s,
                "owed": int((within & s.owed).sum()),
                "missed": missed[place],
                "heaviest": most_work(s, within),
            }


def tenants_part(c: Comparison) -> list[dict[str, Any]]:
    """Return a row a tenant, the most work first: shares of the worst episode, waits by policy."""
    s, workload = c.situation, c.situation.workload
    n = len(workload.tenants)
    tasks, work_s = count(workload.tenant, n), count(workload.tenant, n, workload.cost_s)
    contended = count(workload.tenant[s.contended], n)
    waits = {one.policy: mean_wait_s(s, one) for one in c.outcomes}
    got = dict.fromkeys(waits, np.zeros(n))
    fair_s = np.zeros(n)
    if len(s.episodes):
        longest = int(np.argmax(s.episodes[:, 1] - s.episodes[:, 0]))
        start, end = (min(float(edge), workload.horizon_s) for edge in s.episodes[longest])
        if start < end:
            fair = fair_reference(workload, s.workers).work_s(start, end)
            fair_s = np.array(list(fair.values()))
            for one in c.outcomes:
                done = one.run.served
                overlap = np.minimum(one.run.finish_s[done], end) - np.maximum(
                    one.run.start_s[done], start
                )
                got[one.policy] = count(workload.tenant[done], n, np.maximum(overlap, 0.0))
    total_s = max(float(fair_s.sum()), 1e-12)
    return [
        {
            "tenant": workload.tenants[t],
            "tasks": tasks[t],
            "work_s": work_s[t],
            "contended_tasks": contended[t],
            "group": "beyond" if s.beyond[t] and contended[t] else "within",
            "fair_share": fair_s[t] / total_s,
            "share": {
                name: column[t] / max(float(column.sum()), 1e-12) for name, column in got.items()
            },
            "mean_wait_s": {name: column[t] for name, column in waits.items()},
        }
        for t in np.argsort(-work_s, kind="stable").tolist()
    ]
