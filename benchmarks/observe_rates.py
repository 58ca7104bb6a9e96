"""How fast events are recorded, and in how much memory: ``python -m benchmarks.observe_rates``.

Rates are events per second of processor time on one core, the best of five rounds. Tenants are
drawn from a Zipf distribution with exponent 1.2; `monitor` counts arrivals, starts and finishes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from fairness_lib import FairnessMonitor, TenantMetrics

EVENTS = 1_000_000
ONE_BY_ONE = 200_000
ROUNDS = 5
GOALS = {"batches": 1e6, "one at a time": 2e5}


def best_rate(events: int, work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return events per second of processor time in the fastest of some rounds."""
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return events / min(taken)


def zipf_tenants(tenants: int, events: int) -> tuple[list[str], np.ndarray]:
    """Return tenant names, and which of them each event is of."""
    rng = np.random.default_rng(1)
    weight = np.arange(1, tenants + 1) ** -1.2
    return [f"tenant{i}" for i in range(tenants)], rng.choice(
        tenants, events, p=weight / weight.sum()
    )


def batches(tenants: int, event: str, as_names: bool = False, **options: int) -> float:
    """Return the rate at which batches of 100,000 events are recorded."""
    names, code = zipf_tenants(tenants, EVENTS)
    waits = np.random.default_rng(2).exponential(0.02, EVENTS)
    named = [names[i] for i in code.tolist()] if as_names else None

    def work() -> None:
        metrics = TenantMetrics(**options)
        for first in range(0, EVENTS, 100_000):
            part = slice(first, first + 100_000)
            wait_s = waits[part] if event == "started" else None
            if named is not None:
                metrics.record(event, named[part], wait_s=wait_s)
            else:
                metrics.record(event, code[part], names=names, wait_s=wait_s)
        metrics.close()

    return best_rate(EVENTS, work)


def one_by_one(tenants: int, event: str, **options: int) -> float:
    """Return the rate at which events are recorded one at a time."""
    names, code = zipf_tenants(tenants, ONE_BY_ONE)
    named = [names[i] for i in code.tolist()]
    waits = np.random.default_rng(2).exponential(0.02, ONE_BY_ONE).tolist()

    def work() -> None:
        metrics = TenantMetrics(**options)
        if event == "arrived":
            for name in named:
                metrics.arrived(name)
        elif event == "started":
            for name, wait_s in zip(named, waits, strict=True):
                metrics.started(name, wait_s)
        else:
            for name in named:
                metrics.rejected(name, event)
        metrics.close()

    return best_rate(ONE_BY_ONE, work)


def monitor() -> float:
    """Return the rate at which a monitor takes events, its reports every 10 s included."""
    tasks = 60_000

    def work() -> None:
        watch = FairnessMonitor(8, window_s=60, step_s=10)
        for task in range(tasks):
            now = task / 1000
            watch.arrived(task, "tenant", now)
            watch.started(task, now)
            watch.finished(task, now)

    return best_rate(3 * tasks, work)


def memory(tenants: int, capacity: int | None) -> float:
    """Return the bytes held after one arrival and one rejection of each tenant."""
    names = [f"tenant{i}" for i in range(tenants)]
    tracemalloc.start()
    metrics = TenantMetrics(capacity=capacity)
    for first in range(0, tenants, 100_000):
        metrics.record("arrived", names[first : first + 100_000])
        metrics.record("quota", names[first : first + 100_000])
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    metrics.close()
    return float(held)


def measure_all() -> dict[str, float]:
    """Return all rates in events per second, and memory in megabytes."""
    few, many = 1000, 1_000_000
    return {
        "batches, arrived, indices, 1,000 tenants": batches(few, "arrived"),
        "batches, arrived, names, 1,000 tenants": batches(few, "arrived", True),
        "batches, started, names, 1,000 tenants": batches(few, "started", True),
        "batches, quota, names, 1,000 tenants": batches(few, "quota", True),
        "batches, arrived, names, 1,000,000 tenants": batches(many, "arrived", True),
        "batches, started, names, 1,000,000 tenants": batches(many, "started", True),
        "one at a time, arrived, 1,000 tenants": one_by_one(few, "arrived"),
        "one at a time, started, 1,000 tenants": one_by_one(few, "started"),
        "one at a time, quota, 1,000 tenants": one_by_one(few, "quota"),
        "one at a time, arrived, 1,000,000 tenants": one_by_one(many, "arrived"),
        "one at a time, monitor": monitor(),
        "MB at 1,000,000 tenants, capacity 10,000": memory(many, 10_000) / 1e6,
        "MB at 1,000,000 tenants, exact": memory(many, None) / 1e6,
    }


def main() -> int:
    """Print what is measured; 1 if a rate misses its goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    results = measure_all()
    missed = [
        name
        for name, value in results.items()
        for kind, goal in GOALS.items()
        if name.startswith(kind) and value < goal
    ]
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        for name, value in results.items():
            print(f"{name:45} {value:14,.1f}" + ("  missed" if name in missed else ""))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
