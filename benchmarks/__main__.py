"""``python -m benchmarks``: run everything, print the tables, save them with the package."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import process_time

import pandas as pd
from tqdm import tqdm

from fairness_lib import ARTICLE_POLICIES, article_scenario, drr, measure, replicate
from fairness_lib import simulate as run_of
from fairness_lib.engine import compiled
from fairness_lib.engine.timings import SAVED

from .cases import (
    DRR,
    ENGINES,
    FIFO,
    ONE_FAST_WORKER,
    SIZES,
    WORKERS,
    Case,
    agreement,
    cpu_s,
    workload,
)

FIRST = """
from time import process_time
from fairness_lib import article_scenario, drr, simulate
work = article_scenario().workload(1)
begun = process_time()
simulate(work, drr(), engine="compiled")
print(process_time() - begun)
"""


def plan() -> list[tuple[Case, int, int, set[str]]]:
    """List (case, tenants, length, engines to leave out)."""
    runs: list[tuple[Case, int, int, set[str]]] = [
        (FIFO, 25, 1, set()),
        (FIFO, 25, 10, set()),
        *((DRR, tenants, 1, set[str]()) for tenants in SIZES),
        *((ONE_FAST_WORKER, tenants, 1, set[str]()) for tenants in SIZES[:3]),
        (DRR, 25, 10, set()),
        (ONE_FAST_WORKER, 25, 10, set()),
        # ns.py looks at every tenant at every arrival: minutes, of which nothing is learnt
        (ONE_FAST_WORKER, 24_001, 1, {"ns.py, DRRServer"}),
    ]
    return runs


def side_by_side() -> list[dict]:
    """Time every engine on the same arrivals, after comparing what it computes."""
    rows = []
    for case, tenants, length, left_out in tqdm(plan(), unit="workload", disable=None):
        work = workload(case, tenants, length)
        run = ENGINES[case]["compiled"](work, case)
        seconds, agreed = {}, {}
        for name, engine in ENGINES[case].items():
            if name in left_out:
                continue
            agreed[name] = agreement(run, engine(work, case), "ns.py" not in name)
            seconds[name] = cpu_s(partial(engine, work, case))
        seconds["compiled"] = min(
            seconds["compiled"], cpu_s(partial(ENGINES[case]["compiled"], work, case))
        )
        rows += [
            {
                "policy": case.name,
                "tenants": tenants,
                "length": length,
                "tasks": len(work),
                "engine": name,
                "cpu_ms": 1e3 * spent,
                "times_compiled": spent / seconds["compiled"],
                "agrees_on": agreed[name],
            }
            for name, spent in seconds.items()
        ]
    return rows


def small_quanta() -> list[dict]:
    """Time a run under quanta from a second down to a microsecond."""
    work = workload(DRR, 25, 1)
    return [
        {
            "quantum_s": quantum_s,
            "engine": engine,
            "cpu_ms": 1e3 * cpu_s(partial(run_of, work, drr(quantum_s=quantum_s), engine=engine)),
            "fruitless_visits": run_of(work, drr(quantum_s=quantum_s)).fruitless_visits,
        }
        for quantum_s in (1.0, 0.1, 0.01, 0.001, 0.0001, 0.000001)
        for engine in ("compiled", "readable")
    ]


def one_replication() -> dict[str, float]:
    """Time the steps of a whole replication under DRR."""
    scenario = article_scenario()
    work = compiled.generate(scenario, 1)
    run = run_of(work, drr(), engine="compiled")

    def whole() -> None:
        measure(run_of(compiled.generate(scenario, 1), drr(), engine="compiled")).scalars()

    return {
        "generate": 1e3 * cpu_s(lambda: compiled.generate(scenario, 1)),
        "simulate": 1e3 * cpu_s(lambda: run_of(work, drr(), engine="compiled")),
        "measure": 1e3 * cpu_s(lambda: measure(run).scalars()),
        "whole": 1e3 * cpu_s(whole),
    }


def fair_references() -> list[dict]:
    """Time the fair reference beside a DRR run on the same traffic, both compiled."""
    rows = []
    for tenants in SIZES[:3]:
        work = workload(DRR, tenants, 1)
        cuts = (0.0, work.horizon_s)
        fair = partial(compiled.share_fairly, work, WORKERS, cuts)
        run = partial(run_of, work, drr(), WORKERS, engine="compiled")
        spent = [min(cpu_s(what), cpu_s(what)) for what in (fair, run)]
        rows.append({"tenants": tenants, "cpu_ms": 1e3 * spent[0], "of_a_run": spent[0] / spent[1]})
    return rows


def first_calls() -> dict[str, float]:
    """Time the first compiled run of a fresh process, without and with numba's cache."""
    with tempfile.TemporaryDirectory() as cache:

        def first() -> float:
            return float(
                subprocess.run(
                    [sys.executable, "-c", FIRST],
                    env=os.environ | {"NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    check=True,
                    text=True,
                ).stdout
            )

        return {"without_cache": first(), "with_cache": min(first(), first())}


def ensemble_s() -> float:
    """Time 200 seeds under the four policies, on one core."""
    replicate(article_scenario(), ARTICLE_POLICIES, [0])
    begun = process_time()
    replicate(article_scenario(), ARTICLE_POLICIES, range(200))
    return process_time() - begun


def machine() -> dict[str, object]:
    """Name the machine and what ran on it."""
    names = [
        line.split(":", 1)[1].strip()
        for path in [Path("/proc/cpuinfo")]
        if path.exists()
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    packages = ("numpy", "numba", "llvmlite", "simpy", "ns.py")
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "date": date.today().isoformat(),
    }


def targets(results: dict) -> list[dict]:
    """Put what was promised beside what was measured."""
    rows = pd.DataFrame(results["side_by_side"])
    cost = rows.set_index(["policy", "tenants", "length", "engine"])

    def ratio(policy: Case, engine: str, tenants: int = 25, length: int = 1) -> float:
        return float(cost.loc[(policy.name, tenants, length, engine), "times_compiled"])

    def compiled_ms(tenants: int, length: int) -> float:
        return float(cost.loc[(DRR.name, tenants, length, "compiled"), "cpu_ms"])

    first = results["first_call_s"]
    fair = {row["tenants"]: row for row in results["fair_reference"]}
    known = [
        ("SimPy's worker processes over compiled, DRR", ">=", 50,
         ratio(DRR, "SimPy, worker processes")),
        ("ns.py over compiled, DRR", ">=", 150, ratio(ONE_FAST_WORKER, "ns.py, DRRServer")),
        ("2,401 tenants over 25, compiled", "<=", 1.5, compiled_ms(2401, 1) / compiled_ms(25, 1)),
        ("10 times the length, compiled", "<=", 11, compiled_ms(25, 10) / compiled_ms(25, 1)),
        ("the fair reference over a DRR run", "<=", 1, fair[25]["of_a_run"]),
        ("2,401 tenants over 25, fair reference", "<=", 1.5,
         fair[2401]["cpu_ms"] / fair[25]["cpu_ms"]),
        ("a whole replication, ms", "<=", 15, results["replication_ms"]["whole"]),
        ("200 seeds x 4 policies, s", "<=", 12, results["ensemble_s"]),
        ("first call without cache, s", "<=", 4, first["without_cache"]),
        ("first call with cache, s", "<=", 1, first["with_cache"]),
    ]  # fmt: skip
    return [
        {"what": what, "promised": f"{sign} {bound:g}", "measured": value,
         "met": value >= bound if sign == ">=" else value <= bound}
        for what, sign, bound, value in known
    ]  # fmt: skip


def main() -> int:
    if not compiled.installed():
        print("numba is not installed: there is nothing to compare", file=sys.stderr)
        return 2
    results: dict = {
        "machine": machine(),
        "side_by_side": side_by_side(),
        "small_quanta": small_quanta(),
        "fair_reference": fair_references(),
        "replication_ms": one_replication(),
        "ensemble_s": ensemble_s(),
        "first_call_s": first_calls(),
    }
    results["targets"] = targets(results)
    text = json.dumps(results, indent=1, default=float)
    SAVED.write_text(text + "\n", encoding="utf-8")
    shown = {"float_format": "{:.4g}".format, "index": False}
    for name in ("side_by_side", "small_quanta", "fair_reference", "targets"):
        print(pd.DataFrame(results[name]).to_string(**shown), end="\n\n")
    return 0 if all(target["met"] for target in results["targets"]) else 1


if __name__ == "__main__":
    sys.exit(main())
